/** One step of a playbook: which command, how likely, how long, what if it fails, with which values. */

import { ChevronDown, ChevronUp, GripVertical, X } from "lucide-react";
import type { KeyboardEvent, PointerEvent, ReactNode } from "react";
import type { Command } from "../../api/schema";
import type { MessageKey } from "../../i18n/en";
import { useWords } from "../../i18n/text";
import { type DraftStep, mayRetry, paramFieldsOf } from "./draft";
import { Labelled, Wrong } from "./Labelled";
import { OnFailureField } from "./OnFailureField";
import { Probability } from "./Probability";
import { at, type Problem, within } from "./problems";
import { SchemaField } from "./SchemaField";
import { memberPath } from "./schemaFields";

interface StepCardProps {
  step: DraftStep;
  place: number;
  count: number;
  commands: ReadonlyMap<string, Command>;
  bounds: readonly number[];
  problems: readonly Problem[];
  /** What happens on failure where neither step nor command says so. */
  usual: "stop" | "continue" | "retry";
  isReadOnly: boolean;
  isLifted: boolean;
  /** Where the dragged step would be put down. */
  mark: "above" | "below" | null;
  onGrab: (event: PointerEvent) => void;
  onMove: (to: number) => void;
  onChange: (change: Partial<DraftStep>) => void;
  onRemove: () => void;
}

export function StepCard(props: StepCardProps) {
  const { step, place, commands, problems, isReadOnly } = props;
  const command = commands.get(step.command);
  const path = `steps[${place}]`;
  const ofCommand = [...at(problems, path), ...within(problems, `${path}.command`)];
  return (
    <li
      data-testid="step"
      data-command={step.command}
      className={`card relative ${props.isLifted ? "opacity-50" : ""} ${ofCommand.length > 0 ? "border-danger" : ""}`}
    >
      {props.mark && (
        <span
          aria-hidden="true"
          className={`absolute inset-x-0 h-1 rounded-full bg-accent ${props.mark === "above" ? "-top-2" : "-bottom-2"}`}
        />
      )}
      <Head {...props} command={command} />
      <div className="px-4 pb-4">
        <Wrong problems={ofCommand} />
        <fieldset disabled={isReadOnly} className="grid grid-cols-2 gap-4 pt-1 xl:grid-cols-[1.3fr_1fr_1.5fr]">
          <div className="col-span-2 xl:col-span-1">
            <Probability
              value={step.probability}
              problems={within(problems, `${path}.probability`)}
              onChange={(probability) => props.onChange({ probability })}
            />
          </div>
          <Timeout {...props} command={command} path={path} />
          <OnFailureField
            onFailure={step.onFailure}
            retries={step.retries}
            isRetrying={mayRetry(step, command, props.usual)}
            usual={(step.onFailure ? null : command?.retries) ?? 1}
            standard={useStandard(command, props.usual)}
            path={path}
            problems={problems}
            onChange={props.onChange}
          />
        </fieldset>
        <Bindings {...props} command={command} path={path} />
      </div>
    </li>
  );
}

type PartProps = StepCardProps & { command: Command | undefined };

function Head(props: PartProps) {
  const { t } = useWords();
  const { step, place, count, command, isReadOnly } = props;
  const name = step.id || step.command;
  function onKey(event: KeyboardEvent): void {
    const to = { ArrowUp: place - 1, ArrowDown: place + 1, Home: 0, End: count - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    props.onMove(to);
  }
  return (
    <div className="flex items-center gap-2 px-2 py-2">
      {isReadOnly ? (
        <span className="w-2" />
      ) : (
        <button
          type="button"
          data-testid="handle"
          aria-label={t("builder.handle", { name, place: place + 1, count })}
          title={t("builder.handle_hint")}
          onPointerDown={props.onGrab}
          onKeyDown={onKey}
          className="grid size-8 shrink-0 cursor-grab touch-none place-items-center rounded-lg text-faint hover:bg-raised hover:text-ink active:cursor-grabbing"
        >
          <GripVertical size={16} aria-hidden="true" />
        </button>
      )}
      <span className="w-5 shrink-0 text-right text-faint tabular-nums">{place + 1}</span>
      <div className="min-w-0 flex-1 px-1">
        <span className="block truncate font-medium">{command?.title || step.command}</span>
        <span className="block truncate text-xs text-faint">
          {command?.title && `${step.command} · `}
          <span className="font-mono">{command?.uses ?? t("builder.no_command")}</span>
        </span>
      </div>
      {!isReadOnly && (
        <>
          <Small label="builder.up" name={name} isOff={place === 0} onClick={() => props.onMove(place - 1)}>
            <ChevronUp size={16} aria-hidden="true" />
          </Small>
          <Small label="builder.down" name={name} isOff={place === count - 1} onClick={() => props.onMove(place + 1)}>
            <ChevronDown size={16} aria-hidden="true" />
          </Small>
          <Small label="builder.remove" name={name} isOff={false} onClick={props.onRemove}>
            <X size={16} aria-hidden="true" />
          </Small>
        </>
      )}
    </div>
  );
}

function Small(props: { label: MessageKey; name: string; isOff: boolean; onClick: () => void; children: ReactNode }) {
  const { t } = useWords();
  return (
    <button
      type="button"
      aria-label={`${t(props.label)}: ${props.name}`}
      title={t(props.label)}
      disabled={props.isOff}
      onClick={props.onClick}
      className="grid size-8 shrink-0 place-items-center rounded-lg text-faint hover:bg-raised hover:text-ink disabled:opacity-30"
    >
      {props.children}
    </button>
  );
}

function Timeout({ step, command, bounds, problems, path, onChange }: PartProps & { path: string }) {
  const { t } = useWords();
  const [least = 1, greatest = 3600] = command?.timeout_bounds_s ?? bounds;
  const standard = command?.timeout_s;
  return (
    <Labelled
      label={t("builder.timeout")}
      hint={t("builder.timeout_hint", { least, greatest })}
      problems={within(problems, `${path}.timeout_s`)}
    >
      {(attributes) => (
        <input
          {...attributes}
          className="field"
          inputMode="decimal"
          autoComplete="off"
          placeholder={standard ? t("form.default", { value: standard }) : t("builder.standard")}
          value={step.timeout}
          onChange={(event) => onChange({ timeout: event.target.value })}
        />
      )}
    </Labelled>
  );
}

/** The command's parameters, and the step's own id for templates that speak of it. */
function Bindings({ step, command, problems, path, isReadOnly, onChange }: PartProps & { path: string }) {
  const { t } = useWords();
  const known = paramFieldsOf(command);
  const unknown = Object.keys(step.params).filter((name) => !known.some((field) => field.name === name));
  const where = memberPath(path, "params");
  return (
    <>
      {known.length + unknown.length > 0 && (
        <fieldset disabled={isReadOnly} className="mt-4 grid gap-4 border-t border-line pt-4 sm:grid-cols-2">
          <legend className="sr-only">{t("builder.params")}</legend>
          {known.map((field) =>
            field.isSecret ? (
              <p key={field.name} className="text-xs text-soft">
                <code className="text-[13px] font-medium text-ink">{field.name}</code> {t("builder.secret")}
                <Wrong problems={within(problems, memberPath(where, field.name))} />
              </p>
            ) : (
              <SchemaField
                key={field.name}
                field={field}
                held={step.params[field.name]}
                path={memberPath(where, field.name)}
                problems={problems}
                note={t(step.params[field.name] === undefined ? "builder.left_open" : "builder.bound")}
                onChange={(held) => onChange({ params: withParam(step.params, field.name, held) })}
              />
            ),
          )}
          {unknown.map((name) => (
            <p key={name} className="text-xs">
              <code className="text-[13px]">{name}</code> <Wrong problems={within(problems, memberPath(where, name))} />{" "}
              <button
                type="button"
                className="text-accent hover:underline"
                onClick={() => onChange({ params: withParam(step.params, name, undefined) })}
              >
                {t("builder.forget")}
              </button>
            </p>
          ))}
        </fieldset>
      )}
      <details className="mt-3 text-soft" open={within(problems, `${path}.id`).length > 0 || undefined}>
        <summary className="w-fit text-xs">{t("builder.more")}</summary>
        <fieldset disabled={isReadOnly} className="mt-3 max-w-72">
          <Labelled label={t("builder.id")} hint={t("builder.id_hint")} problems={within(problems, `${path}.id`)}>
            {(attributes) => (
              <input
                {...attributes}
                className="field font-mono text-[13px]"
                spellCheck={false}
                value={step.id}
                onChange={(event) => onChange({ id: event.target.value })}
              />
            )}
          </Labelled>
        </fieldset>
      </details>
    </>
  );
}

function withParam(params: DraftStep["params"], name: string, held: DraftStep["params"][string]): DraftStep["params"] {
  const { [name]: _, ...others } = params;
  return held === undefined ? others : { ...others, [name]: held };
}

function useStandard(command: Command | undefined, usual: StepCardProps["usual"]): string {
  const { t } = useWords();
  const own = command?.on_failure;
  if (own !== "stop" && own !== "continue" && own !== "retry")
    return t("builder.as_usual", { what: t(`builder.${usual}`) });
  return t("form.default", { value: t(`builder.${own}`) });
}
