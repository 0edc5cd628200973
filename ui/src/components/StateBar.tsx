/** How much of something is in which state: one bar, whose parts differ by pattern as well as by colour. */

import { useWords } from "../i18n/text";
import type { Tally, TileState } from "./heatmap/states";
import { stateName } from "./names";

const ORDER: readonly TileState[] = ["done", "error", "quarantined", "cancelled", "offline", "running", "waiting"];
const HATCHED: ReadonlySet<TileState> = new Set(["error", "offline"]);

interface StateBarProps {
  counts: Tally;
  isTall?: boolean;
  /** What a state is called here; as everywhere, unless told. */
  nameOf?: (state: TileState) => string;
}

export function StateBar({ counts, isTall = false, nameOf }: StateBarProps) {
  const words = useWords();
  const name = nameOf ?? ((state: TileState) => stateName(words, state));
  const parts = ORDER.map((state) => ({ state, count: counts[state] ?? 0 })).filter(({ count }) => count > 0);
  const label = parts.map(({ state, count }) => `${words.number(count)} ${name(state)}`).join(", ");
  return (
    <div
      role="img"
      aria-label={label || words.t("bar.nothing")}
      title={label}
      className={`flex w-full gap-px overflow-hidden rounded-full bg-line ${isTall ? "h-2.5" : "h-1.5"}`}
    >
      {parts.map(({ state, count }) => (
        <div
          key={state}
          style={{
            flexGrow: count,
            backgroundColor: `var(--state-${state})`,
            ...(HATCHED.has(state)
              ? { backgroundImage: "repeating-linear-gradient(135deg, transparent 0 3px, rgb(0 0 0 / 22%) 3px 5px)" }
              : {}),
          }}
          className="min-w-1 transition-[flex-grow] duration-500"
        />
      ))}
    </div>
  );
}
