import { describe, expect, it } from "vitest";
import type { Device } from "../../api/schema";
import {
  devicesOf,
  EVERYWHERE as FORM,
  formatRanges,
  parseCount,
  parseNumbers,
  type TargetForm,
  targetOf,
  toRanges,
} from "./target";

describe("parseNumbers", () => {
  it("reads numbers and ranges", () => {
    expect(parseNumbers("1-20, 57 60")).toEqual([[1, 20], 57, 60]);
  });

  it.each(["x", "5-", "0", "9-3", "1..5", "1-2-3"])("refuses %s", (text) => {
    expect(parseNumbers(text)).toBeNull();
  });
});

describe("toRanges", () => {
  it("joins neighbours, in any order, and reads back the same", () => {
    const ranges = toRanges([5, 3, 4, 9, 1]);
    expect(ranges).toEqual([1, [3, 5], 9]);
    expect(parseNumbers(formatRanges(ranges))).toEqual(ranges);
  });
});

describe("targetOf", () => {
  it("asks for what the form says", () => {
    expect(targetOf(FORM)).toEqual({ all: true });
    expect(targetOf({ ...FORM, kind: "tags", tags: ["blue"] })).toEqual({ tags: ["blue"] });
    expect(targetOf({ ...FORM, kind: "picked", picked: new Set([2, 1]) })).toEqual({ indexes: [[1, 2]] });
  });

  it("asks for a pool of any phones, or of those with all of some tags", () => {
    expect(targetOf({ ...FORM, kind: "pool", count: " 5 " })).toEqual({ any: 5 });
    expect(targetOf({ ...FORM, kind: "pool", count: "2", tags: ["blue"] })).toEqual({ any: 2, tags: ["blue"] });
    for (const count of ["", "0", "-1", "1.5", "1e3", "many", "1000001"]) {
      expect(parseCount(count)).toBeNull();
      expect(targetOf({ ...FORM, kind: "pool", count })).toBeNull();
    }
  });

  it("asks for nothing while the form says nothing", () => {
    for (const kind of ["numbers", "tags", "picked"] as const) expect(targetOf({ ...FORM, kind })).toBeNull();
  });
});

describe("devicesOf", () => {
  it("finds the devices that the server would", () => {
    const devices = [1, 2, 3].map(
      (index_no) => ({ index_no, tags: index_no === 2 ? ["blue"] : [] }) as unknown as Device,
    );
    const numbers = (form: Partial<TargetForm>) =>
      devicesOf({ ...FORM, ...form }, devices).map((each) => each.index_no);
    expect(numbers({})).toEqual([1, 2, 3]);
    expect(numbers({ kind: "numbers", numbers: "2-9" })).toEqual([2, 3]);
    expect(numbers({ kind: "tags", tags: ["blue"] })).toEqual([2]);
    expect(numbers({ kind: "pool" })).toEqual([1, 2, 3]);
    expect(numbers({ kind: "pool", tags: ["blue"] })).toEqual([2]);
  });
});
