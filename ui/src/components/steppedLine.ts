/** The arithmetic of a small chart over time, whose values hold until the next one. */

export interface Point {
  at: number;
  value: number;
}

export interface Frame {
  from: number;
  to: number;
  low: number;
  high: number;
  width: number;
  height: number;
}

/** Points within a window: the last one before it stands at its beginning, and the last one of all holds to its end. */
export function within(points: readonly Point[], from: number, to: number): Point[] {
  const shown: Point[] = [];
  for (const point of points) {
    if (point.at > to) break;
    if (point.at <= from) shown.length = 0;
    shown.push({ at: Math.max(point.at, from), value: point.value });
  }
  const last = shown.at(-1);
  if (last && last.at < to) shown.push({ at: to, value: last.value });
  return shown;
}

/** A range around the values that is easy to read, and never so narrow that noise looks like news. */
export function rangeOf(points: readonly Point[], least: number): [number, number] {
  const values = points.map(({ value }) => value);
  const low = Math.min(...values);
  const high = Math.max(...values);
  const room = Math.max(0, least - (high - low)) / 2;
  return [Math.floor((low - room) / 5) * 5, Math.ceil((high + room) / 5) * 5];
}

/** A line in steps, as the path of an SVG. */
export function stepPath(points: readonly Point[], frame: Frame): string {
  const x = (at: number) => round(((at - frame.from) / (frame.to - frame.from)) * frame.width);
  const y = (value: number) =>
    round(frame.height - ((value - frame.low) / Math.max(1e-9, frame.high - frame.low)) * frame.height);
  return points
    .map(({ at, value }, place) => (place === 0 ? `M${x(at)} ${y(value)}` : `H${x(at)}V${y(value)}`))
    .join("");
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
