/** Whether things get better: the later half of the window against the earlier one. */

import type { Hour } from "../api/schema";

export interface Trend {
  change: number;
  unit: "points" | "count";
}

export function trendsOf(hours: readonly Hour[]): { success: Trend | null; runs: Trend | null } {
  const middle = Math.floor(hours.length / 2);
  const earlier = sum(hours.slice(0, middle));
  const later = sum(hours.slice(hours.length - middle));
  return {
    success:
      earlier.rate === null || later.rate === null ? null : { change: later.rate - earlier.rate, unit: "points" },
    runs: earlier.runs === 0 ? null : { change: later.runs - earlier.runs, unit: "count" },
  };
}

function sum(hours: readonly Hour[]): { rate: number | null; runs: number } {
  let [succeeded, failed, runs] = [0, 0, 0];
  for (const hour of hours) {
    succeeded += hour.succeeded;
    failed += hour.failed;
    runs += hour.runs_started;
  }
  return { rate: succeeded + failed === 0 ? null : succeeded / (succeeded + failed), runs };
}
