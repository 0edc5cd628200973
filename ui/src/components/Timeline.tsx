/** One value over time, small: a line in steps between its lowest and highest, and what it is now. */

import { useId } from "react";
import { useWords } from "../i18n/text";
import { type Point, rangeOf, stepPath, within } from "./steppedLine";

const WIDTH = 240;
const HEIGHT = 52;

interface TimelineProps {
  title: string;
  unit: string;
  points: readonly Point[];
  from: number;
  to: number;
  /** The narrowest range to show. */
  least: number;
  colour: string;
}

export function Timeline({ title, unit, points, from, to, least, colour }: TimelineProps) {
  const words = useWords();
  const fade = useId();
  const shown = within(points, from, to);
  const last = shown.at(-1);
  const write = (value: number) => `${words.number(value, { maximumFractionDigits: 1 })} ${unit}`;
  if (!last) {
    return (
      <figure>
        <figcaption className="text-xs text-faint">{title}</figcaption>
        <p className="mt-1 text-soft">{words.t("timeline.nothing")}</p>
      </figure>
    );
  }
  const values = shown.map(({ value }) => value);
  const lowest = Math.min(...values);
  const highest = Math.max(...values);
  const [low, high] = rangeOf(shown, least);
  const line = stepPath(shown, { from, to, low, high, width: WIDTH, height: HEIGHT });
  const first = shown[0] as Point;
  const left = ((first.at - from) / (to - from)) * WIDTH;
  return (
    <figure className="min-w-0">
      <figcaption className="flex items-baseline justify-between gap-2">
        <span className="text-xs text-faint">{title}</span>
        <span className="font-medium tabular-nums">{write(last.value)}</span>
      </figcaption>
      <svg
        viewBox={`0 -2 ${WIDTH} ${HEIGHT + 4}`}
        preserveAspectRatio="none"
        className="mt-1.5 h-14 w-full rounded-lg bg-raised"
        role="img"
        aria-label={words.t("timeline.label", {
          title,
          low: write(lowest),
          high: write(highest),
          now: write(last.value),
        })}
      >
        <defs>
          <linearGradient id={fade} x1="0" y1="0" x2="0" y2="1">
            <stop offset="0" stopColor={colour} stopOpacity="0.28" />
            <stop offset="1" stopColor={colour} stopOpacity="0.04" />
          </linearGradient>
        </defs>
        <path d={`${line}V${HEIGHT + 2}H${Math.round(left * 10) / 10}Z`} fill={`url(#${fade})`} />
        <path d={line} fill="none" stroke={colour} strokeWidth="1.8" vectorEffect="non-scaling-stroke" />
      </svg>
      <p className="mt-1 flex justify-between text-xs text-faint tabular-nums">
        <span>{words.t("timeline.low", { value: write(lowest) })}</span>
        <span>{words.t("timeline.high", { value: write(highest) })}</span>
      </p>
    </figure>
  );
}
