/** A command asset while it is edited. */

import type { ActionContract, Command, CommandBody, ParamSpec } from "../../api/schema";
import type { OnFailure } from "./draft";
import { type FilledForm, fieldsOf, fill, fillAll, paramField, read, readAll, readNumber } from "./schemaFields";

export interface ParamRow {
  id: number;
  name: string;
  type: ParamSpec["type"];
  /** Nothing where it has no default; null is a default, too. */
  fallback: string | null | undefined;
  description: string;
  choices: string;
  isSecret: boolean;
  /** As it was stored: by default, what has no default is required. */
  required: boolean | null | undefined;
}

export interface CommandDraft {
  name: string;
  title: string;
  description: string;
  tags: string;
  uses: string;
  with: FilledForm;
  params: readonly ParamRow[];
  timeout: string;
  least: string;
  greatest: string;
  onFailure: OnFailure;
  retries: string;
  repeatable: "" | "true" | "false";
}

export const EMPTY_COMMAND: CommandDraft = {
  name: "",
  title: "",
  description: "",
  tags: "",
  uses: "",
  with: {},
  params: [],
  timeout: "",
  least: "",
  greatest: "",
  onFailure: "",
  retries: "",
  repeatable: "",
};

let lastRow = 0;

export function newRow(row: Partial<ParamRow> = {}): ParamRow {
  lastRow += 1;
  return {
    name: "",
    type: "string",
    fallback: undefined,
    description: "",
    choices: "",
    isSecret: false,
    required: undefined,
    ...row,
    id: lastRow,
  };
}

export function commandDraftOf(command: Command, action: ActionContract | undefined): CommandDraft {
  const text = (value: number | null | undefined) => (value === null || value === undefined ? "" : String(value));
  const [least, greatest] = command.timeout_bounds_s ?? [];
  return {
    name: command.name,
    title: command.title ?? "",
    description: command.description ?? "",
    tags: command.tags.join(", "),
    uses: command.uses,
    with: action ? fillAll(fieldsOf(action), command.with_params) : {},
    params: Object.entries(command.params as Record<string, ParamSpec>).map(([name, spec]) => rowOf(name, spec)),
    timeout: text(command.timeout_s),
    least: text(least),
    greatest: text(greatest),
    onFailure: (command.on_failure ?? "") as OnFailure,
    retries: text(command.retries),
    repeatable: command.repeatable === null ? "" : command.repeatable ? "true" : "false",
  };
}

/** What the server is asked to keep. */
export function commandBodyOf(draft: CommandDraft, action: ActionContract | undefined): CommandBody {
  const given = action ? readAll(fieldsOf(action), draft.with) : {};
  const body = {
    name: draft.name.trim(),
    uses: draft.uses,
    ...(draft.title.trim() ? { title: draft.title.trim() } : {}),
    ...(draft.description.trim() ? { description: draft.description.trim() } : {}),
    ...(Object.keys(given).length > 0 ? { with: given } : {}),
    ...(draft.params.length > 0
      ? { params: Object.fromEntries(draft.params.map((row) => [row.name.trim(), specOf(row)])) }
      : {}),
    ...(draft.timeout.trim() ? { timeout_s: readNumber(draft.timeout) } : {}),
    ...(draft.least.trim() || draft.greatest.trim()
      ? { timeout_bounds_s: [readNumber(draft.least), readNumber(draft.greatest)] }
      : {}),
    ...(draft.onFailure ? { on_failure: draft.onFailure } : {}),
    ...(draft.retries.trim() && draft.onFailure === "retry" ? { retries: readNumber(draft.retries) } : {}),
    ...(draft.repeatable ? { repeatable: draft.repeatable === "true" } : {}),
    tags: wordsOf(draft.tags),
  };
  return body as unknown as CommandBody;
}

/** Parameters of one name: an object can hold only one of them, so this the server never sees. */
export function twiceNamed(draft: CommandDraft): string[] {
  const names = draft.params.map((row) => row.name.trim());
  return [...new Set(names.filter((name, place) => name !== "" && names.indexOf(name) !== place))];
}

/** Words between commas, each once. */
export function wordsOf(text: string): string[] {
  const words = text.split(",").map((each) => each.trim());
  return [...new Set(words.filter((each) => each !== ""))];
}

function rowOf(name: string, spec: ParamSpec): ParamRow {
  const held = fill(paramField(name, spec), spec.default);
  return newRow({
    name,
    type: spec.type,
    fallback: typeof held === "object" ? null : held,
    description: spec.description ?? "",
    choices: (spec.choices ?? []).join(", "),
    isSecret: spec.secret ?? false,
    required: spec.required,
  });
}

function specOf(row: ParamRow): ParamSpec {
  const spec: ParamSpec = { type: row.type };
  const fallback = read(paramField(row.name, spec), row.fallback);
  return {
    ...spec,
    ...(row.description.trim() ? { description: row.description.trim() } : {}),
    ...(fallback === undefined ? {} : { default: fallback as string | number | boolean | null }),
    ...(row.type === "enum" ? { choices: wordsOf(row.choices) } : {}),
    ...(row.isSecret ? { secret: true } : {}),
    ...(row.required === undefined || row.required === null ? {} : { required: row.required }),
  };
}
