/** One schedule, new or old: its form and, of an old one, what became of its due times. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { devicesQuery, workflowsQuery } from "../../api/queries";
import { scheduleQuery } from "../../api/schedules";
import type { Device, Workflow } from "../../api/schema";
import { Empty, Failed, Loading } from "../../components/Notices";
import { useTitle } from "../../components/useTitle";
import { useWords } from "../../i18n/text";
import { Firings } from "./Firings";
import { ScheduleActions } from "./ScheduleActions";
import { ScheduleFields } from "./ScheduleFields";

const route = getRouteApi("/schedules/$scheduleId");

export function NewSchedulePage() {
  const { t } = useWords();
  const { known, error } = useKnown();
  useTitle(t("schedule.new"));
  if (!known) return error ? <Failed error={error} /> : <Loading />;
  const [first, ...others] = known.workflows;
  return (
    <div className="stack gap-5">
      <h1>{t("schedule.new")}</h1>
      {first ? (
        <ScheduleFields workflows={[first, ...others]} devices={known.devices} />
      ) : (
        <div className="card">
          <Empty title={t("new.no_workflows")}>
            <Link to="/onboarding" className="text-accent hover:underline">
              {t("new.no_workflows_hint")}
            </Link>
          </Empty>
        </div>
      )}
    </div>
  );
}

export function SchedulePage() {
  const { t } = useWords();
  const { scheduleId } = route.useParams();
  const schedule = useQuery(scheduleQuery(scheduleId));
  const { known, error } = useKnown();
  useTitle(schedule.data?.name ?? t("nav.schedules"));
  const wrong = schedule.error ?? error;
  if (!schedule.data || !known) return wrong ? <Failed error={wrong} /> : <Loading />;
  const [first, ...others] = known.workflows;
  return (
    <div className="stack gap-5">
      <div className="flex flex-wrap items-center gap-3">
        <h1 className="min-w-0 break-words">{schedule.data.name}</h1>
        {schedule.data.is_paused && (
          <span className="rounded-full bg-warn-soft px-2.5 py-0.5 text-xs font-medium text-warn">
            {t("schedule.paused")}
          </span>
        )}
        <div className="ml-auto">
          <ScheduleActions schedule={schedule.data} />
        </div>
      </div>
      {first && (
        <ScheduleFields
          key={schedule.data.updated_at}
          workflows={[first, ...others]}
          devices={known.devices}
          schedule={schedule.data}
        />
      )}
      <Firings schedule={schedule.data} />
    </div>
  );
}

function useKnown(): { known: { workflows: Workflow[]; devices: Device[] } | null; error: Error | null } {
  const workflows = useQuery(workflowsQuery);
  const devices = useQuery(devicesQuery);
  if (!workflows.data || !devices.data) return { known: null, error: workflows.error ?? devices.error };
  const usable = workflows.data.filter((workflow) => workflow.mode === "device");
  return { known: { workflows: usable, devices: devices.data }, error: null };
}
