import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, it } from "vitest";
import { WordsProvider } from "../../i18n/text";
import { TimeoutFields } from "./TimeoutFields";

const steps = [
  {
    id: "open",
    title: "Open the app",
    uses: "app.start",
    probability: 1,
    timeout_s: 30,
    timeout_bounds_s: [5, 120] as [number, number],
  },
];

function Form({ refused = {} }: { refused?: Record<string, string> }) {
  const [texts, setTexts] = useState({});
  return (
    <WordsProvider initial="en">
      <TimeoutFields steps={steps} texts={texts} onChange={setTexts} refused={refused} />
    </WordsProvider>
  );
}

it("says what is usual and allowed, and explains beside the field what is not", async () => {
  render(<Form />);
  const field = screen.getByLabelText(/Open the app/);
  expect(screen.getByText("Usually 30 s; 5 to 120 s").id).toBe(field.getAttribute("aria-describedby"));

  await userEvent.type(field, "500");

  expect(field.getAttribute("aria-invalid")).toBe("true");
  expect(screen.getByText("At most 120 s: this step may have 5 to 120 s")).toBeTruthy();
});

it("shows what the server refused at the step that it refused", () => {
  render(<Form refused={{ open: "500 s is outside the step's bounds [5, 120]" }} />);

  expect(screen.getByLabelText(/Open the app/).getAttribute("aria-invalid")).toBe("true");
  expect(screen.getByText(/outside the step's bounds/)).toBeTruthy();
});
