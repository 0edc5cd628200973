/** Names of states, reasons and errors in the reader's language; what has no name of its own is told as it is. */

import type { JobStatus, RunStatus, StepStatus } from "../api/schema";
import { en, type MessageKey } from "../i18n/en";
import type { Words } from "../i18n/text";
import type { TileState } from "./heatmap/states";

export function stateName({ t }: Words, state: TileState): string {
  return t(`state.${state}`);
}

export function runStatusName({ t }: Words, status: RunStatus): string {
  return t(`run_status.${status}`);
}

export function stepStatusName({ t }: Words, status: StepStatus): string {
  return t(`step_status.${status}`);
}

export function jobStatusName({ t }: Words, status: JobStatus): string {
  return t(`job_status.${status}`);
}

/** A failure in words, and what to do about it; null where the list has no such reason. */
export function failureOf({ t }: Words, reason: string): { title: string; advice: string } | null {
  const key = `failure.${reason}`;
  if (!isMessage(key) || !isMessage(`${key}.advice`)) return null;
  return { title: t(key), advice: t(`${key}.advice` as MessageKey) };
}

export function waitReason({ t }: Words, reason: string, fallback: string): string {
  const key = `wait.${reason}`;
  return isMessage(key) ? t(key) : fallback;
}

export function toDo({ t }: Words, kind: string, count: number, fallback: string): string {
  const key = `to_do.${kind}`;
  return isMessage(key) ? t(key, { count }) : fallback;
}

/** A preset's title and description; those that a server has beyond ours speak for themselves. */
export function presetWords(
  { t }: Words,
  preset: { name: string; title: string; description: string },
): { title: string; detail: string } {
  const key = `preset.${preset.name}`;
  if (!isMessage(key) || !isMessage(`${key}.detail`)) return { title: preset.title, detail: preset.description };
  return { title: t(key), detail: t(`${key}.detail` as MessageKey) };
}

/** How a run's status looks as a tile. */
export function tileOfRun(status: RunStatus): TileState {
  const states: Record<RunStatus, TileState> = {
    queued: "waiting",
    running: "running",
    succeeded: "done",
    completed_with_errors: "quarantined",
    failed: "error",
    cancelled: "cancelled",
    skipped: "offline",
  };
  return states[status];
}

export function tileOfJob(status: JobStatus): TileState {
  const states: Record<JobStatus, TileState> = {
    queued: "waiting",
    leased: "waiting",
    running: "running",
    succeeded: "done",
    failed: "error",
    cancelled: "cancelled",
    skipped_offline: "offline",
  };
  return states[status];
}

export function tileOfStep(status: StepStatus): TileState {
  const states: Record<StepStatus, TileState> = {
    pending: "waiting",
    ready: "waiting",
    running: "running",
    succeeded: "done",
    failed: "error",
    skipped: "offline",
    cancelled: "cancelled",
  };
  return states[status];
}

function isMessage(key: string): key is MessageKey {
  return key in en;
}
