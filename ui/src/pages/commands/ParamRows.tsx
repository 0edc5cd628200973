/** The parameters that a command asset leaves open: a playbook binds them, or each run gives them. */

import { Plus, X } from "lucide-react";
import type { ParamSpec } from "../../api/schema";
import { Button } from "../../components/Button";
import { useWords } from "../../i18n/text";
import { newRow, type ParamRow } from "./commandDraft";
import { Wrong } from "./Labelled";
import { type Problem, within } from "./problems";
import { memberPath } from "./schemaFields";

const TYPES: ParamSpec["type"][] = ["string", "int", "number", "boolean", "enum"];

interface ParamRowsProps {
  rows: readonly ParamRow[];
  problems: readonly Problem[];
  onChange: (rows: readonly ParamRow[]) => void;
}

export function ParamRows({ rows, problems, onChange }: ParamRowsProps) {
  const { t } = useWords();
  return (
    <div className="stack gap-3">
      {rows.map((row, place) => (
        <Row
          key={row.id}
          row={row}
          place={place + 1}
          problems={within(problems, memberPath("params", row.name.trim()))}
          onChange={(next) => onChange(rows.map((each) => (each === row ? next : each)))}
          onRemove={() => onChange(rows.filter((each) => each !== row))}
        />
      ))}
      <Button size="small" className="justify-self-start" onClick={() => onChange([...rows, newRow()])}>
        <Plus size={13} aria-hidden="true" />
        {t("param_rows.add")}
      </Button>
    </div>
  );
}

interface RowProps {
  row: ParamRow;
  place: number;
  problems: readonly string[];
  onChange: (row: ParamRow) => void;
  onRemove: () => void;
}

function Row({ row, place, problems, onChange, onRemove }: RowProps) {
  const { t } = useWords();
  const label = (key: Parameters<typeof t>[0]) => `${t(key)} (${place})`;
  const set = (change: Partial<ParamRow>) => onChange({ ...row, ...change });
  return (
    <div className="stack gap-2 rounded-lg border border-line p-3">
      <div className="flex flex-wrap items-center gap-2">
        <input
          className="field w-40 font-mono text-[13px]"
          aria-label={label("param_rows.name")}
          aria-invalid={problems.length > 0}
          placeholder={t("param_rows.name")}
          spellCheck={false}
          value={row.name}
          onChange={(event) => set({ name: event.target.value })}
        />
        <select
          className="field w-28"
          aria-label={label("param_rows.type")}
          value={row.type}
          onChange={({ target }) =>
            set({ type: target.value as ParamSpec["type"], ...(target.value === "string" ? {} : { isSecret: false }) })
          }
        >
          {TYPES.map((type) => (
            <option key={type} value={type}>
              {type}
            </option>
          ))}
        </select>
        <input
          className="field min-w-40 flex-1"
          aria-label={label("param_rows.description")}
          placeholder={t("param_rows.description")}
          value={row.description}
          onChange={(event) => set({ description: event.target.value })}
        />
        <button
          type="button"
          onClick={onRemove}
          aria-label={`${t("param_rows.remove")}: ${row.name || place}`}
          className="grid size-9 place-items-center rounded-lg text-faint hover:bg-raised hover:text-danger"
        >
          <X size={15} aria-hidden="true" />
        </button>
      </div>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        {row.type === "enum" && (
          <input
            className="field max-w-72"
            aria-label={label("param_rows.choices")}
            placeholder={t("param_rows.choices")}
            value={row.choices}
            onChange={(event) => set({ choices: event.target.value })}
          />
        )}
        {!row.isSecret && (
          <span className="flex items-center gap-2">
            <label className="flex items-center gap-2">
              <input
                type="checkbox"
                checked={row.fallback !== undefined}
                onChange={(event) => set({ fallback: event.target.checked ? "" : undefined })}
              />
              {t("param_rows.has_default")}
            </label>
            {row.fallback !== undefined && (
              <input
                className="field w-44"
                aria-label={label("param_rows.default")}
                value={row.fallback ?? ""}
                onChange={(event) => set({ fallback: event.target.value })}
              />
            )}
          </span>
        )}
        {row.type === "string" && (
          <label className="flex items-center gap-2">
            <input
              type="checkbox"
              checked={row.isSecret}
              onChange={(event) =>
                set({ isSecret: event.target.checked, ...(event.target.checked ? { fallback: undefined } : {}) })
              }
            />
            {t("param_rows.secret")}
          </label>
        )}
      </div>
      <Wrong problems={problems} />
    </div>
  );
}
