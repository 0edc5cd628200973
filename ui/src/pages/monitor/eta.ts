/** When a run may be expected to end: as fast as it went so far. */

import type { MonitoredRun } from "../../api/schema";

const ENOUGH = 3;

/** Seconds left, or null while nothing sensible can be said. */
export function secondsLeft(run: MonitoredRun, now: number): number | null {
  if (run.finished_at !== null || run.started_at === null) return null;
  const { total, waiting, running } = run.counts;
  const ended = total - waiting - running;
  if (ended < ENOUGH) return null;
  const took = Math.max(0, now - Date.parse(run.started_at)) / 1000;
  // What runs is half done, on average.
  return (took / (ended + running / 2)) * (waiting + running / 2);
}

/** How much has ended, 0 to 1. */
export function shareEnded(run: MonitoredRun): number {
  const { total, waiting, running } = run.counts;
  return total === 0 ? (run.finished_at ? 1 : 0) : (total - waiting - running) / total;
}
