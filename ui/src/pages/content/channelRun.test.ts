import { describe, expect, it } from "vitest";
import { changeOf, formOf } from "./channelRun";

const NOTHING = { run: null, run_cap: 10 };

describe("what is run on new videos", () => {
  it("is nothing unless somebody says so", () => {
    expect(formOf(NOTHING)).toEqual({ workflow: "", devices: "", cap: "10" });
    expect(changeOf(formOf(NOTHING), NOTHING)).toEqual({ run: null });
  });

  it("is a workflow on the devices that are named, so many times a day", () => {
    const form = { workflow: "playback", devices: "1-4, 9", cap: "3" };
    expect(changeOf(form, NOTHING)).toEqual({
      run: { workflow: "playback", target: { indexes: [[1, 4], 9] } },
      run_cap: 3,
    });
  });

  it("is on all devices where none is named", () => {
    expect(changeOf({ workflow: "playback", devices: "", cap: "3" }, NOTHING)?.run?.target).toEqual({ all: true });
  });

  it.each([
    { workflow: "playback", devices: "everything", cap: "3" },
    { workflow: "playback", devices: "", cap: "0" },
    { workflow: "playback", devices: "", cap: "" },
  ])("is not asked for while the form is not understood: %o", (form) => {
    expect(changeOf(form, NOTHING)).toBeNull();
  });

  it("keeps what the dialog does not show", () => {
    const channel = { run: { workflow: "playback", params: { loud: true }, target: { tags: ["lobby"] } }, run_cap: 5 };
    expect(changeOf(formOf(channel), channel)).toEqual({ run: channel.run, run_cap: 5 });
  });
});
