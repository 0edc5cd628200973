/** The steps of a distributed run as a graph: each with its state, an arrow to whatever needs it. */

import { type KeyboardEvent, useMemo, useRef, useState } from "react";
import type { GraphStep } from "../../api/schema";
import { stepStatusName, tileOfStep } from "../../components/names";
import { StateMark } from "../../components/StateMark";
import { useWords } from "../../i18n/text";
import { layOut, neighbour, type Place } from "./layout";

/** From so many steps on they are tiles without names: the name is told on hover, on focus and when one is opened. */
const MANY = 120;
const WIDE = { width: 172, height: 34, across: 228, down: 46 };
const SMALL = { width: 16, height: 16, across: 44, down: 22 };
const MARGIN = 12;

interface GraphProps {
  steps: readonly GraphStep[];
  open: string | undefined;
  onOpen: (step: string) => void;
}

export function Graph({ steps, open, onOpen }: GraphProps) {
  const words = useWords();
  const svg = useRef<SVGSVGElement>(null);
  const [current, setCurrent] = useState<string>();
  const shape = steps.map((step) => `${step.step}<${step.needs.join(",")}`).join(";");
  // biome-ignore lint/correctness/useExhaustiveDependencies: states change often, and do not move the steps
  const layout = useMemo(() => layOut(steps), [shape]);
  const size = steps.length > MANY ? SMALL : WIDE;
  const deepest = Math.max(1, ...layout.layers.map((layer) => layer.length));
  const at = (place: Place) => ({ x: MARGIN + place.layer * size.across, y: MARGIN + place.row * size.down });
  const width = MARGIN * 2 + (layout.layers.length - 1) * size.across + size.width;
  const height = MARGIN * 2 + (deepest - 1) * size.down + size.height;
  const focused = current && layout.places.has(current) ? current : layout.layers[0]?.[0];

  function onKey(event: KeyboardEvent, step: string): void {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      onOpen(step);
      return;
    }
    const next = neighbour(layout, steps, step, event.key);
    if (next === undefined) return;
    event.preventDefault();
    setCurrent(next);
    svg.current?.querySelector<SVGGElement>(`[data-step="${CSS.escape(next)}"]`)?.focus();
  }

  return (
    <section className="card p-4" aria-label={words.t("graph.label")}>
      <div className="mb-3 flex flex-wrap items-baseline gap-x-4">
        <h2>{words.t("graph.title")}</h2>
        <span className="text-xs text-soft">{words.t("graph.count", { count: steps.length })}</span>
        <span className="ml-auto text-xs text-faint max-sm:hidden">{words.t("graph.hint")}</span>
      </div>
      <div className="max-h-[60vh] overflow-auto rounded-lg border border-line bg-raised">
        {/* biome-ignore lint/a11y/useSemanticElements: no other element holds a drawing */}
        <svg ref={svg} width={width} height={height} role="group" aria-label={words.t("graph.label")}>
          <path
            d={edgesOf(steps, layout.places, at, size)}
            fill="none"
            stroke="var(--line-strong)"
            strokeWidth={size === WIDE ? 1.5 : 0.75}
            strokeOpacity={size === WIDE ? 1 : 0.45}
          />
          {steps.map((step) => {
            const place = layout.places.get(step.step);
            if (!place) return null;
            const { x, y } = at(place);
            const label = `${step.step}: ${stepStatusName(words, step.status)}`;
            return (
              // biome-ignore lint/a11y/useSemanticElements: a button cannot stand in a drawing
              <g
                key={step.step}
                role="button"
                tabIndex={step.step === focused ? 0 : -1}
                aria-label={label}
                aria-pressed={step.step === open}
                data-step={step.step}
                data-status={step.status}
                transform={`translate(${x} ${y})`}
                className="group cursor-pointer outline-none"
                onClick={() => {
                  setCurrent(step.step);
                  onOpen(step.step);
                }}
                onKeyDown={(event) => onKey(event, step.step)}
              >
                <title>{label}</title>
                <rect
                  x={-2}
                  y={-2}
                  width={size.width + 4}
                  height={size.height + 4}
                  rx={10}
                  fill="none"
                  strokeWidth={2}
                  className={
                    step.step === open ? "stroke-accent" : "stroke-transparent group-focus-visible:stroke-accent"
                  }
                />
                {size === WIDE ? <Wide step={step} /> : <StateMark state={tileOfStep(step.status)} />}
              </g>
            );
          })}
        </svg>
      </div>
    </section>
  );
}

function Wide({ step }: { step: GraphStep }) {
  const name = step.title ?? step.step;
  const isQuiet = step.status === "pending" || step.status === "skipped";
  return (
    <>
      <rect width={WIDE.width} height={WIDE.height} rx={8} fill="var(--surface)" stroke="var(--line)" />
      <g transform="translate(9 9)">
        <StateMark state={tileOfStep(step.status)} />
      </g>
      <text x={34} y={21.5} fontSize={12.5} fontWeight={500} fill={isQuiet ? "var(--soft)" : "var(--ink)"}>
        {name.length > 19 ? `${name.slice(0, 18)}…` : name}
      </text>
    </>
  );
}

/** All arrows as one path: a thousand elements less to keep. */
function edgesOf(
  steps: readonly GraphStep[],
  places: ReadonlyMap<string, Place>,
  at: (place: Place) => { x: number; y: number },
  size: typeof WIDE,
): string {
  const parts: string[] = [];
  for (const step of steps) {
    const to = places.get(step.step);
    for (const need of step.needs) {
      const from = places.get(need);
      if (!to || !from) continue;
      const start = at(from);
      const end = at(to);
      const x1 = start.x + size.width;
      const y1 = start.y + size.height / 2;
      const x2 = end.x;
      const y2 = end.y + size.height / 2;
      const bend = Math.max(12, (x2 - x1) / 2);
      parts.push(`M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`);
    }
  }
  return parts.join("");
}
