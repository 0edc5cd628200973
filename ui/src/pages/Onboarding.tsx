/** The first run in a minute: the presets, and how to attach phones. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Cable, Check, Play, Settings2 } from "lucide-react";
import type { ReactNode } from "react";
import { call } from "../api/client";
import { farmQuery, presetsQuery } from "../api/queries";
import type { Preset } from "../api/schema";
import { Button } from "../components/Button";
import { Failed, Loading, Refusal } from "../components/Notices";
import { presetWords } from "../components/names";
import { useMayOperate } from "../components/useMayOperate";
import { useTitle } from "../components/useTitle";
import { useWords } from "../i18n/text";
import { isRequired } from "./runs/params";

const ORDER = ["device-check", "screenshot-sweep", "app-smoke-test", "instrumented-tests", "login-session", "soak"];

export function OnboardingPage() {
  const { t } = useWords();
  const { data, error } = useQuery(presetsQuery);
  const { data: farm } = useQuery(farmQuery);
  useTitle(t("nav.onboarding"));
  const online = farm?.devices.filter((device) => device.status === "online").length ?? 0;
  return (
    <div className="stack gap-8">
      <div>
        <h1>{t("onboarding.title")}</h1>
        <p className="mt-1 max-w-2xl text-soft">{t("onboarding.hint")}</p>
      </div>
      <section className="stack gap-4">
        <h2 className="text-base">{t("onboarding.presets")}</h2>
        {!data ? (
          error ? (
            <Failed error={error} />
          ) : (
            <Loading />
          )
        ) : (
          <ul className="grid gap-4 md:grid-cols-2 xl:grid-cols-3">
            {inOrder(data.presets).map((preset) => (
              <PresetCard key={preset.name} preset={preset} online={online} />
            ))}
          </ul>
        )}
      </section>
      <section className="stack gap-4">
        <h2 className="text-base">{t("onboarding.attach")}</h2>
        <ol className="card grid gap-px overflow-hidden">
          <Step number={1} title={t("attach.usb")}>
            {t("attach.usb_detail")}
          </Step>
          <Step number={2} title={t("attach.node")}>
            {t("attach.node_detail")}
            <pre className="mt-2 overflow-x-auto rounded-lg bg-raised p-3 font-mono text-xs">
              corral node --server {location.origin}
            </pre>
          </Step>
          <Step number={3} title={t("attach.confirm")}>
            {t("attach.confirm_detail")}
          </Step>
          <Step number={4} title={t("attach.see")} isDone={online > 0}>
            <span role="status">{t("attach.online", { count: online })}</span>{" "}
            <Link to="/devices" search={{}} className="text-accent underline">
              {t("nav.devices")}
            </Link>
          </Step>
        </ol>
        <p className="flex items-center gap-2 text-soft">
          <Cable size={16} aria-hidden="true" />
          {t("attach.simulate")} <code className="rounded bg-raised px-1.5 py-0.5">corral up --simulate 100</code>
        </p>
      </section>
    </div>
  );
}

/** From the easiest to the longest; what a server has beyond ours comes last. */
function inOrder(presets: readonly Preset[]): Preset[] {
  const place = ({ name }: Preset) => (ORDER.indexOf(name) + ORDER.length + 1) % (ORDER.length + 1);
  return [...presets].sort((a, b) => place(a) - place(b));
}

function PresetCard({ preset, online }: { preset: Preset; online: number }) {
  const words = useWords();
  const { t } = words;
  const { title, detail } = presetWords(words, preset);
  const client = useQueryClient();
  const navigate = useNavigate();
  const mayOperate = useMayOperate();
  const needsValues = Object.values(preset.params).some(isRequired);
  const store = useMutation({
    mutationFn: async () => {
      await call("post", "/api/workflows", { yaml: preset.text });
      await client.invalidateQueries({ queryKey: ["workflows"] });
      if (needsValues) return null;
      return await call("post", "/api/runs", { body: { workflow: preset.name, target: { all: true }, name: title } });
    },
    onSuccess: (run) =>
      run
        ? navigate({ to: "/runs/$runId", params: { runId: run.run_id }, search: {} })
        : navigate({ to: "/runs/new", search: { workflow: preset.name } }),
  });
  return (
    <li className="card flex flex-col gap-3 p-5">
      <div>
        <h3 className="font-semibold">{title}</h3>
        <p className="mt-1 text-soft">{detail}</p>
      </div>
      <p className="text-xs text-faint">{t("onboarding.steps", { count: preset.steps })}</p>
      <div className="mt-auto flex flex-wrap gap-2">
        <Button
          look={needsValues ? "plain" : "primary"}
          aria-label={`${t(needsValues ? "onboarding.fill_in" : "onboarding.run", { count: online })}: ${title}`}
          disabled={!mayOperate || store.isPending || (!needsValues && online === 0)}
          onClick={() => store.mutate()}
        >
          {needsValues ? <Settings2 size={14} aria-hidden="true" /> : <Play size={14} aria-hidden="true" />}
          {t(needsValues ? "onboarding.fill_in" : "onboarding.run", { count: online })}
        </Button>
      </div>
      <Refusal error={store.error} />
    </li>
  );
}

function Step({
  number,
  title,
  children,
  isDone = false,
}: {
  number: number;
  title: string;
  children: ReactNode;
  isDone?: boolean;
}) {
  return (
    <li className="flex gap-4 border-b border-line p-4 last:border-0">
      <span
        className={`grid size-7 shrink-0 place-items-center rounded-full text-xs font-semibold ${isDone ? "bg-state-done text-white" : "bg-accent-soft text-ink"}`}
      >
        {isDone ? <Check size={15} aria-hidden="true" /> : number}
      </span>
      <div className="min-w-0 pt-0.5">
        <h3 className="font-medium">{title}</h3>
        <div className="mt-0.5 text-soft">{children}</div>
      </div>
    </li>
  );
}
