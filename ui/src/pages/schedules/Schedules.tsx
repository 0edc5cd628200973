/** Every schedule: what it runs, when it is due next, and how it went lately. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { schedulesQuery } from "../../api/schedules";
import type { ScheduleView } from "../../api/schema";
import { buttonLook } from "../../components/Button";
import { Empty, Failed, Loading } from "../../components/Notices";
import { useTitle } from "../../components/useTitle";
import { useWords } from "../../i18n/text";
import { LastFirings } from "./Outcome";
import { ScheduleActions } from "./ScheduleActions";
import { zoneTime } from "./zones";

export function SchedulesPage() {
  const { t } = useWords();
  const { data, error, refetch } = useQuery(schedulesQuery);
  useTitle(t("nav.schedules"));
  return (
    <div className="stack gap-5">
      <div className="flex flex-wrap items-center gap-3">
        <h1>{t("nav.schedules")}</h1>
        <Link to="/schedules/new" className={`${buttonLook("primary")} ml-auto`}>
          <Plus size={16} aria-hidden="true" />
          {t("schedule.new")}
        </Link>
      </div>
      {!data ? (
        error ? (
          <Failed error={error} onRetry={() => void refetch()} />
        ) : (
          <Loading />
        )
      ) : data.schedules.length === 0 ? (
        <div className="card">
          <Empty title={t("schedule.none")}>{t("schedule.none_hint")}</Empty>
        </div>
      ) : (
        <ul className="card divide-y divide-line">
          {data.schedules.map((schedule) => (
            <Line key={schedule.schedule_id} schedule={schedule} />
          ))}
        </ul>
      )}
    </div>
  );
}

function Line({ schedule }: { schedule: ScheduleView }) {
  const { t, language } = useWords();
  const [next, ...later] = schedule.next_times;
  return (
    <li className="grid gap-x-6 gap-y-2 px-4 py-3.5 sm:grid-cols-[minmax(0,1.3fr)_minmax(0,1.2fr)_15rem] sm:items-center sm:px-5">
      <div className="min-w-0">
        <Link
          to="/schedules/$scheduleId"
          params={{ scheduleId: schedule.schedule_id }}
          className="block truncate font-medium hover:text-accent"
        >
          {schedule.name}
        </Link>
        <div className="flex flex-wrap gap-x-2 text-xs text-faint">
          <span>{schedule.run.workflow}</span>
          <code>{schedule.cron}</code>
          <span>{schedule.time_zone}</span>
        </div>
      </div>
      <div className="min-w-0">
        {next ? (
          <>
            <div className="tabular-nums">{zoneTime(language, next, schedule.time_zone)}</div>
            <details className="text-xs text-soft">
              <summary className="w-fit rounded hover:text-ink">
                {t("schedule.next_more", { count: later.length })}
              </summary>
              <ol className="mt-1 grid gap-0.5 tabular-nums">
                {later.map((time) => (
                  <li key={time}>{zoneTime(language, time, schedule.time_zone)}</li>
                ))}
              </ol>
            </details>
          </>
        ) : (
          <span className="inline-flex rounded-full bg-warn-soft px-2.5 py-0.5 text-xs font-medium text-warn">
            {t("schedule.paused")}
          </span>
        )}
      </div>
      <div className="flex items-center justify-between gap-4">
        <LastFirings firings={schedule.last_firings} zone={schedule.time_zone} />
        <ScheduleActions schedule={schedule} />
      </div>
    </li>
  );
}
