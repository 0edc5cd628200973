import { describe, expect, it } from "vitest";
import type { Counts, MonitoredRun } from "../../api/schema";
import { secondsLeft, shareEnded } from "./eta";

const START = Date.parse("2026-01-01T09:00:00Z");

function run(counts: Partial<Counts>, finished_at: string | null = null): MonitoredRun {
  const all = { total: 100, waiting: 0, running: 0, done: 0, error: 0, offline: 0, cancelled: 0, ...counts };
  return { counts: all, started_at: "2026-01-01T09:00:00Z", finished_at } as MonitoredRun;
}

describe("secondsLeft", () => {
  it("goes on as fast as it went", () => {
    expect(secondsLeft(run({ waiting: 50, done: 50 }), START + 60_000)).toBe(60);
  });

  it("says nothing at the beginning, nor at the end", () => {
    expect(secondsLeft(run({ waiting: 98, done: 2 }), START + 60_000)).toBeNull();
    expect(secondsLeft(run({ done: 100 }, "2026-01-01T09:01:00Z"), START + 60_000)).toBeNull();
  });
});

describe("shareEnded", () => {
  it("counts whatever has ended, however it did", () => {
    expect(shareEnded(run({ waiting: 20, running: 20, done: 30, error: 20, cancelled: 10 }))).toBe(0.6);
  });
});
