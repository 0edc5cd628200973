/** Which devices a run is for, as the form has it and as the server is asked. */

import type { Device } from "../../api/schema";

export type TargetKind = "all" | "numbers" | "tags" | "picked" | "pool";
export type NumberOrRange = number | [number, number];

export interface TargetForm {
  kind: TargetKind;
  numbers: string;
  tags: readonly string[];
  picked: ReadonlySet<number>;
  /** Of a pool: how many phones, whichever are free first. */
  count: string;
}

export const EVERYWHERE: TargetForm = { kind: "all", numbers: "", tags: [], picked: new Set(), count: "1" };
const MOST_IN_POOL = 1_000_000;

/** How many phones a pool is to have; null where that is no such number. */
export function parseCount(text: string): number | null {
  const count = /^\s*\d{1,7}\s*$/.test(text) ? Number(text) : 0;
  return count >= 1 && count <= MOST_IN_POOL ? count : null;
}

/** "1-20, 57" as the server wants it; null where it is not understood. */
export function parseNumbers(text: string): NumberOrRange[] | null {
  const parts = text.split(/[\s,]+/).filter((part) => part !== "");
  const parsed: NumberOrRange[] = [];
  for (const part of parts) {
    const match = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(part);
    if (!match?.[1]) return null;
    const from = Number(match[1]);
    const to = match[2] === undefined ? from : Number(match[2]);
    if (from < 1 || to < from) return null;
    parsed.push(from === to ? from : [from, to]);
  }
  return parsed;
}

/** Numbers as short as they can be said: neighbours become ranges. */
export function toRanges(numbers: Iterable<number>): NumberOrRange[] {
  const ranges: [number, number][] = [];
  for (const each of [...numbers].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && each <= last[1] + 1) last[1] = each;
    else ranges.push([each, each]);
  }
  return ranges.map(([from, to]) => (from === to ? from : [from, to]));
}

export function formatRanges(ranges: readonly NumberOrRange[]): string {
  return ranges.map((each) => (typeof each === "number" ? String(each) : `${each[0]}-${each[1]}`)).join(", ");
}

/** What the server is asked; null while the form says nothing that could be asked. */
export function targetOf(form: TargetForm): Record<string, unknown> | null {
  if (form.kind === "all") return { all: true };
  if (form.kind === "tags") return form.tags.length > 0 ? { tags: [...form.tags] } : null;
  if (form.kind === "pool") {
    const any = parseCount(form.count);
    return any === null ? null : { any, ...(form.tags.length > 0 ? { tags: [...form.tags] } : {}) };
  }
  const indexes = form.kind === "picked" ? toRanges(form.picked) : parseNumbers(form.numbers);
  return indexes && indexes.length > 0 ? { indexes } : null;
}

/** The devices that the form means, of those that there are; of a pool, all that could be taken. */
export function devicesOf(form: TargetForm, devices: readonly Device[]): Device[] {
  if (form.kind === "all") return [...devices];
  if (form.kind === "tags" || form.kind === "pool") {
    return form.tags.length === 0 && form.kind === "tags"
      ? []
      : devices.filter((device) => form.tags.every((tag) => device.tags.includes(tag)));
  }
  if (form.kind === "picked") return devices.filter((device) => form.picked.has(device.index_no));
  const ranges = parseNumbers(form.numbers) ?? [];
  return devices.filter(({ index_no: index }) =>
    ranges.some((each) => (typeof each === "number" ? each === index : each[0] <= index && index <= each[1])),
  );
}
