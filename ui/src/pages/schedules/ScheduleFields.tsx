/** The form of a schedule: when, what, where, and what becomes of times that overlap or went by. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Save } from "lucide-react";
import { type FormEvent, type ReactNode, useMemo, useState } from "react";
import { ApiError, call } from "../../api/client";
import type { Device, NewSchedule, ScheduleView, Workflow } from "../../api/schema";
import { Button } from "../../components/Button";
import { Refusal } from "../../components/Notices";
import { useMayOperate } from "../../components/useMayOperate";
import { useWords } from "../../i18n/text";
import { ParamFields } from "../runs/ParamFields";
import { PolicyFields } from "../runs/Policy";
import { initialTexts, missing, recipeOf } from "../runs/params";
import { TargetPicker } from "../runs/TargetPicker";
import { EVERYWHERE, targetOf } from "../runs/target";
import { bodyOf, formOf, newForm, paramsOf, type ScheduleForm } from "./form";
import { NextTimes } from "./NextTimes";
import { zoneNames } from "./zones";

interface ScheduleFieldsProps {
  workflows: readonly [Workflow, ...Workflow[]];
  devices: readonly Device[];
  /** The schedule that is edited; without one, a new one is made. */
  schedule?: ScheduleView;
}

const OVERLAPS = ["skip", "allow", "cancel_previous"] as const;
const CATCH_UPS = ["last", "none", "all"] as const;

export function ScheduleFields({ workflows, devices, schedule }: ScheduleFieldsProps) {
  const { t } = useWords();
  const client = useQueryClient();
  const navigate = useNavigate();
  const mayOperate = useMayOperate();
  const [form, setForm] = useState<ScheduleForm>(() =>
    schedule
      ? formOf(
          schedule,
          workflows.find((each) => each.name === schedule.run.workflow),
        )
      : newForm(workflows[0]),
  );
  const set = (change: Partial<ScheduleForm>) => setForm((before) => ({ ...before, ...change }));
  const workflow = workflows.find((each) => each.name === form.workflow);
  const kept = schedule && schedule.run.workflow === form.workflow ? schedule.secret_params : [];
  const params = paramsOf(workflow, kept);
  const save = useMutation({
    mutationFn: (body: NewSchedule) =>
      schedule
        ? call("patch", "/api/schedules/{schedule_id}", { path: { schedule_id: schedule.schedule_id }, body })
        : call("post", "/api/schedules", { body }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["schedules"] });
      await navigate({ to: "/schedules" });
    },
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    save.mutate(bodyOf(form, params, schedule?.run));
  }
  function choose(name: string): void {
    const found = workflows.find((each) => each.name === name);
    set({ workflow: name, texts: found ? initialTexts(recipeOf(found).params) : {} });
  }
  const refused = save.error instanceof ApiError ? save.error.path : null;
  const lacking = missing(params, form.texts);
  const isReady =
    form.name.trim() !== "" && lacking.length === 0 && (form.target === null || targetOf(form.target) !== null);
  return (
    <form onSubmit={submit} className="flex flex-col gap-5 lg:flex-row lg:items-start">
      <div className="stack min-w-0 flex-1 gap-5">
        <Part title={t("schedule.when")}>
          <Times form={form} set={set} refused={refused} />
        </Part>
        <Part title={t("new.workflow")}>
          <select
            aria-label={t("new.workflow")}
            className="field max-w-md"
            value={form.workflow}
            onChange={(event) => choose(event.target.value)}
          >
            {!workflow && <option value={form.workflow}>{form.workflow}</option>}
            {workflows.map((each) => (
              <option key={each.workflow_id} value={each.name}>
                {recipeOf(each).title} ({each.name})
              </option>
            ))}
          </select>
          <p className="text-xs text-soft">
            {schedule?.run.version && schedule.run.workflow === form.workflow
              ? t("schedule.pinned", { version: schedule.run.version })
              : t("schedule.newest")}
          </p>
          {kept.length > 0 && (
            <p className="text-xs text-soft">{t("schedule.secrets_kept", { names: kept.join(", ") })}</p>
          )}
          {params.length > 0 && (
            <ParamFields
              params={params}
              texts={form.texts}
              onChange={(texts) => set({ texts })}
              wrong={/^run\.params\.(\w+)/.exec(refused ?? "")?.[1] ?? null}
            />
          )}
        </Part>
        <Part title={t("new.where")}>
          {form.target ? (
            <TargetPicker devices={devices} form={form.target} onChange={(target) => set({ target })} />
          ) : (
            <div className="flex flex-wrap items-center gap-3">
              <code className="text-xs break-all">{JSON.stringify(schedule?.run.target)}</code>
              <Button size="small" onClick={() => set({ target: EVERYWHERE })}>
                {t("schedule.other_target")}
              </Button>
            </div>
          )}
        </Part>
        <Part title={t("new.policy")}>
          <PolicyFields policy={form.policy} onChange={(policy) => set({ policy })} />
        </Part>
      </div>
      <aside className="card stack gap-4 p-5 lg:sticky lg:top-16 lg:w-80" aria-label={t("schedule.rules")}>
        <h2>{t("schedule.rules")}</h2>
        <Rules form={form} set={set} />
        <Refusal error={save.error} />
        {lacking.length > 0 && <p className="text-xs text-warn">{t("new.lacking", { names: lacking.join(", ") })}</p>}
        <Button look="primary" type="submit" disabled={!isReady || !mayOperate || save.isPending}>
          <Save size={15} aria-hidden="true" />
          {t("schedule.save")}
        </Button>
      </aside>
    </form>
  );
}

interface FieldsProps {
  form: ScheduleForm;
  set: (change: Partial<ScheduleForm>) => void;
}

function Times({ form, set, refused }: FieldsProps & { refused: string | null }) {
  const { t } = useWords();
  const zones = useMemo(zoneNames, []);
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <div className="stack content-start gap-4">
        <label className="stack gap-1.5">
          <span className="font-medium">{t("schedule.name")}</span>
          <input
            className="field"
            value={form.name}
            required
            maxLength={200}
            aria-invalid={refused === "name"}
            onChange={(event) => set({ name: event.target.value })}
          />
        </label>
        <label className="stack gap-1.5">
          <span className="font-medium">{t("schedule.cron")}</span>
          <input
            className="field font-mono"
            value={form.cron}
            required
            maxLength={200}
            spellCheck={false}
            autoComplete="off"
            aria-invalid={refused === "cron"}
            onChange={(event) => set({ cron: event.target.value })}
          />
          <span className="text-xs text-soft">{t("schedule.cron_hint")}</span>
        </label>
        <label className="stack gap-1.5">
          <span className="font-medium">{t("schedule.time_zone")}</span>
          <input
            className="field"
            list="time-zones"
            value={form.timeZone}
            required
            maxLength={100}
            spellCheck={false}
            autoComplete="off"
            aria-invalid={refused === "time_zone"}
            onChange={(event) => set({ timeZone: event.target.value })}
          />
          <datalist id="time-zones">
            {zones.map((zone) => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
        </label>
      </div>
      <NextTimes cron={form.cron} timeZone={form.timeZone} />
    </div>
  );
}

function Rules({ form, set }: FieldsProps) {
  const { t } = useWords();
  return (
    <>
      <label className="stack gap-1.5">
        <span className="font-medium">{t("schedule.overlap")}</span>
        <select
          className="field"
          value={form.overlap}
          onChange={(event) => set({ overlap: OVERLAPS.find((each) => each === event.target.value) ?? "skip" })}
        >
          {OVERLAPS.map((each) => (
            <option key={each} value={each}>
              {t(`overlap.${each}`)}
            </option>
          ))}
        </select>
      </label>
      <label className="stack gap-1.5">
        <span className="font-medium">{t("schedule.catch_up")}</span>
        <select
          className="field"
          value={form.catchUp}
          onChange={(event) => set({ catchUp: CATCH_UPS.find((each) => each === event.target.value) ?? "last" })}
        >
          {CATCH_UPS.map((each) => (
            <option key={each} value={each}>
              {t(`catch_up.${each}`)}
            </option>
          ))}
        </select>
      </label>
      {form.catchUp === "all" && (
        <label className="stack gap-1.5">
          <span className="font-medium">{t("schedule.catch_up_limit")}</span>
          <input
            className="field"
            type="number"
            min={1}
            max={100}
            required
            value={form.catchUpLimit}
            onChange={(event) => set({ catchUpLimit: event.target.value })}
          />
        </label>
      )}
    </>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="card stack gap-4 p-5">
      <h2>{title}</h2>
      {children}
    </section>
  );
}
