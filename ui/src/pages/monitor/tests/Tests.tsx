/** A run's tests: how many passed, which did not, and where phones differ. */

import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Download, Search } from "lucide-react";
import { useMemo } from "react";
import type { CaseCounts } from "../../../api/schema";
import { type CaseKey, junitUrl, TEST_FILTERS, type TestFilter, testsQuery } from "../../../api/tests";
import { Button, buttonLook } from "../../../components/Button";
import { Empty, Failed, Loading } from "../../../components/Notices";
import { StateBar } from "../../../components/StateBar";
import { StateMark } from "../../../components/StateMark";
import { useWords } from "../../../i18n/text";
import { CaseList } from "./CaseList";
import { isMatrix, tallyOf, tileOfVerdict, verdictOfTile } from "./cases";
import { Matrix } from "./Matrix";

const VERDICTS = ["passed", "failed", "errored", "skipped", "running", "pending"] as const;
const route = getRouteApi("/runs/$runId");

interface TestsProps {
  runId: string;
  isGoing: boolean;
  onOpen: (key: CaseKey) => void;
  onDevice: (index: number) => void;
}

export function Tests({ runId, isGoing, onOpen, onDevice }: TestsProps) {
  const { t } = useWords();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const found = useInfiniteQuery(testsQuery(runId, search.show, search.find ?? "", isGoing));
  const cases = useMemo(() => found.data?.pages.flatMap((page) => page.cases) ?? [], [found.data]);
  const first = found.data?.pages[0];
  if (!first) return found.error ? <Failed error={found.error} onRetry={() => void found.refetch()} /> : <Loading />;
  const { devices, summary } = first;
  return (
    <div className="stack gap-5">
      {summary && <Summary runId={runId} counts={summary} />}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Filters summary={summary} />
        <label className="relative ml-auto max-w-full max-sm:w-full">
          <span className="sr-only">{t("tests.find")}</span>
          <Search size={14} aria-hidden="true" className="absolute top-2.5 left-3 text-faint" />
          <input
            type="search"
            className="field !pl-8 sm:w-72"
            placeholder={t("tests.find")}
            value={search.find ?? ""}
            onChange={({ target: { value } }) => {
              const { find: _, ...rest } = search;
              void navigate({ search: value ? { ...rest, find: value } : rest, replace: true });
            }}
          />
        </label>
      </div>
      {cases.length === 0 ? (
        <div className="card">
          <Empty title={t(search.show || search.find ? "tests.none_such" : "tests.none")} />
        </div>
      ) : isMatrix(devices.length, cases) ? (
        <Matrix devices={devices} cases={cases} open={search.case} onOpen={onOpen} onDevice={onDevice} />
      ) : (
        <CaseList cases={cases} open={search.case} onOpen={onOpen} />
      )}
      {found.hasNextPage && (
        <Button
          className="justify-self-center"
          disabled={found.isFetchingNextPage}
          onClick={() => void found.fetchNextPage()}
        >
          {t("runs.more")}
        </Button>
      )}
    </div>
  );
}

function Summary({ runId, counts }: { runId: string; counts: CaseCounts }) {
  const words = useWords();
  const { t } = words;
  const told = VERDICTS.filter((verdict) => counts[verdict] > 0);
  return (
    <section className="card stack gap-3 p-4" aria-label={t("tests.summary")}>
      <div className="flex flex-wrap items-center gap-x-5 gap-y-2">
        <h2 className="text-base tabular-nums">{t("tests.tab", { count: counts.total })}</h2>
        <ul className="flex flex-wrap gap-x-4 gap-y-1 text-soft tabular-nums" data-testid="test-counts">
          {told.map((verdict) => (
            <li key={verdict} className="flex items-center gap-1.5">
              <StateMark state={tileOfVerdict(verdict)} size={14} />
              {words.number(counts[verdict])} {t(`verdict.${verdict}`)}
            </li>
          ))}
          {counts.flaky > 0 && <li className="font-medium text-warn">{t("tests.flaky", { count: counts.flaky })}</li>}
        </ul>
        <a href={junitUrl(runId)} download className={`${buttonLook("plain", "small")} ml-auto`}>
          <Download size={13} aria-hidden="true" />
          {t("tests.junit")}
        </a>
      </div>
      <StateBar counts={tallyOf(counts)} isTall nameOf={(state) => t(`verdict.${verdictOfTile(state)}`)} />
    </section>
  );
}

const CHIP =
  "rounded-full border border-line bg-surface px-3 py-1 text-xs font-medium text-soft hover:border-line-strong aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-ink";

function Filters({ summary }: { summary: CaseCounts | null }) {
  const words = useWords();
  const { t } = words;
  const { show, case: _, ...rest } = route.useSearch();
  const navigate = route.useNavigate();
  const counts: Partial<Record<TestFilter, number>> = summary
    ? { failed: summary.failed + summary.errored, flaky: summary.flaky }
    : {};
  return (
    <fieldset className="flex flex-wrap gap-1.5">
      <legend className="sr-only">{t("tests.filter")}</legend>
      {([undefined, ...TEST_FILTERS] as const).map((filter) => (
        <button
          key={filter ?? "all"}
          type="button"
          aria-pressed={show === filter}
          onClick={() => void navigate({ search: filter ? { ...rest, show: filter } : rest, replace: true })}
          className={CHIP}
        >
          {t(`tests.show_${filter ?? "all"}`)}{" "}
          {filter && counts[filter] !== undefined && (
            <span className="ml-0.5 tabular-nums">{words.number(counts[filter])}</span>
          )}
        </button>
      ))}
    </fieldset>
  );
}
