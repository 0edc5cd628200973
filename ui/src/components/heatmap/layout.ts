/** Where tiles are: rows of squares, group under group. Pure arithmetic, so that ten thousand cost nothing. */

import type { Tile } from "./states";

const SIZES = [44, 38, 32, 26, 22, 18, 15, 12, 10];
const HEADING = 30;
const BETWEEN_GROUPS = 14;

export interface Group {
  name: string;
  first: number;
  count: number;
  top: number;
}

export interface Layout {
  size: number;
  gap: number;
  /** From one tile to the next. */
  pitch: number;
  columns: number;
  height: number;
  groups: readonly Group[];
}

export interface Place {
  x: number;
  y: number;
}

/** The largest tiles that fit the width and, if they can, the height. Tiles must come group by group. */
export function arrange(tiles: readonly Tile[], width: number, wantedHeight: number): Layout {
  let layout = place(tiles, width, SIZES[0] ?? 10);
  for (const size of SIZES.slice(1)) {
    if (layout.height <= wantedHeight) break;
    layout = place(tiles, width, size);
  }
  return layout;
}

function place(tiles: readonly Tile[], width: number, wanted: number): Layout {
  const gap = wanted >= 26 ? 4 : wanted >= 15 ? 3 : 2;
  const columns = Math.max(1, Math.floor((width + gap) / (wanted + gap)));
  // As large as the columns allow, so that full rows end where the page does.
  const size = Math.max(wanted, Math.floor((width + gap) / columns) - gap);
  const pitch = tiles.length >= columns ? (width + gap) / columns : size + gap;
  const groups: Group[] = [];
  let top = 0;
  for (let first = 0; first < tiles.length; ) {
    const name = tiles[first]?.group ?? "";
    let count = 1;
    while (first + count < tiles.length && (tiles[first + count]?.group ?? "") === name) count += 1;
    const start = top + (name ? HEADING : 0);
    groups.push({ name, first, count, top: start });
    top = start + Math.ceil(count / columns) * (size + gap) - gap + BETWEEN_GROUPS;
    first += count;
  }
  return { size, gap, pitch, columns, height: Math.max(0, top - BETWEEN_GROUPS), groups };
}

export function placeOf(layout: Layout, at: number): Place {
  const group = groupOf(layout, at);
  const within = at - group.first;
  const pitch = layout.size + layout.gap;
  const x = Math.round((within % layout.columns) * layout.pitch); // on whole pixels, so that edges stay sharp
  return { x, y: group.top + Math.floor(within / layout.columns) * pitch };
}

/** Which tile is at a point, or null between tiles. */
export function tileAt(layout: Layout, x: number, y: number): number | null {
  const pitch = layout.size + layout.gap;
  const column = Math.floor((x + 0.5) / layout.pitch);
  if (x < 0 || column >= layout.columns || x - Math.round(column * layout.pitch) > layout.size) return null;
  for (const group of layout.groups) {
    const row = Math.floor((y - group.top) / pitch);
    const within = row * layout.columns + column;
    if (y >= group.top && within < group.count && y - group.top - row * pitch <= layout.size)
      return group.first + within;
  }
  return null;
}

/** All tiles that a rectangle touches. */
export function tilesWithin(layout: Layout, from: Place, to: Place): number[] {
  const [left, right] = [Math.min(from.x, to.x), Math.max(from.x, to.x)];
  const [top, bottom] = [Math.min(from.y, to.y), Math.max(from.y, to.y)];
  const found: number[] = [];
  for (const group of layout.groups) {
    for (let at = group.first; at < group.first + group.count; at += 1) {
      const { x, y } = placeOf(layout, at);
      if (x <= right && x + layout.size >= left && y <= bottom && y + layout.size >= top) found.push(at);
    }
  }
  return found;
}

/** The tile that an arrow key leads to; up and down go on into the neighbouring group. */
export function step(layout: Layout, at: number, key: string): number {
  const last = layout.groups.at(-1);
  const most = last ? last.first + last.count - 1 : 0;
  const group = groupOf(layout, at);
  const within = at - group.first;
  if (key === "ArrowLeft") return Math.max(0, at - 1);
  if (key === "ArrowRight") return Math.min(most, at + 1);
  if (key === "Home") return 0;
  if (key === "End") return most;
  if (key === "ArrowDown") {
    if (within + layout.columns < group.count) return at + layout.columns;
    const next = layout.groups[layout.groups.indexOf(group) + 1];
    return next ? next.first + Math.min(within % layout.columns, next.count - 1) : at;
  }
  if (key === "ArrowUp") {
    if (within >= layout.columns) return at - layout.columns;
    const previous = layout.groups[layout.groups.indexOf(group) - 1];
    if (!previous) return at;
    const lastRow = Math.floor((previous.count - 1) / layout.columns) * layout.columns;
    return previous.first + Math.min(lastRow + (within % layout.columns), previous.count - 1);
  }
  return at;
}

function groupOf(layout: Layout, at: number): Group {
  let found = layout.groups[0];
  for (const group of layout.groups) if (group.first <= at) found = group;
  if (!found) throw new RangeError("there are no tiles");
  return found;
}
