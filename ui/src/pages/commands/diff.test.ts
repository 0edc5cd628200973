import { describe, expect, it } from "vitest";
import { diffLines, withContext } from "./diff";

const told = (before: string, after: string) =>
  diffLines(before, after).map(({ kind, text }) => `${{ same: " ", added: "+", removed: "-" }[kind]}${text}`);

describe("a diff", () => {
  it("finds what was added, removed and kept", () => {
    expect(told("a\nb\nc\n", "a\nc\nd\n")).toEqual([" a", "-b", " c", "+d"]);
    expect(told("", "a\n")).toEqual(["+a"]);
    expect(told("a\n", "a\n")).toEqual([" a"]);
  });

  it("leaves out what is far from any change, and says where", () => {
    const lines = Array.from({ length: 20 }, (_, at) => `line ${at}`);
    const shown = withContext(diffLines(lines.join("\n"), [...lines, "new"].join("\n")), 2);
    expect(shown.map((line) => line?.text ?? null)).toEqual([null, "line 18", "line 19", "new"]);
    expect(withContext(diffLines("a\nb", "a\nb"))).toEqual([]);
  });
});
