/** How many contents were new in each hour: bars, drawn by hand. */

import { useRef, useState } from "react";
import type { ContentHour } from "../../api/schema";
import { niceCeiling } from "../../components/HourChart";
import { useWidth } from "../../components/heatmap/useWidth";
import { useWords } from "../../i18n/text";

const HEIGHT = 130;
const FOOT = 20;
const SIDE = 28;

export function NewPerHour({ hours }: { hours: readonly ContentHour[] }) {
  const words = useWords();
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const [hover, setHover] = useState<number | null>(null);
  const most = niceCeiling(Math.max(1, ...hours.map((hour) => hour.contents)));
  const room = HEIGHT - FOOT - 8;
  const pitch = Math.max(1, (width - SIDE) / Math.max(1, hours.length));
  const bar = Math.max(1, Math.min(24, pitch * 0.7));
  const y = (value: number) => 8 + room - (value / most) * room;
  const every = Math.max(1, Math.ceil(hours.length / Math.max(2, Math.floor(width / 64))));
  const shown = hover === null ? undefined : hours[hover];
  return (
    <div ref={frame} className="relative">
      <svg
        width={width}
        height={HEIGHT}
        role="img"
        aria-label={words.t("content.hours_label", { count: hours.reduce((sum, hour) => sum + hour.contents, 0) })}
        onMouseLeave={() => setHover(null)}
      >
        {[0, 1].map((part) => (
          <g key={part}>
            <line x1={SIDE} x2={width} y1={y(most * part)} y2={y(most * part)} stroke="var(--line)" />
            <text x={SIDE - 8} y={y(most * part) + 4} textAnchor="end" fontSize="11" fill="var(--faint)">
              {words.number(most * part)}
            </text>
          </g>
        ))}
        {hours.map((hour, at) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: pointing only says a bar's height in words
          <g key={hour.hour} onMouseEnter={() => setHover(at)}>
            <rect
              x={SIDE + at * pitch}
              y={0}
              width={pitch}
              height={HEIGHT - FOOT}
              fill={hover === at ? "var(--raised)" : "transparent"}
            />
            <rect
              x={SIDE + at * pitch + (pitch - bar) / 2}
              y={y(hour.contents)}
              width={bar}
              height={y(0) - y(hour.contents)}
              fill="var(--accent)"
              rx={Math.min(2, bar / 4)}
              data-contents={hour.contents}
            />
            {at % every === 0 && (
              <text
                x={SIDE + at * pitch + pitch / 2}
                y={HEIGHT - 5}
                textAnchor="middle"
                fontSize="11"
                fill="var(--faint)"
              >
                {words.time(hour.hour).slice(0, 5)}
              </text>
            )}
          </g>
        ))}
      </svg>
      {shown && hover !== null && (
        <div
          className="pointer-events-none absolute top-0 z-10 rounded-lg bg-ink px-2.5 py-1.5 text-xs whitespace-nowrap text-canvas shadow-high"
          style={{ left: Math.min(SIDE + hover * pitch + pitch, Math.max(0, width - 130)) }}
        >
          <div className="font-medium">{words.dateTime(shown.hour)}</div>
          <div>{words.t("content.hour", { count: shown.contents })}</div>
        </div>
      )}
    </div>
  );
}
