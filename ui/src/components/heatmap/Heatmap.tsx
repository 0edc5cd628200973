/** One tile per device, on one canvas: to look at, to point at, to choose from. By mouse, by touch and by keyboard. */

import {
  type KeyboardEvent,
  type PointerEvent,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { useWords } from "../../i18n/text";
import { useIsDark } from "../../theme";
import { stateName } from "../names";
import { arrange, type Place, placeOf, step, tileAt, tilesWithin } from "./layout";
import { Painter, readColours } from "./paint";
import { TILE_STATES, type Tile, type TileState, tally } from "./states";
import { useWidth } from "./useWidth";

const RING_MS = 700;
const MOST_RINGS = 300;
const NOTHING: ReadonlySet<number> = new Set();

export interface HeatmapProps {
  tiles: readonly Tile[];
  /** What it shows, for screen readers. */
  label: string;
  /** The number of the device that is open. */
  open?: number | undefined;
  onOpen?: (index: number) => void;
  /** Numbers of chosen devices; without onSelect nothing can be chosen. */
  selected?: ReadonlySet<number>;
  onSelect?: (selected: ReadonlySet<number>) => void;
  only?: TileState | null;
  height?: number;
}

export function Heatmap({
  tiles,
  label,
  open,
  onOpen,
  selected = NOTHING,
  onSelect,
  only = null,
  height = 460,
}: HeatmapProps) {
  const words = useWords();
  const isDark = useIsDark();
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useWidth(frame);
  const [focus, setFocus] = useState(0);
  const [hasFocus, setHasFocus] = useState(false);
  const [hover, setHover] = useState<number | null>(null);
  const [drag, setDrag] = useState<{ from: Place; to: Place } | null>(null);
  const anchor = useRef<number | null>(null);
  // Where tiles are depends on their number and groups alone, so that a change of states moves nothing.
  const shape = `${tiles.length}|${groupsOf(tiles)}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the shape stands for the tiles
  const layout = useMemo(() => arrange(tiles, width, height), [shape, width, height]);
  const openAt = useMemo(() => tiles.findIndex((tile) => tile.index === open), [tiles, open]);
  const active = hasFocus && tiles.length > 0 ? Math.min(focus, tiles.length - 1) : openAt >= 0 ? openAt : null;

  const painter = useMemo(
    () => ({ key: `${shape}|${width}|${isDark}`, current: null as Painter | null }),
    [shape, width, isDark],
  );
  const rings = useRings();
  useLayoutEffect(() => {
    if (!canvas.current || !frame.current || width === 0) return;
    if (!painter.current) {
      const scale = Math.min(window.devicePixelRatio || 1, 2);
      painter.current = new Painter(canvas.current, layout, readColours(frame.current), width, scale);
    }
    const turned = painter.current.update(tiles, { selected, active, only });
    rings(painter.current, tiles, turned);
  }, [painter, layout, tiles, selected, active, only, width, rings]);

  const select = useCallback(
    (at: number, how: { range: boolean; add: boolean }) => {
      if (!onSelect) return;
      const chosen = how.add || how.range ? new Set(selected) : new Set<number>();
      const from = how.range ? (anchor.current ?? at) : at;
      const isOff = how.add && !how.range && selected.has(tiles[at]?.index ?? -1);
      for (let each = Math.min(from, at); each <= Math.max(from, at); each += 1) {
        const tile = tiles[each];
        if (tile && isOff) chosen.delete(tile.index);
        else if (tile) chosen.add(tile.index);
      }
      if (!how.range) anchor.current = at;
      onSelect(chosen);
    },
    [onSelect, selected, tiles],
  );

  function pointAt(event: PointerEvent): Place {
    const box = canvas.current?.getBoundingClientRect();
    return { x: event.clientX - (box?.left ?? 0), y: event.clientY - (box?.top ?? 0) };
  }

  function onPointerDown(event: PointerEvent<HTMLCanvasElement>): void {
    if (event.button !== 0) return;
    const point = pointAt(event);
    setDrag({ from: point, to: point });
    if (onSelect && event.pointerType === "mouse") event.currentTarget.setPointerCapture(event.pointerId);
  }

  function onPointerMove(event: PointerEvent<HTMLCanvasElement>): void {
    const point = pointAt(event);
    setHover(tileAt(layout, point.x, point.y));
    if (drag && onSelect && event.pointerType === "mouse") setDrag({ ...drag, to: point });
  }

  function onPointerUp(event: PointerEvent<HTMLCanvasElement>): void {
    if (!drag) return;
    const point = pointAt(event);
    setDrag(null);
    const add = event.ctrlKey || event.metaKey;
    if (onSelect && isDragged(drag.from, point)) {
      const within = tilesWithin(layout, drag.from, point).flatMap((at) => tiles[at]?.index ?? []);
      onSelect(new Set(add || event.shiftKey ? [...selected, ...within] : within));
      return;
    }
    const at = tileAt(layout, point.x, point.y);
    if (at === null) return;
    setFocus(at);
    const isChoosing = onSelect && (!onOpen || add || event.shiftKey);
    if (isChoosing) select(at, { range: event.shiftKey, add: add || !onOpen });
    else {
      anchor.current = at;
      const tile = tiles[at];
      if (tile) onOpen?.(tile.index);
    }
  }

  function onKeyDown(event: KeyboardEvent<HTMLDivElement>): void {
    const tile = tiles[focus];
    if (event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End") {
      if (tiles.length === 0) return;
      const next = step(layout, Math.min(focus, tiles.length - 1), event.key);
      if (event.shiftKey && onSelect) {
        anchor.current ??= focus;
        select(next, { range: true, add: false });
      } else anchor.current = next;
      setFocus(next);
      setHasFocus(true); // also where a mouse brought the focus
    } else if (event.key === "Enter" && tile && onOpen) onOpen(tile.index);
    else if ((event.key === " " || event.key === "Enter") && onSelect)
      select(focus, { range: event.shiftKey, add: true });
    else if (event.key === "a" && (event.ctrlKey || event.metaKey) && onSelect) {
      onSelect(new Set(tiles.map((each) => each.index)));
    } else if (event.key === "Escape" && onSelect && selected.size > 0) onSelect(NOTHING);
    else return;
    event.preventDefault();
  }

  const counts = tally(tiles);
  const summary = TILE_STATES.filter((state) => counts[state])
    .map((state) => `${words.number(counts[state] ?? 0)} ${stateName(words, state)}`)
    .join(", ");
  const shown = hover ?? (hasFocus ? active : null);
  const shownTile = shown === null ? undefined : tiles[shown];
  const spoken = hasFocus && active !== null ? tiles[active] : undefined;
  return (
    <div
      ref={frame}
      role="application"
      aria-roledescription={words.t("heatmap.role")}
      aria-label={`${label}. ${summary}. ${words.t(onSelect ? "heatmap.keys_select" : "heatmap.keys")}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: an application takes the keyboard
      tabIndex={0}
      className="relative rounded-md outline-offset-8 select-none"
      onKeyDown={onKeyDown}
      onFocus={(event) => setHasFocus(event.currentTarget.matches(":focus-visible"))}
      onBlur={() => setHasFocus(false)}
    >
      <canvas
        ref={canvas}
        data-testid="heatmap"
        data-columns={layout.columns}
        data-pitch={layout.pitch}
        style={{ width, height: layout.height }}
        className={`block ${onOpen || onSelect ? "cursor-pointer" : ""}`}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerLeave={() => setHover(null)}
        onPointerCancel={() => setDrag(null)}
      />
      {drag && isDragged(drag.from, drag.to) && <Marquee from={drag.from} to={drag.to} />}
      {shown !== null && shownTile && !drag?.to && (
        <Tooltip tile={shownTile} place={placeOf(layout, shown)} size={layout.size} width={width} />
      )}
      <p aria-live="polite" className="sr-only">
        {spoken && `${spoken.title}, ${stateName(words, spoken.state)}. ${spoken.detail ?? ""}`}
      </p>
    </div>
  );
}

function Tooltip({ tile, place, size, width }: { tile: Tile; place: Place; size: number; width: number }) {
  const words = useWords();
  const isRight = place.x > width - 260;
  return (
    <div
      aria-hidden="true"
      className="pointer-events-none absolute z-20 max-w-64 rounded-lg bg-ink px-2.5 py-1.5 text-xs text-canvas shadow-high"
      style={{
        top: place.y + size + 6,
        ...(isRight ? { right: Math.max(0, width - place.x - size) } : { left: place.x }),
      }}
    >
      <div className="font-medium">{tile.title}</div>
      <div className="opacity-80">{stateName(words, tile.state)}</div>
      {tile.detail && <div className="mt-0.5 line-clamp-3 opacity-80">{tile.detail}</div>}
    </div>
  );
}

function Marquee({ from, to }: { from: Place; to: Place }) {
  return (
    <div
      className="pointer-events-none absolute rounded-sm border border-accent bg-accent/15"
      style={{
        left: Math.min(from.x, to.x),
        top: Math.min(from.y, to.y),
        width: Math.abs(from.x - to.x),
        height: Math.abs(from.y - to.y),
      }}
    />
  );
}

/** Lets tiles that turned light up for a moment, unless the reader wants things still. */
function useRings(): (painter: Painter, tiles: readonly Tile[], turned: readonly number[]) => void {
  const glowing = useRef(new Map<number, number>());
  const latest = useRef<{ painter: Painter; tiles: readonly Tile[] } | null>(null);
  const pending = useRef(0);
  useEffect(() => () => cancelAnimationFrame(pending.current), []);
  return useCallback((painter, tiles, turned) => {
    if (latest.current?.painter !== painter) glowing.current.clear();
    latest.current = { painter, tiles };
    if (turned.length === 0 || turned.length > MOST_RINGS) return;
    if (window.matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    for (const at of turned) glowing.current.set(at, performance.now());
    const glow = (now: number) => {
      for (const [at, since] of glowing.current) {
        const tile = latest.current?.tiles[at];
        const left = 1 - (now - since) / RING_MS;
        if (tile) latest.current?.painter.paintRing(tile, at, left);
        if (left <= 0) glowing.current.delete(at);
      }
      pending.current = glowing.current.size > 0 ? requestAnimationFrame(glow) : 0;
    };
    if (pending.current === 0) pending.current = requestAnimationFrame(glow);
  }, []);
}

function isDragged(from: Place, to: Place): boolean {
  return Math.abs(from.x - to.x) + Math.abs(from.y - to.y) > 6;
}

function groupsOf(tiles: readonly Tile[]): string {
  let text = "";
  let before: string | undefined;
  tiles.forEach((tile, at) => {
    if (at > 0 && tile.group === before) return;
    text += `${at}:${tile.group ?? ""};`;
    before = tile.group;
  });
  return text;
}
