import { describe, expect, it } from "vitest";
import { en, type MessageKey } from "./en";
import { ko } from "./ko";
import { type Message, makeWords } from "./text";

const keys = Object.keys(en) as MessageKey[];

function placeholders(message: Message): string[] {
  const text = typeof message === "string" ? message : message.other;
  return [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "").sort();
}

describe("the catalogues", () => {
  it("have the same keys", () => {
    expect(Object.keys(ko).sort()).toEqual([...keys].sort());
  });

  it("say each with the same values", () => {
    const differing = keys.filter((key) => placeholders(ko[key]).join() !== placeholders(en[key]).join());
    expect(differing).toEqual([]);
  });

  it("leave nothing in English that should be Korean", () => {
    const same = keys.filter((key) => en[key] === ko[key] && /[a-z]{3}/i.test(String(en[key])));
    expect(same).toEqual(["facts.android"]);
  });
});

describe("words", () => {
  it("choose the form by the count", () => {
    const { t } = makeWords("en");
    expect(t("devices.count", { count: 1 })).toBe("1 device");
    expect(t("devices.count", { count: 1200 })).toBe("1,200 devices");
  });

  it("tell durations as people do", () => {
    const { duration } = makeWords("en");
    expect([0.04, 2.04, 9, 75, 7260, 180_000].map(duration)).toEqual([
      "0.04 s",
      "2.0 s",
      "9 s",
      "1 min 15 s",
      "2 h 1 min",
      "2 d 2 h",
    ]);
  });
});
