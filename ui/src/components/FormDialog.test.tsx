import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { WordsProvider } from "../i18n/text";
import { Field, FormDialog } from "./FormDialog";

describe("FormDialog", () => {
  beforeEach(() => {
    HTMLDialogElement.prototype.showModal = function show() {
      this.open = true;
    };
  });

  it("hands on what was filled in, without what was left empty", async () => {
    const onSubmit = vi.fn();
    render(
      <WordsProvider initial="en">
        <FormDialog
          title="New chain"
          confirm="Create"
          isPending={false}
          error={new Error("the name is taken")}
          onSubmit={onSubmit}
          onClose={() => undefined}
        >
          <Field label="Name">
            <input name="name" />
          </Field>
          <Field label="Description">
            <input name="description" />
          </Field>
        </FormDialog>
      </WordsProvider>,
    );
    expect(screen.getByRole("alert").textContent).toContain("the name is taken");
    await userEvent.type(screen.getByLabelText("Name"), " nightly ");
    await userEvent.click(screen.getByRole("button", { name: "Create" }));
    expect(onSubmit).toHaveBeenCalledExactlyOnceWith({ name: "nightly" });
  });
});
