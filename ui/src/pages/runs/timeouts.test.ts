import { describe, expect, it } from "vitest";
import type { StepPlan } from "../../api/schema";
import { overridesOf, timeoutFault } from "./timeouts";

const step: StepPlan = {
  id: "open",
  title: "",
  uses: "app.start",
  probability: 1,
  timeout_s: 30,
  timeout_bounds_s: [5, 120],
};

describe("timeoutFault", () => {
  it.each([
    ["", null],
    ["5", null],
    ["120", null],
    ["4.9", "too_short"],
    ["121", "too_long"],
    ["soon", "not_a_number"],
  ])("judges %j as %j", (text, fault) => {
    expect(timeoutFault(step, text)).toBe(fault);
  });
});

describe("overridesOf", () => {
  it("asks for what differs from the recipe's own and nothing else", () => {
    const look = { ...step, id: "look" };
    const rest = { ...step, id: "rest" };
    expect(overridesOf([step, look, rest], { open: "60", look: "30", rest: " " })).toEqual({ open: { timeout_s: 60 } });
  });
});
