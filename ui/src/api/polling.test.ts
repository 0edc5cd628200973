import { describe, expect, it, vi } from "vitest";
import { nextPoll } from "./polling";

const ANSWERED = { dataUpdatedAt: 10_000, errorUpdatedAt: 0 };

describe("nextPoll", () => {
  it("keeps its pace while somebody looks", () => {
    expect(nextPoll(1500, ANSWERED)).toBe(1500);
  });

  it("asks seldom in a hidden tab", () => {
    vi.spyOn(document, "hidden", "get").mockReturnValue(true);
    expect(nextPoll(1500, ANSWERED)).toBe(15_000);
  });

  it("asks less often the longer nobody answers, and never gives up", () => {
    const pauseAfter = (silence: number) => nextPoll(1500, { dataUpdatedAt: 10_000, errorUpdatedAt: 10_000 + silence });
    expect(pauseAfter(1000)).toBe(1500);
    expect(pauseAfter(20_000)).toBe(5000);
    expect(pauseAfter(3_600_000)).toBe(10_000);
  });
});
