/** What ended in each hour: stacked bars, succeeded below and failed above, drawn by hand. */

import { useId, useRef, useState } from "react";
import type { Hour } from "../api/schema";
import { useWords } from "../i18n/text";
import { useWidth } from "./heatmap/useWidth";
import { StateMark } from "./StateMark";

const HEIGHT = 200;
const FOOT = 22;
const SIDE = 34;

export function HourChart({ hours }: { hours: readonly Hour[] }) {
  const words = useWords();
  const pattern = useId();
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const [hover, setHover] = useState<number | null>(null);
  const most = niceCeiling(Math.max(1, ...hours.map(totalOf)));
  const room = HEIGHT - FOOT - 8;
  const pitch = Math.max(1, (width - SIDE) / Math.max(1, hours.length));
  const bar = Math.max(1, Math.min(28, pitch * 0.72));
  const y = (value: number) => 8 + room - (value / most) * room;
  const every = Math.max(1, Math.ceil(hours.length / Math.max(2, Math.floor(width / 70))));
  const shown = hover === null ? undefined : hours[hover];
  return (
    <div ref={frame} className="relative">
      <svg
        width={width}
        height={HEIGHT}
        role="img"
        aria-label={words.t("chart.label", {
          succeeded: hours.reduce((sum, hour) => sum + hour.succeeded, 0),
          failed: hours.reduce((sum, hour) => sum + hour.failed, 0),
        })}
        onMouseLeave={() => setHover(null)}
      >
        <defs>
          <pattern id={pattern} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <rect width="5" height="5" fill="var(--state-error)" />
            <rect width="1.6" height="5" fill="rgb(0 0 0 / 30%)" />
          </pattern>
        </defs>
        {[0, 0.5, 1].map((part) => (
          <g key={part}>
            <line x1={SIDE} x2={width} y1={y(most * part)} y2={y(most * part)} stroke="var(--line)" />
            <text x={SIDE - 8} y={y(most * part) + 4} textAnchor="end" fontSize="11" fill="var(--faint)">
              {words.number(most * part, {
                maximumFractionDigits: 1,
                notation: most >= 10_000 ? "compact" : "standard",
              })}
            </text>
          </g>
        ))}
        {hours.map((hour, at) => {
          const x = SIDE + at * pitch + (pitch - bar) / 2;
          const middle = y(hour.succeeded);
          return (
            // biome-ignore lint/a11y/noStaticElementInteractions: pointing only shows what the table beside it says, too
            <g key={hour.hour} onMouseEnter={() => setHover(at)}>
              <rect
                x={SIDE + at * pitch}
                y={0}
                width={pitch}
                height={HEIGHT - FOOT}
                fill={hover === at ? "var(--raised)" : "transparent"}
              />
              <rect
                x={x}
                y={middle}
                width={bar}
                height={y(0) - middle}
                fill="var(--state-done)"
                rx={Math.min(2, bar / 4)}
              />
              <rect
                x={x}
                y={y(hour.succeeded + hour.failed)}
                width={bar}
                height={middle - y(hour.succeeded + hour.failed)}
                fill={`url(#${pattern})`}
                rx={Math.min(2, bar / 4)}
              />
              {at % every === 0 && (
                <text
                  x={x + bar / 2}
                  y={HEIGHT - 5}
                  textAnchor={at === hours.length - 1 ? "end" : "middle"}
                  fontSize="11"
                  fill="var(--faint)"
                >
                  {hours.length > 48
                    ? words.dateTime(hour.hour).split(/\s\d\d:/)[0]
                    : words.time(hour.hour).slice(0, 5)}
                </text>
              )}
            </g>
          );
        })}
      </svg>
      {shown && hover !== null && (
        <div
          className="pointer-events-none absolute top-0 z-10 rounded-lg bg-ink px-2.5 py-1.5 text-xs whitespace-nowrap text-canvas shadow-high"
          style={{ left: Math.min(SIDE + hover * pitch + pitch, width - 150) }}
        >
          <div className="font-medium">{words.dateTime(shown.hour)}</div>
          <div>
            {words.t("chart.hour", { started: shown.runs_started, succeeded: shown.succeeded, failed: shown.failed })}
          </div>
        </div>
      )}
      <div className="mt-2 flex gap-4 text-xs text-soft" aria-hidden="true">
        <span className="flex items-center gap-1.5">
          <StateMark state="done" size={12} />
          {words.t("chart.succeeded")}
        </span>
        <span className="flex items-center gap-1.5">
          <StateMark state="error" size={12} />
          {words.t("chart.failed")}
        </span>
      </div>
    </div>
  );
}

function totalOf(hour: Hour): number {
  return hour.succeeded + hour.failed;
}

/** The next number that is easy to halve and to read. */
export function niceCeiling(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  for (const step of [1, 2, 4, 6, 8, 10]) if (value <= step * power) return Math.max(2, step * power);
  return value;
}
