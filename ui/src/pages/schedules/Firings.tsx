/** What became of a schedule's due times, newest first. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { firingsQuery } from "../../api/schedules";
import type { Firing, ScheduleView } from "../../api/schema";
import { RunBadge } from "../../components/Badge";
import { Button } from "../../components/Button";
import { Empty, Failed, Loading } from "../../components/Notices";
import { StateMark } from "../../components/StateMark";
import { useWords } from "../../i18n/text";
import { outcomeName, outcomeState } from "./Outcome";
import { zoneTime } from "./zones";

const PAGE = 20;
const MOST = 500;

export function Firings({ schedule }: { schedule: ScheduleView }) {
  const { t } = useWords();
  const [limit, setLimit] = useState(PAGE);
  const { data, error } = useQuery(firingsQuery(schedule.schedule_id, limit));
  return (
    <section className="card stack gap-3 p-5" aria-label={t("schedule.firings")}>
      <h2>{t("schedule.firings")}</h2>
      {!data ? (
        error ? (
          <Failed error={error} />
        ) : (
          <Loading />
        )
      ) : data.firings.length === 0 ? (
        <Empty title={t("schedule.no_firings")} />
      ) : (
        <ul className="divide-y divide-line">
          {data.firings.map((firing) => (
            <FiringLine key={firing.firing_id} firing={firing} zone={schedule.time_zone} />
          ))}
        </ul>
      )}
      {data?.next && limit < MOST && (
        <Button className="justify-self-center" onClick={() => setLimit(Math.min(MOST, limit * 2))}>
          {t("runs.more")}
        </Button>
      )}
    </section>
  );
}

function FiringLine({ firing, zone }: { firing: Firing; zone: string }) {
  const words = useWords();
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2.5">
      <StateMark state={outcomeState(firing)} />
      <span className="font-medium">{outcomeName(words, firing)}</span>
      <span className="text-soft tabular-nums">{zoneTime(words.language, firing.due_at, zone)}</span>
      {firing.is_by_hand && <span className="text-xs text-faint">{words.t("firing.by_hand")}</span>}
      {firing.run_id && firing.run_status && (
        <Link to="/runs/$runId" params={{ runId: firing.run_id }} search={{}} className="ml-auto hover:underline">
          <span className="sr-only">{words.t("firing.run")} </span>
          <RunBadge status={firing.run_status} />
        </Link>
      )}
      {firing.reason && <span className="w-full text-xs break-words text-soft">{firing.reason}</span>}
    </li>
  );
}
