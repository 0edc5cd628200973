import type { Firing } from "../../api/schema";
import type { TileState } from "../../components/heatmap/states";
import { tileOfRun } from "../../components/names";
import { StateMark } from "../../components/StateMark";
import { useWords, type Words } from "../../i18n/text";
import { zoneTime } from "./zones";

export function outcomeState(firing: Firing): TileState {
  if (firing.outcome === "skipped") return "offline";
  if (firing.outcome === "missed") return "quarantined";
  if (firing.outcome === "failed") return "error";
  return firing.run_status ? tileOfRun(firing.run_status) : "done";
}

export function outcomeName({ t }: Words, firing: Firing): string {
  const name = t(`firing.${firing.outcome}`);
  return firing.times > 1 ? t("firing.times", { outcome: name, count: firing.times }) : name;
}

/** The last firings in small, oldest first: what became of each is its colour, its mark and its title. */
export function LastFirings({ firings, zone }: { firings: readonly Firing[]; zone: string }) {
  const words = useWords();
  if (firings.length === 0) return <span className="text-faint">–</span>;
  return (
    <ul className="flex gap-1" aria-label={words.t("schedule.last_firings")}>
      {[...firings].reverse().map((firing) => {
        const told = `${zoneTime(words.language, firing.due_at, zone)}: ${outcomeName(words, firing)}`;
        return (
          <li key={firing.firing_id} title={firing.reason ? `${told} (${firing.reason})` : told}>
            <StateMark state={outcomeState(firing)} />
            <span className="sr-only">{told}</span>
          </li>
        );
      })}
    </ul>
  );
}
