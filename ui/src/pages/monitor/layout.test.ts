import { describe, expect, it } from "vitest";
import { layOut, type Node, neighbour } from "./layout";

const node = (step: string, ...needs: string[]): Node => ({ step, needs });
const DIAMOND = [node("d", "b", "c"), node("a"), node("b", "a"), node("c", "a")];

describe("layOut", () => {
  it("puts each step after everything that it needs", () => {
    const { layers } = layOut(DIAMOND);

    expect(layers).toEqual([["a"], ["b", "c"], ["d"]]);
  });

  it("puts a step behind the longest of its ways", () => {
    const { places } = layOut([node("a"), node("b", "a"), node("c", "b"), node("d", "a", "c")]);

    expect(places.get("d")?.layer).toBe(3);
  });

  it("keeps lines from crossing where the order of a layer can help", () => {
    const { layers } = layOut([node("a"), node("b"), node("x", "b"), node("y", "a")]);

    expect(layers[1]?.map((step) => layers[0]?.indexOf(step === "x" ? "b" : "a"))).toEqual([0, 1]);
  });

  it("takes a chain of a thousand steps, and a need that is not there", () => {
    const chain = Array.from({ length: 1000 }, (_, at) => node(`s${at}`, at ? `s${at - 1}` : "gone"));

    expect(layOut(chain).layers).toHaveLength(1000);
  });

  it("gives every step a place, even in a circle", () => {
    const { places } = layOut([node("a", "b"), node("b", "a"), node("c")]);

    expect([...places.keys()].sort()).toEqual(["a", "b", "c"]);
  });
});

describe("neighbour", () => {
  const layout = layOut(DIAMOND);

  it("goes along the arrows and within a layer", () => {
    expect(neighbour(layout, DIAMOND, "a", "ArrowRight")).toBe("b");
    expect(neighbour(layout, DIAMOND, "b", "ArrowDown")).toBe("c");
    expect(neighbour(layout, DIAMOND, "c", "ArrowUp")).toBe("b");
    expect(neighbour(layout, DIAMOND, "d", "ArrowLeft")).toBe("b");
  });

  it("stays where there is nothing to go to", () => {
    expect(neighbour(layout, DIAMOND, "a", "ArrowLeft")).toBeUndefined();
    expect(neighbour(layout, DIAMOND, "d", "ArrowRight")).toBeUndefined();
    expect(neighbour(layout, DIAMOND, "a", "Enter")).toBeUndefined();
  });
});
