import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { describe, expect, it, vi } from "vitest";
import { WordsProvider } from "../i18n/text";
import { TagInput } from "./TagInput";

function Held({ initial, told }: { initial: string[]; told: (tags: string[]) => void }) {
  const [tags, setTags] = useState(initial);
  return (
    <TagInput
      label="Tags"
      tags={tags}
      known={["pixel"]}
      onChange={(next) => {
        told(next);
        setTags(next);
      }}
    />
  );
}

function show(initial: string[]) {
  const told = vi.fn();
  const onSubmit = vi.fn((event: { preventDefault: () => void }) => event.preventDefault());
  render(
    <WordsProvider initial="en">
      <form onSubmit={onSubmit}>
        <Held initial={initial} told={told} />
        <button type="submit">Save</button>
      </form>
    </WordsProvider>,
  );
  return { told, onSubmit, field: screen.getByRole("combobox", { name: "Tags" }), user: userEvent.setup() };
}

describe("editing tags", () => {
  it("takes what was written on Enter, on a comma and on leaving, and does not send the form with it", async () => {
    const { told, onSubmit, field, user } = show([]);
    await user.type(field, "pixel{Enter}nightly,slow");
    await user.tab();
    expect(told).toHaveBeenLastCalledWith(["pixel", "nightly", "slow"]);
    expect(onSubmit).not.toHaveBeenCalled();
  });

  it("knows a tag only once, and forgets one by its button or by Backspace", async () => {
    const { told, field, user } = show(["pixel", "nightly", "slow"]);
    await user.type(field, "pixel{Enter}");
    expect(told).not.toHaveBeenCalled();
    await user.click(screen.getByRole("button", { name: "Remove the tag nightly" }));
    expect(told).toHaveBeenLastCalledWith(["pixel", "slow"]);
    await user.type(field, "{Backspace}");
    expect(told).toHaveBeenLastCalledWith(["pixel"]);
  });
});
