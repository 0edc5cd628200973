/** Asking for a run: what, where, with which values, how carefully; and what will happen, before it does. */

import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { ChevronRight, Play } from "lucide-react";
import { type FormEvent, type ReactNode, useMemo, useState } from "react";
import { ApiError, call } from "../../api/client";
import { devicesQuery, planQuery, workflowsQuery } from "../../api/queries";
import type { Device, Workflow } from "../../api/schema";
import { Button } from "../../components/Button";
import { Empty, Failed, Loading, Refusal } from "../../components/Notices";
import { useMayOperate } from "../../components/useMayOperate";
import { useTitle } from "../../components/useTitle";
import { useWords } from "../../i18n/text";
import { ParamFields } from "./ParamFields";
import { type Policy, PolicyFields, policyOf, USUAL_POLICY } from "./Policy";
import { initialTexts, missing, type ParamTexts, recipeOf, valuesOf } from "./params";
import { Summary } from "./Summary";
import { TargetPicker } from "./TargetPicker";
import { TimeoutFields } from "./TimeoutFields";
import { devicesOf, EVERYWHERE, parseCount, parseNumbers, type TargetForm, targetOf } from "./target";
import { overridesOf, type TimeoutTexts, timeoutFault } from "./timeouts";

const route = getRouteApi("/runs/new");

export function NewRunPage() {
  const { t } = useWords();
  const workflows = useQuery(workflowsQuery);
  const devices = useQuery(devicesQuery);
  useTitle(t("new.title"));
  const error = workflows.error ?? devices.error;
  if (!workflows.data || !devices.data) return error ? <Failed error={error} /> : <Loading />;
  const usable = workflows.data.filter((workflow) => workflow.mode === "device");
  return (
    <div className="stack gap-5">
      <h1>{t("new.title")}</h1>
      {usable.length === 0 ? (
        <div className="card">
          <Empty title={t("new.no_workflows")}>
            <Link to="/onboarding" className="text-accent hover:underline">
              {t("new.no_workflows_hint")}
            </Link>
          </Empty>
        </div>
      ) : (
        <NewRunForm workflows={usable} devices={devices.data} />
      )}
    </div>
  );
}

function NewRunForm({ workflows, devices }: { workflows: readonly Workflow[]; devices: readonly Device[] }) {
  const { t } = useWords();
  const navigate = useNavigate();
  const search = route.useSearch();
  const mayOperate = useMayOperate();
  const [chosen, setChosen] = useState(search.workflow ?? workflows[0]?.name ?? "");
  const workflow = workflows.find((each) => each.name === chosen) ?? workflows[0];
  const recipe = useMemo(() => (workflow ? recipeOf(workflow) : null), [workflow]);
  const [texts, setTexts] = useState<ParamTexts>(() => initialTexts(recipe?.params ?? []));
  const [target, setTarget] = useState<TargetForm>(() =>
    search.devices ? { ...EVERYWHERE, kind: "numbers", numbers: search.devices } : EVERYWHERE,
  );
  const [policy, setPolicy] = useState<Policy>(USUAL_POLICY);
  const { data: plan } = useQuery({
    ...planQuery(workflow?.name ?? "", workflow?.version ?? 0),
    enabled: workflow !== undefined,
  });
  const steps = plan?.steps ?? [];
  const [timeouts, setTimeouts] = useState<TimeoutTexts>({});
  const [name, setName] = useState("");
  const asked = targetOf(target);
  const meant = useMemo(() => devicesOf(target, devices), [target, devices]);
  const pool = target.kind === "pool" ? parseCount(target.count) : null;
  const start = useMutation({
    mutationFn: () =>
      call("post", "/api/runs", {
        body: {
          workflow: workflow?.name ?? "",
          target: asked ?? {},
          params: valuesOf(recipe?.params ?? [], texts),
          policy: policyOf(policy),
          overrides: overridesOf(steps, timeouts),
          ...(name.trim() ? { name: name.trim() } : {}),
          ...(search.video ? { youtube_video_id: search.video } : {}),
        },
      }),
    onSuccess: (run) => void navigate({ to: "/runs/$runId", params: { runId: run.run_id }, search: {} }),
  });
  if (!workflow || !recipe) return null;
  function choose(next: string): void {
    const found = workflows.find((each) => each.name === next);
    setChosen(next);
    setTexts(found ? initialTexts(recipeOf(found).params) : {});
    setTimeouts({});
    start.reset();
  }
  function submit(event: FormEvent): void {
    event.preventDefault();
    start.mutate();
  }
  const lacking = missing(recipe.params, texts);
  const isReady =
    asked !== null &&
    (meant.length > 0 || pool !== null) &&
    lacking.length === 0 &&
    steps.every((step) => timeoutFault(step, timeouts[step.id] ?? "") === null) &&
    (target.kind !== "numbers" || parseNumbers(target.numbers) !== null);
  const wrong = start.error instanceof ApiError ? (/^params\.(\w+)/.exec(start.error.path ?? "")?.[1] ?? null) : null;
  const refused = refusedSteps(start.error);
  const changed = Object.keys(overridesOf(steps, timeouts)).length;
  return (
    <form onSubmit={submit} className="flex flex-col gap-5 lg:flex-row lg:items-start">
      <div className="stack min-w-0 flex-1 gap-5">
        <Part title={t("new.workflow")}>
          <select
            aria-label={t("new.workflow")}
            className="field max-w-md"
            value={workflow.name}
            onChange={(event) => choose(event.target.value)}
          >
            {workflows.map((each) => (
              <option key={each.workflow_id} value={each.name}>
                {recipeOf(each).title} ({each.name} v{each.version})
              </option>
            ))}
          </select>
          {recipe.description && <p className="max-w-2xl text-soft">{recipe.description}</p>}
        </Part>
        <Part title={t("new.where")}>
          <TargetPicker devices={devices} form={target} onChange={setTarget} />
        </Part>
        {recipe.params.length > 0 && (
          <Part title={t("new.params")}>
            <ParamFields params={recipe.params} texts={texts} onChange={setTexts} wrong={wrong} />
          </Part>
        )}
        <Part title={t("new.policy")}>
          <PolicyFields policy={policy} onChange={setPolicy} />
        </Part>
        {steps.length > 0 && (
          <details className="card group" open={Object.keys(refused).length > 0 || undefined}>
            <summary className="flex items-center gap-2 p-5 text-[13px] font-semibold">
              <ChevronRight size={15} aria-hidden="true" className="transition-transform group-open:rotate-90" />
              {t("timeouts.title")}
              <span className="font-normal text-soft">
                {changed > 0 ? t("timeouts.changed", { count: changed }) : t("timeouts.usual")}
              </span>
            </summary>
            <div className="px-5 pb-5">
              <TimeoutFields steps={steps} texts={timeouts} onChange={setTimeouts} refused={refused} />
            </div>
          </details>
        )}
      </div>
      <aside className="card stack gap-4 p-5 lg:sticky lg:top-16 lg:w-80" aria-label={t("new.summary")}>
        <h2>{t("new.summary")}</h2>
        <Summary recipe={recipe} devices={meant} pool={pool} policy={policy} total={devices.length} />
        {search.video && (
          <Link to="/content/$videoId" params={{ videoId: search.video }} className="text-accent hover:underline">
            {t("new.video", { video: search.video })}
          </Link>
        )}
        <label className="stack gap-1.5">
          <span className="font-medium">{t("new.name")}</span>
          <input
            className="field"
            value={name}
            maxLength={200}
            placeholder={workflow.name}
            onChange={(event) => setName(event.target.value)}
          />
        </label>
        {lacking.length > 0 && <p className="text-xs text-warn">{t("new.lacking", { names: lacking.join(", ") })}</p>}
        <Refusal error={start.error} />
        <Button look="primary" type="submit" disabled={!isReady || !mayOperate || start.isPending}>
          <Play size={15} aria-hidden="true" />
          {t("new.start", { count: pool ?? meant.length })}
        </Button>
      </aside>
    </form>
  );
}

/** What the server refused of the steps' times, by step: a recipe's own bounds are the server's to judge. */
function refusedSteps(error: Error | null): Record<string, string> {
  const problems = error instanceof ApiError ? error.problems : [];
  return Object.fromEntries(
    problems.flatMap(({ path, message }) => {
      const step = /^overrides\.([\w-]+)/.exec(path)?.[1];
      return step ? [[step, message]] : [];
    }),
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
