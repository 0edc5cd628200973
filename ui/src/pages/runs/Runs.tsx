/** Every run, newest first, with how far each is and what can be done to it. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { runsQuery } from "../../api/queries";
import type { Run, RunStatus } from "../../api/schema";
import { RunBadge } from "../../components/Badge";
import { Button, buttonLook } from "../../components/Button";
import type { Tally } from "../../components/heatmap/states";
import { Empty, Failed, Loading } from "../../components/Notices";
import { StateBar } from "../../components/StateBar";
import { useNow } from "../../components/useNow";
import { useTitle } from "../../components/useTitle";
import type { MessageKey } from "../../i18n/en";
import { useWords } from "../../i18n/text";
import { RowActions } from "./RowActions";

export type RunFilter = "going" | "failed" | "succeeded" | "cancelled";

const FILTERS: Record<RunFilter, readonly RunStatus[]> = {
  going: ["queued", "running"],
  failed: ["failed", "completed_with_errors"],
  succeeded: ["succeeded"],
  cancelled: ["cancelled", "skipped"],
};
const CHIPS: { filter: RunFilter | undefined; key: MessageKey }[] = [
  { filter: undefined, key: "runs.all" },
  { filter: "going", key: "runs.going" },
  { filter: "failed", key: "runs.failed" },
  { filter: "succeeded", key: "runs.succeeded" },
  { filter: "cancelled", key: "runs.cancelled" },
];
const PAGE = 50;
const MOST = 500;
const route = getRouteApi("/runs");

export function countsOf(run: Run): Tally {
  return {
    done: run.succeeded,
    error: run.failed,
    cancelled: run.cancelled,
    offline: run.skipped_offline,
    running: run.leased,
    waiting: run.waiting,
  };
}

export function RunsPage() {
  const words = useWords();
  const { status, reviewed } = route.useSearch();
  const [limit, setLimit] = useState(PAGE);
  const { data, error, refetch } = useQuery(runsQuery(status ? FILTERS[status] : [], reviewed, limit));
  useTitle(words.t("nav.runs"));
  return (
    <div className="stack gap-5">
      <div className="flex flex-wrap items-center gap-3">
        <h1>{words.t("nav.runs")}</h1>
        <Link to="/runs/new" search={{}} className={`${buttonLook("primary")} ml-auto`}>
          <Plus size={16} aria-hidden="true" />
          {words.t("runs.new")}
        </Link>
      </div>
      <nav aria-label={words.t("runs.filter")} className="flex flex-wrap gap-1.5">
        {CHIPS.map(({ filter, key }) => (
          <Link
            key={key}
            to="/runs"
            search={filter ? { status: filter } : {}}
            activeOptions={{ exact: true, includeSearch: true }}
            className="rounded-full border border-line bg-surface px-3 py-1 text-xs font-medium text-soft hover:border-line-strong aria-[current=page]:border-accent aria-[current=page]:bg-accent-soft aria-[current=page]:text-ink"
          >
            {words.t(key)}
          </Link>
        ))}
        {reviewed === false && (
          <Link to="/runs" search={status ? { status } : {}} className="px-2 py-1 text-xs text-accent hover:underline">
            {words.t("runs.unreviewed_only")} ✕
          </Link>
        )}
      </nav>
      {!data ? (
        error ? (
          <Failed error={error} onRetry={() => void refetch()} />
        ) : (
          <Loading />
        )
      ) : (
        <div className="card relative overflow-x-auto">
          {data.runs.length === 0 ? (
            <Empty title={words.t(status ? "runs.none_such" : "runs.none")}>
              {!status && (
                <Link to="/onboarding" className="text-accent hover:underline">
                  {words.t("runs.none_hint")}
                </Link>
              )}
            </Empty>
          ) : (
            <RunTable runs={data.runs} />
          )}
        </div>
      )}
      {data?.next && limit < MOST && (
        <Button className="justify-self-center" onClick={() => setLimit(Math.min(MOST, limit * 2))}>
          {words.t("runs.more")}
        </Button>
      )}
    </div>
  );
}

function RunTable({ runs }: { runs: readonly Run[] }) {
  const { t } = useWords();
  const now = useNow(5000);
  return (
    <table className="w-full text-left sm:min-w-[760px]">
      <thead className="text-xs text-faint">
        <tr className="border-b border-line">
          <th className="px-4 py-2.5 font-medium">{t("runs.name")}</th>
          <th className="py-2.5 font-medium max-sm:hidden">{t("runs.status")}</th>
          <th className="w-[28%] py-2.5 font-medium">{t("runs.devices")}</th>
          <th className="px-4 py-2.5 font-medium max-sm:hidden">{t("runs.started")}</th>
          <th className="py-2.5 font-medium max-sm:hidden">{t("runs.took")}</th>
          <th className="px-4 py-2.5">
            <span className="sr-only">{t("runs.actions")}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <Row key={run.run_id} run={run} now={now} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ run, now }: { run: Run; now: number }) {
  const words = useWords();
  const until = run.finished_at ? Date.parse(run.finished_at) : now;
  const took = run.started_at ? Math.max(0, until - Date.parse(run.started_at)) / 1000 : null;
  const ended = run.total_jobs - run.waiting - run.leased;
  return (
    <tr className="border-b border-line last:border-0 hover:bg-raised">
      <td className="max-w-48 px-4 py-3 sm:max-w-72">
        <Link
          to="/runs/$runId"
          params={{ runId: run.run_id }}
          search={{}}
          className="block truncate font-medium hover:text-accent"
        >
          {run.name}
        </Link>
        <span className="text-xs text-faint">
          {run.retry_of ? words.t("runs.is_retry") : run.replay_of ? words.t("runs.is_replay") : run.created_by}
        </span>
        <div className="mt-1 sm:hidden">
          <RunBadge status={run.status} />
        </div>
      </td>
      <td className="py-3 max-sm:hidden">
        <RunBadge status={run.status} />
      </td>
      <td className="py-3">
        <StateBar counts={countsOf(run)} />
        <div className="mt-1 text-xs text-faint tabular-nums">
          {words.t("runs.ended_of", { ended, total: run.total_jobs })}
          {run.failed > 0 && ` · ${words.t("runs.with_errors", { count: run.failed })}`}
        </div>
      </td>
      <td className="px-4 py-3 whitespace-nowrap text-soft max-sm:hidden">{words.ago(run.created_at, now)}</td>
      <td className="py-3 whitespace-nowrap text-soft tabular-nums max-sm:hidden">
        {took === null ? "–" : words.duration(Math.round(took))}
      </td>
      <td className="px-4 py-3 text-right">
        <RowActions run={run} />
      </td>
    </tr>
  );
}
