/** What a tile can show. Each state has a colour and a mark of its own, so that neither is needed to tell it. */

export const TILE_STATES = [
  "waiting",
  "running",
  "done",
  "error",
  "offline",
  "cancelled",
  "idle",
  "quarantined",
] as const;
export type TileState = (typeof TILE_STATES)[number];

export interface Tile {
  index: number;
  state: TileState;
  /** How far, 0 to 1; shown for running tiles. */
  progress?: number;
  /** Drawn as a corner: something about the device asks for a look. */
  isSuspect?: boolean;
  /** Tiles of one group stand together, under its name. */
  group?: string;
  /** The device in a few words, for the tooltip, the table and screen readers. */
  title: string;
  detail?: string | undefined;
}

export type Tally = Partial<Record<TileState, number>>;

export function tally(tiles: readonly Tile[]): Tally {
  const counts: Tally = {};
  for (const tile of tiles) counts[tile.state] = (counts[tile.state] ?? 0) + 1;
  return counts;
}
