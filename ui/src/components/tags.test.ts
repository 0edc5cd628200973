import { describe, expect, it } from "vitest";
import { countTags, parseTags, retagged } from "./tags";

describe("tags", () => {
  it("are read however they are separated, each once", () => {
    expect(parseTags(" pixel,nightly  pixel\n")).toEqual(["pixel", "nightly"]);
    expect(parseTags(" , ")).toEqual([]);
  });

  it("are added and taken away, and the others keep their order", () => {
    expect(retagged(["b", "a"], ["c", "a"], ["b", "z"])).toEqual(["a", "c"]);
  });

  it("are counted over devices, by name", () => {
    expect(countTags([{ tags: ["b", "a"] }, { tags: ["b"] }, { tags: [] }])).toEqual([
      ["a", 1],
      ["b", 2],
    ]);
  });
});
