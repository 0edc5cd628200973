import { describe, expect, it } from "vitest";
import { rangeOf, stepPath, within } from "./steppedLine";

const points = [
  { at: 10, value: 80 },
  { at: 20, value: 70 },
  { at: 30, value: 60 },
];

describe("within", () => {
  it("begins with what held when the window began, and holds the last value to its end", () => {
    expect(within(points, 25, 50)).toEqual([
      { at: 25, value: 70 },
      { at: 30, value: 60 },
      { at: 50, value: 60 },
    ]);
  });

  it("leaves a gap before the first value that there is", () => {
    expect(within(points, 0, 20)).toEqual([
      { at: 10, value: 80 },
      { at: 20, value: 70 },
    ]);
  });

  it("is empty where nothing was known", () => {
    expect(within([], 0, 10)).toEqual([]);
    expect(within(points, 0, 5)).toEqual([]);
  });
});

describe("rangeOf", () => {
  it("is round, holds all values and is never narrower than asked", () => {
    expect(rangeOf(points, 10)).toEqual([60, 80]);
    expect(rangeOf([{ at: 0, value: 31.5 }], 10)).toEqual([25, 40]);
  });
});

describe("stepPath", () => {
  it("goes sideways before it goes up or down: a value holds until the next", () => {
    const frame = { from: 10, to: 30, low: 60, high: 80, width: 100, height: 40 };
    expect(stepPath(points, frame)).toBe("M0 0H50V20H100V40");
  });
});
