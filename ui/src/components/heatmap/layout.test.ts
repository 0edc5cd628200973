import { describe, expect, it } from "vitest";
import { arrange, placeOf, step, tileAt, tilesWithin } from "./layout";
import type { Tile } from "./states";

function tiles(count: number, group?: string): Tile[] {
  return Array.from({ length: count }, (_, at) => ({
    index: at + 1,
    state: "idle",
    title: `#${at + 1}`,
    ...(group ? { group } : {}),
  }));
}

describe("arrange", () => {
  it("makes tiles smaller until they fit", () => {
    const few = arrange(tiles(20), 1000, 460);
    const many = arrange(tiles(10_000), 1000, 460);
    expect(few.size).toBeGreaterThanOrEqual(44);
    expect(many.size).toBeLessThan(12);
  });

  it("never leaves the width", () => {
    for (const width of [200, 333, 1000, 1440]) {
      const { columns, size, gap } = arrange(tiles(500), width, 300);
      expect(columns * (size + gap) - gap).toBeLessThanOrEqual(width);
    }
  });
});

describe("places", () => {
  const layout = arrange([...tiles(30, "a"), ...tiles(7, "b")], 400, 460);

  it("are where a pointer finds them", () => {
    for (let at = 0; at < 37; at += 1) {
      const { x, y } = placeOf(layout, at);
      expect(tileAt(layout, x + 1, y + 1)).toBe(at);
    }
  });

  it("have nothing between them", () => {
    const { x, y } = placeOf(layout, 0);
    expect(tileAt(layout, x + layout.size + layout.gap / 2, y + 1)).toBeNull();
    expect(tileAt(layout, -1, y)).toBeNull();
  });

  it("are all within a rectangle around everything", () => {
    expect(tilesWithin(layout, { x: 0, y: 0 }, { x: 400, y: layout.height })).toHaveLength(37);
  });

  it("lead from one group to the next by arrow keys, and stop at the ends", () => {
    const lastRow = 30 - (30 % layout.columns || layout.columns);
    expect(step(layout, lastRow, "ArrowDown")).toBe(30);
    expect(step(layout, 30, "ArrowUp")).toBe(lastRow);
    expect(step(layout, 0, "ArrowLeft")).toBe(0);
    expect(step(layout, 36, "ArrowRight")).toBe(36);
    expect(step(layout, 5, "End")).toBe(36);
  });
});
