/** One field of a form that nobody wrote: it is made of what the server says of the value. */

import { Plus, X } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "../../components/Button";
import { useWords, type Words } from "../../i18n/text";
import { type FieldAttributes, Labelled, Wrong } from "./Labelled";
import { at, type Problem, within } from "./problems";
import { type Entry, entryOf, type Filled, type FormField, fill, isTemplate, memberPath } from "./schemaFields";

interface SchemaFieldProps {
  field: FormField;
  held: Filled;
  /** Where the value is in the document, as the server names the place. */
  path: string;
  problems: readonly Problem[];
  onChange: (held: Filled) => void;
  isReadOnly?: boolean;
  label?: ReactNode;
  /** In the place of what the schema says about leaving it empty. */
  note?: string;
}

export function SchemaField(props: SchemaFieldProps) {
  const { t } = useWords();
  const { field, held } = props;
  const isGroup = field.kind === "list" || field.kind === "map" || field.kind === "object";
  if (isGroup && typeof held !== "string") return <Group {...props} />;
  return (
    <Labelled
      label={props.label ?? <code className="text-[13px]">{field.name}</code>}
      note={props.note ?? (field.isRequired ? t("params.required") : undefined)}
      hint={field.description}
      problems={within(props.problems, props.path)}
    >
      {(attributes) => (
        <>
          <Scalar {...props} attributes={attributes} />
          {field.isNullable && !props.isReadOnly && (
            <label className="flex items-center gap-2 text-xs text-soft">
              <input
                type="checkbox"
                checked={held === null}
                onChange={(event) => props.onChange(event.target.checked ? null : undefined)}
              />
              {t("form.nothing")}
            </label>
          )}
        </>
      )}
    </Labelled>
  );
}

function Scalar({ field, held, onChange, isReadOnly, attributes }: SchemaFieldProps & { attributes: FieldAttributes }) {
  const words = useWords();
  const text = typeof held === "string" ? held : "";
  const placeholder = held === null ? "null" : fallbackText(words, field);
  const shared = { ...attributes, className: "field", disabled: isReadOnly || held === null };
  const set = (next: string) => onChange(next === "" ? undefined : next);
  if (field.kind === "boolean" || field.kind === "enum") {
    return <Choice field={field} text={text} placeholder={placeholder} shared={shared} set={set} />;
  }
  if (field.kind === "long" || field.kind === "json") {
    return (
      <textarea
        {...shared}
        className="field font-mono text-[13px]"
        rows={field.kind === "json" ? 4 : 3}
        spellCheck={false}
        placeholder={placeholder}
        value={text}
        onChange={(event) => set(event.target.value)}
      />
    );
  }
  const isNumber = field.kind === "number" || field.kind === "integer";
  return (
    <input
      {...shared}
      type="text"
      inputMode={isNumber ? "decimal" : "text"}
      autoComplete="off"
      spellCheck={false}
      placeholder={placeholder || range(field)}
      value={text}
      onChange={(event) => set(event.target.value)}
    />
  );
}

interface ChoiceProps {
  field: FormField;
  text: string;
  placeholder: string;
  shared: FieldAttributes & { className: string; disabled: boolean | undefined };
  set: (text: string) => void;
}

const TEMPLATE = "{{ }}";

/** A choice, or a template in its place. */
function Choice({ field, text, placeholder, shared, set }: ChoiceProps) {
  const { t } = useWords();
  const choices = field.kind === "boolean" ? ["true", "false"] : field.choices;
  const isOther = text !== "" && !choices.includes(text);
  return (
    <>
      <select {...shared} value={isOther ? TEMPLATE : text} onChange={(event) => set(event.target.value)}>
        <option value="">{placeholder}</option>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {field.kind === "boolean" ? t(choice === "true" ? "form.yes" : "form.no") : choice}
          </option>
        ))}
        <option value={TEMPLATE}>{t("form.template")}</option>
      </select>
      {isOther && (
        <input
          className="field font-mono text-[13px]"
          aria-label={`${field.name}: ${t("form.template")}`}
          disabled={shared.disabled}
          value={text}
          onChange={(event) => set(event.target.value)}
        />
      )}
    </>
  );
}

/** A list, a map or an object: its own fields, framed. */
function Group(props: SchemaFieldProps) {
  const { t } = useWords();
  const { field, held, path, problems, onChange, isReadOnly } = props;
  const isObject = field.kind === "object";
  const members = held && typeof held === "object" && "members" in held ? held.members : {};
  const entries = held && typeof held === "object" && "entries" in held ? held.entries : [];
  const setEntries = (next: Entry[]) => onChange(next.length > 0 ? { entries: next } : undefined);
  return (
    <fieldset className="stack gap-3 rounded-lg border border-line p-3 sm:col-span-2">
      <legend className="px-1 font-medium">
        {props.label ?? <code className="text-[13px]">{field.name}</code>}
        {field.isRequired && <span className="ml-2 text-xs font-normal text-faint">{t("params.required")}</span>}
      </legend>
      {field.description && <p className="text-xs text-soft">{field.description}</p>}
      <Wrong problems={field.kind === "map" ? within(problems, path) : at(problems, path)} />
      {isObject && (
        <div className="grid gap-3 sm:grid-cols-2">
          {field.members.map((member) => (
            <SchemaField
              key={member.name}
              {...props}
              label={undefined}
              field={member}
              held={members[member.name]}
              path={memberPath(path, member.name)}
              onChange={(next) => onChange({ members: { ...members, [member.name]: next } })}
            />
          ))}
        </div>
      )}
      {entries.map((entry, place) => (
        <Row
          key={entry.id}
          {...props}
          entry={entry}
          place={place}
          onEntry={(next) => setEntries(entries.map((each) => (each === entry ? next : each)))}
          onRemove={() => setEntries(entries.filter((each) => each !== entry))}
        />
      ))}
      {!isObject && !isReadOnly && (
        <Button
          size="small"
          className="justify-self-start"
          onClick={() => setEntries([...entries, entryOf(emptyItem(field))])}
        >
          <Plus size={13} aria-hidden="true" />
          {t("form.add", { name: field.name })}
        </Button>
      )}
    </fieldset>
  );
}

interface RowProps extends SchemaFieldProps {
  entry: Entry;
  place: number;
  onEntry: (entry: Entry) => void;
  onRemove: () => void;
}

function Row({ entry, place, onEntry, onRemove, ...props }: RowProps) {
  const { t } = useWords();
  const { field, isReadOnly } = props;
  const item: FormField = { ...(field.item as FormField), name: `${place + 1}`, description: "" };
  return (
    <div className="flex items-start gap-2">
      {field.kind === "map" && (
        <input
          className="field w-2/5"
          aria-label={t("form.key", { name: field.name, place: place + 1 })}
          placeholder={t("form.key_placeholder")}
          disabled={isReadOnly}
          value={entry.key}
          onChange={(event) => onEntry({ ...entry, key: event.target.value })}
        />
      )}
      <div className="min-w-0 flex-1">
        {field.kind === "map" ? (
          <input
            className="field"
            aria-label={t("form.value", { name: field.name, place: place + 1 })}
            disabled={isReadOnly}
            value={typeof entry.value === "string" ? entry.value : ""}
            onChange={(event) => onEntry({ ...entry, value: event.target.value })}
          />
        ) : (
          <SchemaField
            {...props}
            label={`${field.name} ${place + 1}`}
            field={item}
            held={entry.value}
            path={`${props.path}[${place}]`}
            onChange={(value) => onEntry({ ...entry, value })}
          />
        )}
      </div>
      {!isReadOnly && (
        <button
          type="button"
          onClick={onRemove}
          aria-label={t("form.remove", { name: field.name, place: place + 1 })}
          className="grid size-9 shrink-0 place-items-center rounded-lg text-faint hover:bg-raised hover:text-danger"
        >
          <X size={15} aria-hidden="true" />
        </button>
      )}
    </div>
  );
}

function emptyItem(field: FormField): Filled {
  if (field.item?.kind === "object") return { members: {} };
  return field.item && field.kind === "list" ? fill(field.item, undefined) : "";
}

/** What counts when it is left empty, in words. */
function fallbackText({ t }: Words, field: FormField): string {
  const { fallback } = field;
  if (fallback === undefined || fallback === null || fallback === "") return "";
  if (typeof fallback === "boolean") return t("form.default", { value: t(fallback ? "form.yes" : "form.no") });
  if (typeof fallback === "object" || isTemplate(fallback)) return "";
  return t("form.default", { value: String(fallback) });
}

function range({ min, max }: FormField): string {
  return min === undefined || max === undefined ? "" : `${min} – ${max}`;
}
