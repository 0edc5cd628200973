import { describe, expect, it } from "vitest";
import type { Case, CaseResult } from "../../../api/schema";
import { groupByStatus, isMatrix, latestByDevice, splitClass, worstFirst } from "./cases";

const result = (index: number | null, status: CaseResult["status"], fields: Partial<CaseResult> = {}) =>
  ({ index, status, is_counted: true, try: 1, ...fields }) as unknown as CaseResult;
const told = (...results: CaseResult[]) => ({ results }) as unknown as Case;

describe("latestByDevice", () => {
  it("is a device's last word, unless that came too late to count", () => {
    const latest = latestByDevice([
      result(1, "failed"),
      result(2, "passed"),
      result(1, "passed", { try: 2 }),
      result(2, "failed", { is_counted: false }),
      result(null, "failed"),
    ]);
    expect([...latest].map(([index, { status }]) => [index, status])).toEqual([
      [1, "passed"],
      [2, "passed"],
    ]);
  });
});

describe("groupByStatus", () => {
  it("tells the worst first, devices by number", () => {
    const groups = groupByStatus([result(9, "passed"), result(7, "failed"), result(3, "failed"), result(1, "skipped")]);
    expect(groups.map((group) => [group.status, group.results.map((each) => each.index)])).toEqual([
      ["failed", [3, 7]],
      ["skipped", [1]],
      ["passed", [9]],
    ]);
  });
});

describe("worstFirst", () => {
  it("tells failures before the rest, the latest of each first", () => {
    const told = [result(1, "passed"), result(2, "failed"), result(3, "passed"), result(4, "failed")];
    expect(worstFirst(told).map((each) => each.index)).toEqual([4, 2, 3, 1]);
  });
});

describe("isMatrix", () => {
  const everywhere = told(result(1, "passed"), result(2, "failed"), result(3, "passed"));
  const once = told(result(1, "passed"));

  it("has a column per device where each executes every test", () => {
    expect(isMatrix(3, [everywhere, everywhere, told()])).toBe(true);
  });

  it("is a list where phones share the tests, though a few were tried on two", () => {
    expect(isMatrix(20, [once, once, once, told(result(1, "failed"), result(2, "passed"))])).toBe(false);
  });

  it("is a list on one device, and on more than fit", () => {
    expect(isMatrix(1, [everywhere])).toBe(false);
    expect(isMatrix(300, [everywhere])).toBe(false);
  });
});

describe("splitClass", () => {
  it("sets the class apart from its package", () => {
    expect(splitClass("com.example.LoginTest")).toEqual({ scope: "com.example.", short: "LoginTest" });
    expect(splitClass("flow")).toEqual({ scope: "", short: "flow" });
  });
});
