/** Timeouts of single steps, as a form has them (text) and as the server is asked (overrides). */

import type { StepPlan } from "../../api/schema";

export type TimeoutTexts = Record<string, string>;

export type TimeoutFault = "not_a_number" | "too_short" | "too_long";

/** What is wrong with what was written for a step; null where it is empty, which leaves the recipe's own, or fits. */
export function timeoutFault(step: StepPlan, text: string): TimeoutFault | null {
  if (text.trim() === "") return null;
  const seconds = Number(text);
  if (!Number.isFinite(seconds)) return "not_a_number";
  const [least, greatest] = step.timeout_bounds_s;
  return seconds < least ? "too_short" : seconds > greatest ? "too_long" : null;
}

/** Only what differs from the recipe's own is asked for. */
export function overridesOf(steps: readonly StepPlan[], texts: TimeoutTexts): Record<string, { timeout_s: number }> {
  const overrides: Record<string, { timeout_s: number }> = {};
  for (const step of steps) {
    const text = texts[step.id]?.trim() ?? "";
    if (text !== "" && Number(text) !== step.timeout_s) overrides[step.id] = { timeout_s: Number(text) };
  }
  return overrides;
}
