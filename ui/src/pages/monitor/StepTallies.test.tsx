import { render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { StepTally } from "../../api/schema";
import { WordsProvider } from "../../i18n/text";
import { Tally } from "./StepTallies";

const STEP: StepTally = {
  position: 1,
  step: "look",
  title: "Look",
  action: "device.screenshot",
  probability: 0.5,
  jobs: 20,
  chosen: 9,
  left_out: 11,
  running: 1,
  succeeded: 7,
  failed: 1,
  skipped: 0,
  cancelled: 0,
  median_s: 2.04,
};

function show(step: StepTally) {
  render(
    <WordsProvider initial="en">
      <ol>
        <Tally step={step} />
      </ol>
    </WordsProvider>,
  );
}

describe("a step over all phones", () => {
  it("says whom it fell to, how it went and how long it took", () => {
    show(STEP);
    expect(screen.getByTestId("draws").textContent).toBe("drawn by 9 of 20 (45%), at a chance of 50%");
    expect(screen.getByText("7 succeeded · 1 failed · 1 running · 11 not drawn")).toBeTruthy();
    expect(screen.getByText("2.0 s typical")).toBeTruthy();
  });

  it("speaks of no draw where there is none", () => {
    show({ ...STEP, probability: 1, chosen: 20, left_out: 0 });
    expect(screen.queryByTestId("draws")).toBeNull();
  });

  it("tells the chance before anybody drew", () => {
    show({ ...STEP, chosen: 0, left_out: 0, running: 0, succeeded: 0, failed: 0, median_s: null });
    expect(screen.getByTestId("draws").textContent).toBe("chance 50%");
    expect(screen.getByText("not reached yet")).toBeTruthy();
  });
});
