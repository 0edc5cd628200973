/** What is run on new videos, as the dialog has it and as the server is asked. */

import type { ContentChannel, ContentChannelChange } from "../../api/schema";
import { formatRanges, type NumberOrRange, parseNumbers } from "../runs/target";

export interface RunForm {
  /** Nothing is run where this is empty. */
  workflow: string;
  /** Numbers and ranges; empty is every device. */
  devices: string;
  cap: string;
}

export function formOf(channel: Pick<ContentChannel, "run" | "run_cap">): RunForm {
  const target = channel.run?.target as { indexes?: NumberOrRange[] } | undefined;
  return {
    workflow: String(channel.run?.workflow ?? ""),
    devices: formatRanges(target?.indexes ?? []),
    cap: String(channel.run_cap),
  };
}

/** The change to ask for; null while the form says nothing that could be asked. What the dialog does not show stays. */
export function changeOf(form: RunForm, channel: Pick<ContentChannel, "run">): ContentChannelChange | null {
  if (form.workflow === "") return { run: null };
  const indexes = parseNumbers(form.devices);
  const cap = Number(form.cap);
  if (indexes === null || !Number.isInteger(cap) || cap < 1 || cap > 1000) return null;
  const kept = channel.run?.workflow === form.workflow ? channel.run : {};
  const shown = (kept.target ?? { all: true }) as Record<string, unknown>;
  const isElsewhere = !("indexes" in shown) && !("all" in shown);
  const target = indexes.length > 0 ? { indexes } : isElsewhere ? shown : { all: true };
  return { run: { ...kept, workflow: form.workflow, target }, run_cap: cap };
}
