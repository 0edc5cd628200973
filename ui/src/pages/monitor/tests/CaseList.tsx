/** Tests that phones share, or that very many phones execute: a row each, with who said what. */

import type { Case, CaseResult } from "../../../api/schema";
import type { CaseKey } from "../../../api/tests";
import { StateMark } from "../../../components/StateMark";
import { useWords } from "../../../i18n/text";
import { CaseName } from "./CaseName";
import { groupByStatus, tileOfVerdict } from "./cases";

interface CaseListProps {
  cases: readonly Case[];
  open: CaseKey | undefined;
  onOpen: (key: CaseKey) => void;
}

export function CaseList({ cases, open, onOpen }: CaseListProps) {
  const { t } = useWords();
  return (
    <ol className="card grid overflow-hidden" aria-label={t("tests.list")}>
      {cases.map((each) => {
        const isOpen = open?.[0] === each.step && open[1] === each.class_name && open[2] === each.name;
        return (
          <li
            key={`${each.step}\n${each.class_name}\n${each.name}`}
            data-test={each.name}
            data-verdict={each.verdict}
            className={`flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2 last:border-0 hover:bg-raised ${isOpen ? "bg-accent-soft" : ""}`}
          >
            <StateMark state={tileOfVerdict(each.verdict)} />
            <span className="sr-only">{t(`verdict.${each.verdict}`)}</span>
            <div className="min-w-0 flex-1 basis-40">
              <CaseName of={each} onOpen={() => onOpen([each.step, each.class_name, each.name])} />
            </div>
            <Told of={each} />
          </li>
        );
      })}
    </ol>
  );
}

const MOST_NAMED = 3;

function Told({ of }: { of: Case }) {
  const words = useWords();
  const { t } = words;
  const groups = groupByStatus(of.results);
  const only = groups.length === 1 && groups[0]?.results.length === 1 ? groups[0].results[0] : undefined;
  if (only) return <span className="text-xs text-soft tabular-nums">{tellOne(only, words)}</span>;
  if (groups.length === 0)
    return <span className="text-xs text-faint">{of.message ?? t(`verdict.${of.verdict}`)}</span>;
  return (
    <span className="flex flex-wrap gap-x-3 text-xs text-soft tabular-nums">
      {groups.map(({ status, results }) => (
        <span key={status} className="flex items-center gap-1">
          <StateMark state={tileOfVerdict(status)} size={13} />
          <span className="sr-only">{t(`verdict.${status}`)}</span>
          {results.length > MOST_NAMED
            ? t("devices.count", { count: results.length })
            : results.map((each) => `#${each.index}`).join(" ")}
        </span>
      ))}
    </span>
  );
}

function tellOne(result: CaseResult, words: ReturnType<typeof useWords>): string {
  const parts = [words.t("device.number", { index: String(result.index) }), words.duration(result.duration_s)];
  if (result.try > 1) parts.splice(1, 0, words.t("tests.try", { n: result.try }));
  return parts.join(" · ");
}
