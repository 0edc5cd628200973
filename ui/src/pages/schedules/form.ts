/** A schedule as its form has it, and as the server is asked. */

import type { CatchUp, NewSchedule, Overlap, ParamSpec, ScheduledRun, ScheduleView, Workflow } from "../../api/schema";
import { type Policy, policyOf, USUAL_POLICY } from "../runs/Policy";
import { initialTexts, type ParamTexts, recipeOf, valuesOf } from "../runs/params";
import { EVERYWHERE, formatRanges, type NumberOrRange, type TargetForm, targetOf } from "../runs/target";
import { localZone } from "./zones";

export interface ScheduleForm {
  name: string;
  cron: string;
  timeZone: string;
  workflow: string;
  texts: ParamTexts;
  /** Null where the schedule has a target that this form cannot show: it is then kept. */
  target: TargetForm | null;
  policy: Policy;
  overlap: Overlap;
  catchUp: CatchUp;
  catchUpLimit: string;
}

export function newForm(workflow: Workflow): ScheduleForm {
  return {
    name: "",
    cron: "0 3 * * *",
    timeZone: localZone(),
    workflow: workflow.name,
    texts: initialTexts(recipeOf(workflow).params),
    target: EVERYWHERE,
    policy: USUAL_POLICY,
    overlap: "skip",
    catchUp: "last",
    catchUpLimit: "10",
  };
}

export function formOf(schedule: ScheduleView, workflow: Workflow | undefined): ScheduleForm {
  const { params = {}, policy = {}, target = {} } = schedule.run;
  const given = Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value ?? "")]));
  return {
    name: schedule.name,
    cron: schedule.cron,
    timeZone: schedule.time_zone,
    workflow: schedule.run.workflow,
    texts: { ...(workflow ? initialTexts(recipeOf(workflow).params) : {}), ...given },
    target: targetForm(target),
    policy: {
      concurrency: policy.concurrency === undefined ? "" : String(policy.concurrency),
      offline: policy.offline === "wait" ? "wait" : "skip",
      graceWait: policy.grace_wait_s === undefined ? USUAL_POLICY.graceWait : String(policy.grace_wait_s),
    },
    overlap: schedule.overlap,
    catchUp: schedule.catch_up,
    catchUpLimit: String(schedule.catch_up_limit),
  };
}

/** The form for a target; null where it says what the form has no words for. */
export function targetForm(target: Record<string, unknown>): TargetForm | null {
  const keys = Object.keys(target);
  if (typeof target.any === "number" && keys.every((key) => key === "any" || key === "tags")) {
    return { ...EVERYWHERE, kind: "pool", count: String(target.any), tags: (target.tags ?? []) as string[] };
  }
  if (keys.length !== 1) return null;
  if (target.all === true) return EVERYWHERE;
  if (Array.isArray(target.tags)) return { ...EVERYWHERE, kind: "tags", tags: target.tags as string[] };
  if (Array.isArray(target.indexes)) {
    return { ...EVERYWHERE, kind: "numbers", numbers: formatRanges(target.indexes as NumberOrRange[]) };
  }
  return null;
}

/** What a run would need and the form does not have yet; a secret that is kept need not be given again. */
export function paramsOf(workflow: Workflow | undefined, kept: readonly string[]): [string, ParamSpec][] {
  const params = workflow ? recipeOf(workflow).params : [];
  return params.map(([name, spec]) => [name, kept.includes(name) ? { ...spec, required: false } : spec]);
}

/** What the server is asked. What the form does not show (a version, overrides) stays as it was, for the same workflow. */
export function bodyOf(
  form: ScheduleForm,
  params: readonly [string, ParamSpec][],
  before: ScheduledRun | undefined,
): NewSchedule {
  const kept = before?.workflow === form.workflow ? before : undefined;
  const { concurrency: _, offline: __, grace_wait_s: ___, ...otherPolicy } = kept?.policy ?? {};
  return {
    name: form.name.trim(),
    cron: form.cron.trim(),
    time_zone: form.timeZone.trim(),
    overlap: form.overlap,
    catch_up: form.catchUp,
    catch_up_limit: Number(form.catchUpLimit) || 1,
    run: {
      ...kept,
      workflow: form.workflow,
      params: valuesOf(params, form.texts),
      target: (form.target ? targetOf(form.target) : before?.target) ?? {},
      policy: { ...otherPolicy, ...policyOf(form.policy) },
    },
  };
}
