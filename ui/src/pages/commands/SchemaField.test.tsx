import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { describe, expect, it } from "vitest";
import { WordsProvider } from "../../i18n/text";
import { ArgFields } from "./CommandEditor";
import { LOGIN } from "./fixtures";
import type { Problem } from "./problems";
import { type FilledForm, fieldsOf, readAll } from "./schemaFields";

function Form({ problems, onValues }: { problems: Problem[]; onValues: (values: unknown) => void }) {
  const [form, setForm] = useState<FilledForm>({});
  function change(next: FilledForm): void {
    setForm(next);
    onValues(readAll(fieldsOf(LOGIN), next));
  }
  return <ArgFields action={LOGIN} form={form} problems={problems} onChange={change} />;
}

function show(problems: Problem[] = []) {
  const held: { values: unknown } = { values: {} };
  render(
    <WordsProvider initial="en">
      <Form
        problems={problems}
        onValues={(values) => {
          held.values = values;
        }}
      />
    </WordsProvider>,
  );
  return held;
}

describe("a generated form", () => {
  it("takes values of every kind", async () => {
    const held = show();
    await userEvent.type(screen.getByLabelText(/package/), "com.example");
    await userEvent.type(screen.getByLabelText("wait_s"), "1.05");
    await userEvent.selectOptions(screen.getByLabelText("clear"), "no");
    await userEvent.selectOptions(screen.getByLabelText("match"), "exact");
    await userEvent.click(screen.getByRole("button", { name: "Add to fields" }));
    const row = screen.getByRole("group", { name: /fields 1/ });
    await userEvent.type(within(row).getByLabelText(/^field/), "E-mail");
    await userEvent.type(within(row).getByLabelText(/^value/), "me");
    await userEvent.click(screen.getByRole("button", { name: "Add to headers" }));
    await userEvent.type(screen.getByLabelText("headers: name 1"), "X-A");
    await userEvent.type(screen.getByLabelText("headers: value 1"), "b");
    await userEvent.click(screen.getByLabelText(/null: anything goes/));
    expect(held.values).toEqual({
      package: "com.example",
      wait_s: 1.05,
      clear: false,
      match: "exact",
      fields: [{ field: "E-mail", value: "me" }],
      headers: { "X-A": "b" },
      exit_code: null,
    });
  });

  it("forgets what is emptied again", async () => {
    const held = show();
    const field = screen.getByLabelText("times");
    await userEvent.type(field, "3");
    await userEvent.clear(field);
    await userEvent.click(screen.getByRole("button", { name: "Add to fields" }));
    await userEvent.click(screen.getByRole("button", { name: "Remove 1 from fields" }));
    expect(held.values).toEqual({});
  });

  it("lets an expression stand in the place of a choice", async () => {
    const held = show();
    await userEvent.selectOptions(screen.getByLabelText("clear"), "An expression …");
    const field = screen.getByLabelText("clear: An expression …");
    await userEvent.clear(field);
    expect(held.values).toEqual({});
    await userEvent.selectOptions(screen.getByLabelText("clear"), "An expression …");
    expect(held.values).toEqual({ clear: "{{ }}" });
  });

  it("says beside a field what the server says of it", async () => {
    show([
      { path: "with.package", message: "is required" },
      { path: "with.fields", message: "needs at least 1" },
      { path: "with.fields[0].value", message: "expected text" },
    ]);
    const field = screen.getByLabelText(/package/);
    expect(field.getAttribute("aria-invalid")).toBe("true");
    const said = (field.getAttribute("aria-describedby") ?? "").split(" ").map((id) => document.getElementById(id));
    expect(said[0]?.textContent).toBe("is required");
    expect(screen.getByText("needs at least 1")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Add to fields" }));
    const value = within(screen.getByRole("group", { name: /fields 1/ })).getByLabelText(/^value/);
    expect(value.getAttribute("aria-invalid")).toBe("true");
    expect(screen.getByText("Only one of script, data may be given.")).toBeTruthy();
  });
});
