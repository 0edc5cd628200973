import { describe, expect, it } from "vitest";
import type { Playbook } from "../../api/schema";
import { commandBodyOf, commandDraftOf, EMPTY_COMMAND, newRow, twiceNamed } from "./commandDraft";
import { addStep, bodyOf, changeStep, draftOf, EMPTY_DRAFT, moveStep, removeStep } from "./draft";
import { command, LOGIN } from "./fixtures";

const OPEN = command("open-app", { params: { package: { type: "string" }, times: { type: "int", default: 1 } } });
const COMMANDS = new Map([OPEN, command("look"), command("retry", { on_failure: "retry" })].map((c) => [c.name, c]));
const THREE = ["open-app", "look", "retry"].reduce(addStep, { ...EMPTY_DRAFT, name: "tour" });
const order = (draft: typeof THREE) => draft.steps.map((step) => step.command);
const key = (draft: typeof THREE, place: number) => draft.steps[place]?.key ?? "";

describe("a playbook's draft", () => {
  it("puts a step at another place, and nowhere beyond the ends", () => {
    expect(order(moveStep(THREE, 0, 2))).toEqual(["look", "retry", "open-app"]);
    expect(order(moveStep(THREE, 2, 0))).toEqual(["retry", "open-app", "look"]);
    expect(order(moveStep(THREE, 1, 99))).toEqual(["open-app", "retry", "look"]);
    expect(moveStep(THREE, 0, -1)).toBe(THREE);
    expect(order(removeStep(THREE, key(THREE, 1)))).toEqual(["open-app", "retry"]);
  });

  it("asks only for what was said", () => {
    expect(bodyOf(THREE, COMMANDS)).toEqual({
      name: "tour",
      steps: [{ command: "open-app" }, { command: "look" }, { command: "retry" }],
    });
  });

  it("gives numbers as numbers, and what is none as it was typed", () => {
    const changed = changeStep(THREE, key(THREE, 0), {
      probability: 0.5,
      timeout: "30",
      params: { package: "7", times: "2" },
    });
    const wrong = changeStep(changed, key(THREE, 1), { timeout: "soon" });
    expect(bodyOf(wrong, COMMANDS).steps).toEqual([
      { command: "open-app", probability: 0.5, timeout_s: 30, params: { package: "7", times: 2 } },
      { command: "look", timeout_s: "soon" },
      { command: "retry" },
    ]);
  });

  it("speaks of retries only where there are any, by the step's word or by its command's", () => {
    const asked = [0, 2].reduce((draft, place) => changeStep(draft, key(draft, place), { retries: "3" }), THREE);
    expect(bodyOf(asked, COMMANDS).steps.map((step) => step.retries)).toEqual([undefined, undefined, 3]);
    const usual = { ...asked, defaults: { on_failure: "retry" } };
    expect(bodyOf(usual, COMMANDS).steps.map((step) => step.retries)).toEqual([3, undefined, 3]);
    const stopped = changeStep(asked, key(asked, 2), { onFailure: "stop" });
    expect(bodyOf(stopped, COMMANDS).steps[2]).toEqual({ command: "retry", on_failure: "stop" });
  });

  it("gives back what was saved", () => {
    const saved = {
      name: "tour",
      title: null,
      description: "Around",
      timeout_s: 900,
      defaults: { timeout_s: 45 },
      steps: [
        {
          command: "open-app",
          command_id: "x",
          id: "start",
          probability: 0.25,
          timeout_s: null,
          on_failure: "retry",
          retries: 2,
          params: { package: "com.a", times: "{{ params.n }}", gone: "kept" },
        },
      ],
    } as unknown as Playbook;
    expect(bodyOf(draftOf(saved, COMMANDS), COMMANDS)).toEqual({
      name: "tour",
      description: "Around",
      timeout_s: 900,
      defaults: { timeout_s: 45 },
      steps: [
        {
          command: "open-app",
          id: "start",
          probability: 0.25,
          on_failure: "retry",
          retries: 2,
          params: { package: "com.a", times: "{{ params.n }}", gone: "kept" },
        },
      ],
    });
  });
});

describe("a command's draft", () => {
  it("gives back what was stored", () => {
    const stored = command("sign-in", {
      uses: "app.login",
      with_params: { package: "com.a", fields: [{ field: "x", value: "{{ params.user }}" }], wait_s: 3 },
      params: {
        user: { type: "string", secret: true, required: null, choices: null, description: "" },
        size: { type: "enum", choices: ["s", "m"], default: "m" },
        note: { type: "string", default: "" },
        none: { type: "int", default: null },
      },
      timeout_s: 30,
      timeout_bounds_s: [5, 60],
      on_failure: "retry",
      retries: 2,
      repeatable: false,
      tags: ["app", "night"],
    });
    expect(commandBodyOf(commandDraftOf(stored, LOGIN), LOGIN)).toEqual({
      name: "sign-in",
      uses: "app.login",
      with: stored.with_params,
      params: {
        user: { type: "string", secret: true },
        size: { type: "enum", choices: ["s", "m"], default: "m" },
        note: { type: "string", default: "" },
        none: { type: "int", default: null },
      },
      timeout_s: 30,
      timeout_bounds_s: [5, 60],
      on_failure: "retry",
      retries: 2,
      repeatable: false,
      tags: ["app", "night"],
    });
  });

  it("notices parameters of one name, of which the server would see only one", () => {
    const params = [newRow({ name: "a" }), newRow({ name: " a" }), newRow({ name: "" }), newRow({ name: "" })];
    expect(twiceNamed({ ...EMPTY_COMMAND, params })).toEqual(["a"]);
  });
});
