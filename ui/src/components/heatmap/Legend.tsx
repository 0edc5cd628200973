/** What the tiles mean and how many there are of each; pressing one lets it stand out. */

import { useWords } from "../../i18n/text";
import { stateName } from "../names";
import { StateMark } from "../StateMark";
import type { Tally, TileState } from "./states";

/** The first ones are always there, so that the row does not jump; the rarer ones when there are any. */
const ALWAYS = 4;

interface LegendProps {
  states: readonly TileState[];
  counts: Tally;
  only: TileState | null;
  onOnly: (state: TileState | null) => void;
}

export function Legend({ states, counts, only, onOnly }: LegendProps) {
  const words = useWords();
  return (
    <ul className="flex flex-wrap gap-1.5" aria-label={words.t("heatmap.legend")}>
      {states
        .filter((state, at) => at < ALWAYS || (counts[state] ?? 0) > 0)
        .map((state) => (
          <li key={state}>
            <button
              type="button"
              aria-pressed={only === state}
              onClick={() => onOnly(only === state ? null : state)}
              className="flex items-center gap-1.5 rounded-full border border-line bg-surface py-1 pr-2.5 pl-1.5 text-xs text-soft hover:border-line-strong aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-ink"
            >
              <StateMark state={state} size={14} />
              {stateName(words, state)}
              <span className="font-semibold text-ink tabular-nums">{words.number(counts[state] ?? 0)}</span>
            </button>
          </li>
        ))}
    </ul>
  );
}
