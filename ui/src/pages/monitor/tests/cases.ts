/** Test cases as the matrix shows them. */

import type { Case, CaseCounts, CaseResult } from "../../../api/schema";
import type { Tally, TileState } from "../../../components/heatmap/states";

export type Verdict = Case["verdict"];

const TILES: Record<Verdict, TileState> = {
  passed: "done",
  failed: "error",
  errored: "quarantined",
  skipped: "offline",
  pending: "waiting",
  running: "running",
};
const WORST_FIRST = ["failed", "errored", "skipped", "passed"] as const;
const MOST_COLUMNS = 40;
const SHARED_BELOW = 1.5;

export function tileOfVerdict(verdict: Verdict): TileState {
  return TILES[verdict];
}

/** The verdict that a tile stands for. */
export function verdictOfTile(state: TileState): Verdict {
  return (Object.keys(TILES) as Verdict[]).find((verdict) => TILES[verdict] === state) ?? "pending";
}

/** How the bar over the tests is divided. */
export function tallyOf(counts: CaseCounts): Tally {
  return {
    done: counts.passed,
    error: counts.failed,
    quarantined: counts.errored,
    offline: counts.skipped,
    running: counts.running,
    waiting: counts.pending,
  };
}

/** What each device said last, by its number. What came too late to count is left out. */
export function latestByDevice(results: readonly CaseResult[]): Map<number, CaseResult> {
  const latest = new Map<number, CaseResult>();
  for (const result of results) if (result.index !== null && result.is_counted) latest.set(result.index, result);
  return latest;
}

/** Devices by what they said last, the worst first. */
export function groupByStatus(
  results: readonly CaseResult[],
): { status: CaseResult["status"]; results: CaseResult[] }[] {
  const latest = [...latestByDevice(results).values()].sort((a, b) => (a.index ?? 0) - (b.index ?? 0));
  return WORST_FIRST.map((status) => ({ status, results: latest.filter((each) => each.status === status) })).filter(
    (group) => group.results.length > 0,
  );
}

/** All results as a reader wants them: what went wrong first, and of the same kind the latest first. */
export function worstFirst(results: readonly CaseResult[]): CaseResult[] {
  return [...results].reverse().sort((a, b) => WORST_FIRST.indexOf(a.status) - WORST_FIRST.indexOf(b.status));
}

/** Whether a column per device tells something: not where phones share the tests, and not where they are too many. */
export function isMatrix(devices: number, cases: readonly Case[]): boolean {
  const told = cases.map((each) => latestByDevice(each.results).size).filter((size) => size > 0);
  const average = told.reduce((sum, size) => sum + size, 0) / Math.max(1, told.length);
  return devices > 1 && devices <= MOST_COLUMNS && average >= SHARED_BELOW;
}

/** "com.example.LoginTest" as people say it: its last part, with the rest in front of it. */
export function splitClass(className: string): { scope: string; short: string } {
  const at = className.lastIndexOf(".") + 1;
  return { scope: className.slice(0, at), short: className.slice(at) };
}
