import { beforeEach, describe, expect, it } from "vitest";
import { countDrawing } from "../../test/canvas";
import { arrange } from "./layout";
import { lookOf, Painter, readColours } from "./paint";
import { TILE_STATES, type Tile } from "./states";

const NONE = { selected: new Set<number>(), active: null, only: null };

function farm(count: number): Tile[] {
  return Array.from({ length: count }, (_, at) => ({ index: at + 1, state: "waiting", title: `#${at + 1}` }));
}

describe("Painter", () => {
  let counted: { drawn: number };
  beforeEach(() => {
    counted = countDrawing();
  });

  function paint(tiles: readonly Tile[]): Painter {
    const canvas = document.createElement("canvas");
    return new Painter(canvas, arrange(tiles, 1000, 460), readColours(document.body), 1000, 1);
  }

  it("draws everything once, and then only what changed", () => {
    const tiles = farm(10_000);
    const painter = paint(tiles);
    painter.update(tiles, NONE);
    expect(counted.drawn).toBe(10_000);

    const next = tiles.map((tile, at): Tile => (at % 20 === 0 ? { ...tile, state: "done" } : tile));
    const turned = painter.update(next, NONE);

    expect(turned).toHaveLength(500);
    expect(counted.drawn).toBe(10_500);
  });

  it("draws nothing when nothing changed", () => {
    const tiles = farm(100);
    const painter = paint(tiles);
    painter.update(tiles, NONE);
    expect(painter.update([...tiles], NONE)).toEqual([]);
    expect(counted.drawn).toBe(100);
  });

  it("counts a selection as another look, and not as a turn", () => {
    const tiles = farm(100);
    const painter = paint(tiles);
    painter.update(tiles, NONE);
    expect(painter.update(tiles, { ...NONE, selected: new Set([1, 2, 3]) })).toEqual([]);
    expect(counted.drawn).toBe(103);
  });
});

describe("lookOf", () => {
  it("tells every state from every other", () => {
    const looks = TILE_STATES.map((state) => lookOf({ index: 1, state, title: "" }, 0, NONE));
    expect(new Set(looks).size).toBe(TILE_STATES.length);
  });

  it("tells progress in steps, not in every fraction", () => {
    const look = (progress: number) => lookOf({ index: 1, state: "running", progress, title: "" }, 0, NONE);
    expect(look(0.5)).toBe(look(0.51));
    expect(look(0.1)).not.toBe(look(0.9));
  });
});
