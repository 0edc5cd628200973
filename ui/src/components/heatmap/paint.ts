/** Paints tiles on a canvas: each look is drawn once as a sprite, and only tiles whose look changed are drawn again. */

import { type Layout, placeOf } from "./layout";
import { TILE_STATES, type Tile, type TileState } from "./states";

const PROGRESS_STEPS = 12;

export interface Colours {
  fill: Record<TileState, string>;
  mark: Record<TileState, string>;
  accent: string;
  surface: string;
  line: string;
  ink: string;
  soft: string;
  font: string;
}

/** The page's own colours, as they are now. */
export function readColours(element: Element): Colours {
  const style = getComputedStyle(element);
  const read = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const fill = Object.fromEntries(TILE_STATES.map((state) => [state, read(`state-${state}`)])) as Colours["fill"];
  const weak = read("mark-on-weak");
  const strong = read("mark-on-strong");
  return {
    fill,
    mark: {
      waiting: weak,
      offline: weak,
      running: strong,
      done: strong,
      error: strong,
      cancelled: strong,
      idle: read("mark-idle"),
      quarantined: read("mark-quarantined"),
    },
    accent: read("accent"),
    surface: read("surface"),
    line: read("line-strong"),
    ink: read("ink"),
    soft: read("soft"),
    font: style.fontFamily || "sans-serif",
  };
}

export interface Highlights {
  selected: ReadonlySet<number>;
  active: number | null;
  /** Only this state stands out; null for all. */
  only: TileState | null;
}

/** A number that is equal for two tiles exactly when they look the same. */
export function lookOf(tile: Tile, at: number, highlights: Highlights): number {
  const progress = tile.state === "running" ? Math.floor((tile.progress ?? 0) * PROGRESS_STEPS) : 0;
  let look = TILE_STATES.indexOf(tile.state) * 16 + Math.min(progress, PROGRESS_STEPS);
  if (tile.isSuspect) look |= 1 << 10;
  if (highlights.selected.has(tile.index)) look |= 1 << 11;
  if (highlights.active === at) look |= 1 << 12;
  if (highlights.only !== null && highlights.only !== tile.state) look |= 1 << 13;
  return look;
}

export class Painter {
  private looks = new Int32Array(0);
  private numbers = new Int32Array(0);
  private sprites = new Map<number, HTMLCanvasElement>();
  private readonly context: CanvasRenderingContext2D;
  private readonly layout: Layout;
  private readonly colours: Colours;
  private readonly scale: number;

  constructor(canvas: HTMLCanvasElement, layout: Layout, colours: Colours, width: number, scale: number) {
    const context = canvas.getContext("2d");
    if (!context) throw new Error("this browser draws no canvas");
    canvas.width = Math.max(1, Math.round(width * scale));
    canvas.height = Math.max(1, Math.round(layout.height * scale));
    context.setTransform(scale, 0, 0, scale, 0, 0);
    this.context = context;
    this.layout = layout;
    this.colours = colours;
    this.scale = scale;
    this.paintHeadings();
  }

  /** Draws what changed; returns which tiles have another state than before, for those who want to show it. */
  update(tiles: readonly Tile[], highlights: Highlights): number[] {
    const isFirst = this.looks.length !== tiles.length;
    if (isFirst) {
      this.looks = new Int32Array(tiles.length).fill(-1);
      this.numbers = new Int32Array(tiles.length).fill(-1);
    }
    const turned: number[] = [];
    tiles.forEach((tile, at) => {
      const look = lookOf(tile, at, highlights);
      const before = this.looks[at] ?? -1;
      if (look === before && this.numbers[at] === tile.index) return;
      if (!isFirst && before >= 0 && (before & 1023) >> 4 !== (look & 1023) >> 4) turned.push(at);
      this.looks[at] = look;
      this.numbers[at] = tile.index;
      this.paintTile(tile, at, look);
    });
    return turned;
  }

  /** A ring that fades around a tile; 0 leaves the tile as it is. */
  paintRing(tile: Tile, at: number, strength: number): void {
    const look = this.looks[at];
    if (look === undefined) return;
    this.paintTile(tile, at, look);
    if (strength <= 0) return;
    const { x, y } = placeOf(this.layout, at);
    this.context.globalAlpha = strength * 0.55;
    this.roundedRect(this.context, x, y, this.layout.size);
    this.context.fillStyle = "#ffffff";
    this.context.fill();
    this.context.globalAlpha = 1;
  }

  private paintTile(tile: Tile, at: number, look: number): void {
    const { x, y } = placeOf(this.layout, at);
    const { size, gap } = this.layout;
    const margin = gap / 2;
    this.context.clearRect(x - margin, y - margin, size + gap, size + gap);
    const sprite = this.spriteOf(tile, look);
    this.context.globalAlpha = look & (1 << 13) ? 0.22 : 1;
    this.context.drawImage(sprite, x - margin, y - margin, size + gap, size + gap);
    if (size >= 32) this.paintNumber(tile, x, y);
    this.context.globalAlpha = 1;
  }

  private paintNumber(tile: Tile, x: number, y: number): void {
    const { size } = this.layout;
    const text = String(tile.index);
    this.context.fillStyle = this.colours.mark[tile.state];
    this.context.font = `600 ${text.length > 3 ? 9 : 10}px ${this.colours.font}`;
    this.context.textAlign = "left";
    this.context.textBaseline = "top";
    this.context.fillText(text, x + 5, y + 4, size - 8);
  }

  private paintHeadings(): void {
    this.context.textBaseline = "alphabetic";
    this.context.textAlign = "left";
    for (const group of this.layout.groups) {
      if (!group.name) continue;
      this.context.font = `600 13px ${this.colours.font}`;
      this.context.fillStyle = this.colours.ink;
      this.context.fillText(group.name, 0, group.top - 11);
      const width = this.context.measureText(group.name).width;
      this.context.font = `400 12px ${this.colours.font}`;
      this.context.fillStyle = this.colours.soft;
      this.context.fillText(String(group.count), width + 8, group.top - 11);
    }
  }

  private spriteOf(tile: Tile, look: number): HTMLCanvasElement {
    const key = look & ~(1 << 13);
    const known = this.sprites.get(key);
    if (known) return known;
    const sprite = document.createElement("canvas");
    const { size, gap } = this.layout;
    const whole = Math.ceil((size + gap) * this.scale);
    sprite.width = whole;
    sprite.height = whole;
    const context = sprite.getContext("2d");
    if (context) {
      context.setTransform(whole / (size + gap), 0, 0, whole / (size + gap), 0, 0);
      context.translate(gap / 2, gap / 2);
      this.drawSprite(context, tile, look);
    }
    this.sprites.set(key, sprite);
    return sprite;
  }

  private drawSprite(context: CanvasRenderingContext2D, tile: Tile, look: number): void {
    const { size } = this.layout;
    const { fill, mark, accent, surface } = this.colours;
    this.roundedRect(context, 0, 0, size);
    context.save();
    context.clip();
    context.fillStyle = fill[tile.state];
    context.fillRect(0, 0, size, size);
    if (tile.state === "running" && tile.progress !== undefined)
      this.drawProgress(context, (look & 15) / PROGRESS_STEPS);
    if (tile.state === "offline") this.drawHatch(context);
    if (look & (1 << 10)) this.drawCorner(context);
    context.restore();
    drawMark(context, tile.state, size, mark[tile.state]);
    if (look & (1 << 11)) this.drawFrame(context, accent, surface);
    if (look & (1 << 12)) this.drawFrame(context, this.colours.ink, surface);
  }

  private drawProgress(context: CanvasRenderingContext2D, part: number): void {
    const { size } = this.layout;
    const side = size >= 26 ? 6 : 2;
    const height = size >= 26 ? 3 : 2;
    const top = size - height - (size >= 26 ? 5 : 2);
    context.fillStyle = "rgb(255 255 255 / 32%)";
    context.fillRect(side, top, size - 2 * side, height);
    context.fillStyle = "#ffffff";
    context.fillRect(side, top, (size - 2 * side) * part, height);
  }

  private drawHatch(context: CanvasRenderingContext2D): void {
    const { size } = this.layout;
    const pitch = Math.max(4, size / 5);
    context.strokeStyle = this.colours.line;
    context.lineWidth = Math.max(1, size / 18);
    context.beginPath();
    for (let at = -size; at < size * 2; at += pitch) {
      context.moveTo(at, size);
      context.lineTo(at + size, 0);
    }
    context.stroke();
  }

  private drawCorner(context: CanvasRenderingContext2D): void {
    const { size } = this.layout;
    context.fillStyle = this.colours.fill.quarantined;
    context.beginPath();
    context.moveTo(size, 0);
    context.lineTo(size, size * 0.42);
    context.lineTo(size * 0.58, 0);
    context.fill();
  }

  private drawFrame(context: CanvasRenderingContext2D, colour: string, inner: string): void {
    const { size } = this.layout;
    const width = size >= 22 ? 3 : 2;
    this.roundedRect(context, width, width, size - 2 * width);
    context.strokeStyle = inner;
    context.lineWidth = width;
    context.stroke();
    this.roundedRect(context, width / 2, width / 2, size - width);
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.stroke();
  }

  private roundedRect(context: CanvasRenderingContext2D, x: number, y: number, size: number): void {
    context.beginPath();
    context.roundRect(x, y, size, size, Math.min(7, size * 0.2));
  }
}

/** The state's mark, in the middle of a square of that size: a check, a cross, a triangle, a dot, a bar, an exclamation mark. */
export function drawMark(context: CanvasRenderingContext2D, state: TileState, size: number, colour: string): void {
  const hasNumber = size >= 32;
  const [cx, cy] = [size / 2, size * (state === "running" ? 0.5 : hasNumber ? 0.58 : 0.5)];
  const r = size * (hasNumber ? 0.17 : 0.22);
  context.strokeStyle = colour;
  context.fillStyle = colour;
  context.lineWidth = Math.max(1.4, size * 0.075);
  context.lineCap = "round";
  context.lineJoin = "round";
  context.beginPath();
  if (state === "done") {
    context.moveTo(cx - r, cy + r * 0.05);
    context.lineTo(cx - r * 0.25, cy + r * 0.75);
    context.lineTo(cx + r, cy - r * 0.7);
    context.stroke();
  } else if (state === "error") {
    context.moveTo(cx - r * 0.8, cy - r * 0.8);
    context.lineTo(cx + r * 0.8, cy + r * 0.8);
    context.moveTo(cx + r * 0.8, cy - r * 0.8);
    context.lineTo(cx - r * 0.8, cy + r * 0.8);
    context.stroke();
  } else if (state === "running") {
    context.moveTo(cx - r * 0.6, cy - r * 0.9);
    context.lineTo(cx + r * 0.95, cy);
    context.lineTo(cx - r * 0.6, cy + r * 0.9);
    context.fill();
  } else if (state === "waiting") {
    context.arc(cx, cy, Math.max(1.2, r * 0.4), 0, Math.PI * 2);
    context.fill();
  } else if (state === "cancelled") {
    context.moveTo(cx - r, cy);
    context.lineTo(cx + r, cy);
    context.stroke();
  } else if (state === "quarantined") {
    context.moveTo(cx, cy - r);
    context.lineTo(cx, cy + r * 0.2);
    context.stroke();
    context.beginPath();
    context.arc(cx, cy + r * 0.9, Math.max(1, size * 0.05), 0, Math.PI * 2);
    context.fill();
  }
}
