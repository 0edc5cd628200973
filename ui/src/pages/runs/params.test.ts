import { describe, expect, it } from "vitest";
import type { ParamSpec } from "../../api/schema";
import { initialTexts, missing, valuesOf } from "./params";

const PARAMS: [string, ParamSpec][] = [
  ["package", { type: "string", default: "com.android.settings" }],
  ["pause_s", { type: "number", default: 5 }],
  ["times", { type: "int" }],
  ["loud", { type: "boolean", default: false }],
  ["note", { type: "string", required: false }],
];

describe("a recipe's params", () => {
  it("start with the recipe's own values", () => {
    expect(initialTexts(PARAMS)).toEqual({
      package: "com.android.settings",
      pause_s: "5",
      times: "",
      loud: "false",
      note: "",
    });
  });

  it("send only what was changed, as values of their type", () => {
    const texts = { ...initialTexts(PARAMS), pause_s: "2.5", times: "3", loud: "true" };
    expect(valuesOf(PARAMS, texts)).toEqual({ pause_s: 2.5, times: 3, loud: true });
  });

  it("leave it to the server to refuse what is no number", () => {
    expect(valuesOf(PARAMS, { ...initialTexts(PARAMS), pause_s: "soon" })).toEqual({ pause_s: "soon" });
  });

  it("lack what is required and has no default", () => {
    expect(missing(PARAMS, initialTexts(PARAMS))).toEqual(["times"]);
  });
});
