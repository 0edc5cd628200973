/** A state's tile in small: its colour and its mark, as on the heatmap. */

import type { TileState } from "./heatmap/states";

const MARKS: Record<TileState, string> = {
  done: "M4.6 8.2 7 10.6l4.6-5",
  error: "M5.2 5.2l5.6 5.6M10.8 5.2l-5.6 5.6",
  running: "M6.2 4.8 11 8l-4.8 3.2z",
  waiting: "M8 8h.01",
  cancelled: "M4.8 8h6.4",
  quarantined: "M8 4.4v4M8 11.4h.01",
  offline: "M2.5 13.5l11-11M-1 11 9-1M6 17 17 6",
  idle: "",
};

export function StateMark({ state, size = 16 }: { state: TileState; size?: number }) {
  const isSolid = state === "running";
  const colour =
    state === "waiting" || state === "offline"
      ? "var(--mark-on-weak)"
      : state === "quarantined"
        ? "var(--mark-quarantined)"
        : "var(--mark-on-strong)";
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      className="shrink-0 overflow-hidden rounded-[4px]"
    >
      <rect width="16" height="16" rx="3.5" fill={`var(--state-${state})`} />
      <path
        d={MARKS[state]}
        fill={isSolid ? colour : "none"}
        stroke={state === "offline" ? "var(--line-strong)" : colour}
        strokeWidth={state === "waiting" ? 3.2 : 1.8}
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
