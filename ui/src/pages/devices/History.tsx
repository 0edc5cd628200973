/** What a phone did, run by run: how each went, what went wrong, how long it took. */

import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { deviceJobsQuery } from "../../api/queries";
import type { DeviceJob } from "../../api/schema";
import { Button } from "../../components/Button";
import { Refusal } from "../../components/Notices";
import { failureOf, jobStatusName, tileOfJob } from "../../components/names";
import { StateMark } from "../../components/StateMark";
import { useNow } from "../../components/useNow";
import { useWords } from "../../i18n/text";

export function History({ deviceId, index }: { deviceId: string; index: number }) {
  const { t } = useWords();
  const [failedOnly, setFailedOnly] = useState(false);
  const history = useInfiniteQuery(deviceJobsQuery(deviceId, failedOnly));
  const now = useNow(1000);
  const jobs = history.data?.pages.flatMap((page) => page.jobs) ?? [];
  return (
    <section aria-label={t("history.title")}>
      <div className="mb-3 flex items-center justify-between gap-2">
        <h2>{t("history.title")}</h2>
        <label className="flex cursor-pointer items-center gap-1.5 text-xs text-soft">
          <input type="checkbox" checked={failedOnly} onChange={(event) => setFailedOnly(event.target.checked)} />
          {t("history.failed_only")}
        </label>
      </div>
      <Refusal error={history.error} />
      {history.data && jobs.length === 0 && (
        <p className="text-soft">{t(failedOnly ? "history.no_failures" : "history.none")}</p>
      )}
      {jobs.length > 0 && (
        <ol className="grid gap-px overflow-hidden rounded-xl border border-line bg-line">
          {jobs.map((job) => (
            <Entry key={job.job_id} job={job} index={index} now={now} />
          ))}
        </ol>
      )}
      {history.hasNextPage && (
        <Button
          size="small"
          className="mt-3"
          disabled={history.isFetchingNextPage}
          onClick={() => void history.fetchNextPage()}
        >
          {t("history.more")}
        </Button>
      )}
    </section>
  );
}

function Entry({ job, index, now }: { job: DeviceJob; index: number; now: number }) {
  const words = useWords();
  const failure = job.failure_reason && failureOf(words, job.failure_reason);
  const took = tookOf(job, now);
  return (
    <li className="bg-surface px-3 py-2.5" data-job={job.job_id} data-status={job.status}>
      <div className="flex items-center gap-2.5">
        <StateMark state={tileOfJob(job.status)} />
        <Link
          to="/runs/$runId"
          params={{ runId: job.run_id }}
          search={{ device: index }}
          className="min-w-0 truncate font-medium text-accent hover:underline"
        >
          {job.run_name}
        </Link>
        <span className="sr-only">{jobStatusName(words, job.status)}</span>
        <span className="ml-auto shrink-0 text-xs text-soft tabular-nums">
          {took === null ? jobStatusName(words, job.status) : words.duration(took)}
        </span>
      </div>
      <p className="mt-0.5 ml-[26px] text-xs text-faint">
        {words.ago(job.finished_at ?? job.started_at ?? job.queued_at, now)}
        {job.attempt > 1 && ` · ${words.t("device.attempt", { attempt: job.attempt })}`}
        {failure && <span className="text-danger"> · {failure.title}</span>}
      </p>
      {job.error_message && (
        <p className="mt-1 ml-[26px] line-clamp-2 font-mono text-xs break-words text-soft" title={job.error_message}>
          {job.error_message}
        </p>
      )}
    </li>
  );
}

function tookOf(job: DeviceJob, now: number): number | null {
  if (!job.started_at) return null;
  const until = job.finished_at ? Date.parse(job.finished_at) : job.status === "running" ? now : null;
  return until === null ? null : Math.max(0, until - Date.parse(job.started_at)) / 1000;
}
