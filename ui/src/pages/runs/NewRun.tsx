/** Asking for a run: what, where, with which values, how carefully; and what will happen, before it does. */

import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Play } from "lucide-react";
import { type FormEvent, type ReactNode, useMemo, useState } from "react";
import { ApiError, call } from "../../api/client";
import { devicesQuery, workflowsQuery } from "../../api/queries";
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
import { devicesOf, parseNumbers, type TargetForm, targetOf } from "./target";

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
  const [target, setTarget] = useState<TargetForm>(() => ({
    kind: search.devices ? "numbers" : "all",
    numbers: search.devices ?? "",
    tags: [],
    picked: new Set(),
  }));
  const [policy, setPolicy] = useState<Policy>(USUAL_POLICY);
  const [name, setName] = useState("");
  const asked = targetOf(target);
  const meant = useMemo(() => devicesOf(target, devices), [target, devices]);
  const start = useMutation({
    mutationFn: () =>
      call("post", "/api/runs", {
        body: {
          workflow: workflow?.name ?? "",
          target: asked ?? {},
          params: valuesOf(recipe?.params ?? [], texts),
          policy: policyOf(policy),
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
    start.reset();
  }
  function submit(event: FormEvent): void {
    event.preventDefault();
    start.mutate();
  }
  const lacking = missing(recipe.params, texts);
  const isReady =
    asked !== null &&
    meant.length > 0 &&
    lacking.length === 0 &&
    (target.kind !== "numbers" || parseNumbers(target.numbers) !== null);
  const wrong = start.error instanceof ApiError ? (/^params\.(\w+)/.exec(start.error.path ?? "")?.[1] ?? null) : null;
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
      </div>
      <aside className="card stack gap-4 p-5 lg:sticky lg:top-16 lg:w-80" aria-label={t("new.summary")}>
        <h2>{t("new.summary")}</h2>
        <Summary recipe={recipe} devices={meant} policy={policy} total={devices.length} />
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
          {t("new.start", { count: meant.length })}
        </Button>
      </aside>
    </form>
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
