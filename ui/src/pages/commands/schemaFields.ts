/** From the JSON Schema of what an action is given to the fields of a form, and between values and what fields hold. */

import type { ActionContract, ParamSpec } from "../../api/schema";

export type FieldKind =
  | "text"
  | "long"
  | "number"
  | "integer"
  | "boolean"
  | "enum"
  | "list"
  | "map"
  | "object"
  | "json";

export interface FormField {
  name: string;
  kind: FieldKind;
  description: string;
  isRequired: boolean;
  /** Whether null says something else than leaving it out. */
  isNullable: boolean;
  /** What counts when nothing is given. */
  fallback: unknown;
  choices: readonly string[];
  min: number | undefined;
  max: number | undefined;
  /** Of a list or a map. */
  item: FormField | undefined;
  /** Of an object. */
  members: readonly FormField[];
}

export interface Entry {
  id: number;
  key: string;
  value: Filled;
}

/**
 * What a field holds while it is edited: text for whatever is typed, nothing for what is not given. A template may stand
 * in the place of anything, so text may be there whatever the kind.
 */
export type Filled = undefined | null | string | { entries: Entry[] } | { members: Record<string, Filled> };
export type FilledForm = Record<string, Filled>;

interface Schema {
  $ref?: string;
  $defs?: Record<string, Schema>;
  type?: string;
  enum?: unknown[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
  required?: string[];
  default?: unknown;
  description?: string;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
}

const LONG = 10_000;
let lastId = 0;

export function fieldsOf(action: ActionContract): FormField[] {
  const root = action.args_schema as Schema;
  return objectFields(root, root);
}

/** A command's parameter as a field of the step that binds it. */
export function paramField(name: string, spec: ParamSpec): FormField {
  const kinds = { string: "text", int: "integer", number: "number", boolean: "boolean", enum: "enum" } as const;
  return {
    ...plainField(name, kinds[spec.type]),
    description: spec.description ?? "",
    fallback: spec.default,
    choices: spec.choices ?? [],
  };
}

export function plainField(name: string, kind: FieldKind): FormField {
  return {
    name,
    kind,
    description: "",
    isRequired: false,
    isNullable: false,
    fallback: undefined,
    choices: [],
    min: undefined,
    max: undefined,
    item: undefined,
    members: [],
  };
}

export function isTemplate(held: unknown): held is string {
  return typeof held === "string" && held.includes("{{");
}

/** A row of a list or a map, of its own whatever happens to the others. */
export function entryOf(value: Filled, key = ""): Entry {
  lastId += 1;
  return { id: lastId, key, value };
}

/** What the form shows of a value. One that does not fit its field is shown as JSON, which loses nothing. */
export function fill(field: FormField, value: unknown): Filled {
  if (value === undefined || value === null) return value as undefined | null;
  if (isTemplate(value)) return value;
  if (field.kind === "list" && Array.isArray(value)) {
    return { entries: value.map((each) => entryOf(fill(itemOf(field), each))) };
  }
  if (isRecord(value) && field.kind === "map") {
    return { entries: Object.entries(value).map(([key, each]) => entryOf(fill(itemOf(field), each), key)) };
  }
  if (isRecord(value) && field.kind === "object") return { members: fillAll(field.members, value) };
  if (field.kind === "json") return JSON.stringify(value, null, 2);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

export function fillAll(fields: readonly FormField[], values: Record<string, unknown>): FilledForm {
  return Object.fromEntries(fields.map((field) => [field.name, fill(field, values[field.name])]));
}

/** The value of what a field holds. What cannot be read as what it should be is sent as it is: the server says what is wrong. */
export function read(field: FormField, held: Filled): unknown {
  if (held === undefined || held === null || isTemplate(held)) return held;
  if (typeof held === "string") return readText(field, held);
  if ("members" in held) return readAll(field.members, held.members);
  const item = itemOf(field);
  if (field.kind === "map") {
    return Object.fromEntries(held.entries.map(({ key, value }) => [key, read(item, value) ?? ""]));
  }
  return held.entries.map(({ value }) => read(item, value) ?? "");
}

/** The values of a form, without what is not given. */
export function readAll(fields: readonly FormField[], form: FilledForm): Record<string, unknown> {
  const read_ = fields.map((field) => [field.name, read(field, form[field.name])] as const);
  return Object.fromEntries(read_.filter(([, value]) => value !== undefined));
}

/** What a number field holds as a number, or as it stands. */
export function readNumber(text: string): number | string {
  const trimmed = text.trim();
  return trimmed !== "" && Number.isFinite(Number(trimmed)) ? Number(trimmed) : text;
}

/** The path of a member, spelt as the server spells it. */
export function memberPath(path: string, key: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_-]*$/.test(key)) return `${path}[${JSON.stringify(key.slice(0, 80))}]`;
  return path ? `${path}.${key}` : key;
}

function readText(field: FormField, text: string): unknown {
  switch (field.kind) {
    case "number":
    case "integer":
      return readNumber(text);
    case "boolean":
      return text === "true" ? true : text === "false" ? false : text;
    case "json":
    case "list":
    case "map":
    case "object":
      try {
        return JSON.parse(text);
      } catch {
        return text;
      }
    default:
      return text;
  }
}

function objectFields(schema: Schema, root: Schema): FormField[] {
  const { properties = {}, required = [] } = follow(schema, root);
  return Object.entries(properties).map(([name, each]) => ({
    ...fieldOf(name, each, root),
    isRequired: required.includes(name),
  }));
}

function fieldOf(name: string, given: Schema, root: Schema): FormField {
  const schema = follow(given, root);
  const options = schema.anyOf?.map((each) => follow(each, root)) ?? [];
  const option = options.find((each) => each.type !== "null");
  const inner = option ?? schema;
  const fallback = schema.default;
  return {
    ...plainField(name, kindOf(inner)),
    description: schema.description ?? inner.description ?? "",
    fallback,
    isNullable: options.some((each) => each.type === "null") && fallback !== null,
    choices: (inner.enum ?? []).map(String),
    min: inner.minimum,
    max: inner.maximum,
    item: itemSchema(inner) && fieldOf("", itemSchema(inner) as Schema, root),
    members: inner.type === "object" && inner.properties ? objectFields(inner, root) : [],
  };
}

function kindOf(schema: Schema): FieldKind {
  if (schema.enum) return "enum";
  switch (schema.type) {
    case "string":
      return (schema.maxLength ?? 0) >= LONG ? "long" : "text";
    case "number":
    case "integer":
    case "boolean":
      return schema.type;
    case "array":
      return "list";
    case "object":
      return schema.properties ? "object" : typeof schema.additionalProperties === "object" ? "map" : "json";
    default:
      return "json";
  }
}

function itemSchema(schema: Schema): Schema | undefined {
  if (schema.type === "array") return schema.items ?? {};
  return typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
}

function follow(schema: Schema, root: Schema): Schema {
  const name = schema.$ref?.replace("#/$defs/", "");
  const found = name ? root.$defs?.[name] : undefined;
  return found ? { ...found, ...schema } : schema;
}

function itemOf(field: FormField): FormField {
  return field.item ?? plainField("", "json");
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
