/** A playbook while it is being built: what its form holds, and what the server is asked to make of it. */

import type { Command, ParamSpec, Playbook, PlaybookBody } from "../../api/schema";
import { type Filled, type FormField, fill, paramField, read, readNumber } from "./schemaFields";

export type OnFailure = "" | "stop" | "continue" | "retry";

export interface DraftStep {
  /** Names the step while it is edited, whatever becomes of its place or id. */
  key: string;
  command: string;
  id: string;
  probability: number;
  timeout: string;
  onFailure: OnFailure;
  retries: string;
  params: Record<string, Filled>;
}

export interface Draft {
  name: string;
  title: string;
  description: string;
  timeout: string;
  /** What steps take when they state nothing: kept as it was saved. */
  defaults: Record<string, unknown>;
  steps: readonly DraftStep[];
}

export const EMPTY_DRAFT: Draft = { name: "", title: "", description: "", timeout: "", defaults: {}, steps: [] };

let lastKey = 0;

export function newStep(command: string): DraftStep {
  lastKey += 1;
  return {
    key: `step-${lastKey}`,
    command,
    id: "",
    probability: 1,
    timeout: "",
    onFailure: "",
    retries: "",
    params: {},
  };
}

export function paramFieldsOf(command: Command | undefined): (FormField & { isSecret: boolean })[] {
  const specs = Object.entries((command?.params ?? {}) as Record<string, ParamSpec>);
  return specs.map(([name, spec]) => ({ ...paramField(name, spec), isSecret: spec.secret ?? false }));
}

export function draftOf(playbook: Playbook, commands: ReadonlyMap<string, Command>): Draft {
  return {
    name: playbook.name,
    title: playbook.title ?? "",
    description: playbook.description ?? "",
    timeout: playbook.timeout_s === null ? "" : String(playbook.timeout_s),
    defaults: playbook.defaults,
    steps: playbook.steps.map((saved) => stepOf(saved, commands)),
  };
}

/** What the server is asked. Numbers that are none are sent as they were typed, and refused with their place. */
export function bodyOf(draft: Draft, commands: ReadonlyMap<string, Command>): PlaybookBody {
  const body = {
    name: draft.name.trim(),
    ...(draft.title.trim() ? { title: draft.title.trim() } : {}),
    ...(draft.description.trim() ? { description: draft.description.trim() } : {}),
    ...(draft.timeout.trim() ? { timeout_s: readNumber(draft.timeout) } : {}),
    ...(Object.keys(draft.defaults).length > 0 ? { defaults: draft.defaults } : {}),
    steps: draft.steps.map((step) => ({
      command: step.command,
      ...(step.id.trim() ? { id: step.id.trim() } : {}),
      ...(step.probability === 1 ? {} : { probability: step.probability }),
      ...(step.timeout.trim() ? { timeout_s: readNumber(step.timeout) } : {}),
      ...(step.onFailure ? { on_failure: step.onFailure } : {}),
      ...(step.retries.trim() && mayRetry(step, commands.get(step.command), usualOf(draft))
        ? { retries: readNumber(step.retries) }
        : {}),
      ...paramsOf(step, commands),
    })),
  };
  return body as unknown as PlaybookBody;
}

/** What happens on failure where neither step nor command says so. */
export function usualOf(draft: Draft): "stop" | "continue" | "retry" {
  const { on_failure: usual } = draft.defaults;
  return usual === "continue" || usual === "retry" ? usual : "stop";
}

/** Whether a step retries: by its own word, else by its command's, else as usual. */
export function mayRetry(step: DraftStep, command: Command | undefined, usual: string): boolean {
  return (step.onFailure || command?.on_failure || usual) === "retry";
}

export function changeStep(draft: Draft, key: string, change: Partial<DraftStep>): Draft {
  return { ...draft, steps: draft.steps.map((step) => (step.key === key ? { ...step, ...change } : step)) };
}

export function addStep(draft: Draft, command: string): Draft {
  return { ...draft, steps: [...draft.steps, newStep(command)] };
}

export function removeStep(draft: Draft, key: string): Draft {
  return { ...draft, steps: draft.steps.filter((step) => step.key !== key) };
}

/** The draft with a step at another place, or the very same draft where that changes nothing. */
export function moveStep(draft: Draft, from: number, to: number): Draft {
  const step = draft.steps[from];
  const place = Math.max(0, Math.min(draft.steps.length - 1, to));
  if (!step || place === from) return draft;
  const others = draft.steps.filter((each) => each !== step);
  return { ...draft, steps: [...others.slice(0, place), step, ...others.slice(place)] };
}

function stepOf(saved: Record<string, unknown>, commands: ReadonlyMap<string, Command>): DraftStep {
  const text = (value: unknown) => (value === null || value === undefined ? "" : String(value));
  const params = (saved.params ?? {}) as Record<string, unknown>;
  const fields = new Map(paramFieldsOf(commands.get(text(saved.command))).map((field) => [field.name, field]));
  return {
    ...newStep(text(saved.command)),
    id: text(saved.id),
    probability: typeof saved.probability === "number" ? saved.probability : 1,
    timeout: text(saved.timeout_s),
    onFailure: text(saved.on_failure) as OnFailure,
    retries: text(saved.retries),
    params: Object.fromEntries(
      Object.entries(params).map(([name, value]) => [name, fill(fields.get(name) ?? paramField(name, ANY), value)]),
    ),
  };
}

const ANY: ParamSpec = { type: "string" };

function paramsOf(step: DraftStep, commands: ReadonlyMap<string, Command>): { params?: Record<string, unknown> } {
  const fields = new Map(paramFieldsOf(commands.get(step.command)).map((field) => [field.name, field]));
  const params = Object.entries(step.params)
    .map(([name, held]) => [name, read(fields.get(name) ?? paramField(name, ANY), held)] as const)
    .filter(([, value]) => value !== undefined);
  return params.length > 0 ? { params: Object.fromEntries(params) } : {};
}
