/** Building a playbook: its steps in order, what the server says of them as they change, and what saving will change. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Play, Save } from "lucide-react";
import { type ReactNode, useMemo, useState } from "react";
import { call } from "../../api/client";
import { actionsQuery, commandsQuery, dashboardQuery, playbookCheckQuery, playbooksQuery } from "../../api/queries";
import type { Command, Playbook, PlaybookCheck } from "../../api/schema";
import { Button, buttonLook } from "../../components/Button";
import { Empty, Failed, Loading, Refusal } from "../../components/Notices";
import { useMayOperate } from "../../components/useMayOperate";
import { useNow } from "../../components/useNow";
import { useTitle } from "../../components/useTitle";
import { useWords } from "../../i18n/text";
import { AddStep } from "./AddStep";
import { addStep, bodyOf, changeStep, type Draft, draftOf, EMPTY_DRAFT, moveStep, removeStep, usualOf } from "./draft";
import { LeaveGuard } from "./LeaveGuard";
import { PlaybookAbout } from "./PlaybookAbout";
import { Preview } from "./Preview";
import { at, elsewhere, type Problem } from "./problems";
import { SaveDialog } from "./SaveDialog";
import { StepList } from "./StepList";
import { memberPath } from "./schemaFields";
import { Unplaced } from "./Unplaced";
import { useSettled } from "./useSettled";

const route = getRouteApi("/commands/playbook/$name");

export function NewPlaybookPage() {
  return <PlaybookPage name={null} />;
}

export function EditPlaybookPage() {
  const { name } = route.useParams();
  return <PlaybookPage key={name} name={name} />;
}

function PlaybookPage({ name }: { name: string | null }) {
  const { t } = useWords();
  const playbooks = useQuery(playbooksQuery);
  const commands = useQuery(commandsQuery);
  const actions = useQuery(actionsQuery);
  useTitle(name ?? t("playbooks.new"));
  const error = playbooks.error ?? commands.error ?? actions.error;
  if (!playbooks.data || !commands.data || !actions.data) {
    return error ? <Failed error={error} onRetry={() => void playbooks.refetch()} /> : <Loading />;
  }
  const playbook = playbooks.data.find((each) => each.name === name);
  if (name !== null && !playbook) {
    return (
      <div className="card">
        <Empty title={t("playbooks.gone", { name })}>
          <Link to="/commands/playbooks" className="text-accent hover:underline">
            {t("playbooks.back")}
          </Link>
        </Empty>
      </div>
    );
  }
  return (
    <Builder
      playbook={playbook ?? null}
      taken={playbooks.data.map((each) => each.name)}
      commands={commands.data}
      bounds={actions.data.timeout_bounds_s}
    />
  );
}

interface BuilderProps {
  playbook: Playbook | null;
  /** The names that playbooks have. */
  taken: readonly string[];
  commands: readonly Command[];
  bounds: readonly number[];
}

export function Builder({ playbook, taken, commands, bounds }: BuilderProps) {
  const { t } = useWords();
  const client = useQueryClient();
  const navigate = useNavigate();
  const mayOperate = useMayOperate();
  const { data: farm } = useQuery(dashboardQuery("24h"));
  const known = useMemo(() => new Map(commands.map((each) => [each.name, each])), [commands]);
  const [draft, setDraft] = useState<Draft>(() => (playbook ? draftOf(playbook, known) : EMPTY_DRAFT));
  const body = useMemo(() => bodyOf(draft, known), [draft, known]);
  const [savedText, setSavedText] = useState(() => JSON.stringify(body));
  const [isTried, setIsTried] = useState(false);
  const [asked, setAsked] = useState<{ body: typeof body; check: PlaybookCheck } | null>(null);
  const settled = useSettled(body);
  const check = useQuery(playbookCheckQuery(settled));
  const isStale = settled !== body || check.isPlaceholderData || !check.data;
  const save = useMutation({
    mutationFn: (what: typeof body) =>
      playbook
        ? call("put", "/api/playbooks/{playbook_id}", { path: { playbook_id: playbook.playbook_id }, body: what })
        : call("post", "/api/playbooks", { body: what }),
    onSuccess: async (saved, what) => {
      setSavedText(JSON.stringify(what));
      setAsked(null);
      setIsTried(false);
      void client.invalidateQueries({ queryKey: ["playbook-check"] });
      void client.invalidateQueries({ queryKey: ["commands"] });
      void client.invalidateQueries({ queryKey: ["workflows"] });
      await client.invalidateQueries({ queryKey: playbooksQuery.queryKey });
      if (!playbook) {
        await navigate({
          to: "/commands/playbook/$name",
          params: { name: saved.name },
          replace: true,
          ignoreBlocker: true,
        });
      }
    },
  });
  const ask = useMutation({
    mutationFn: async () => ({ body, check: await client.fetchQuery(playbookCheckQuery(body)) }),
    onSuccess: (found) => {
      if (found.check.problems.length === 0 && !isTaken) setAsked(found);
    },
  });
  const isTaken = !playbook && taken.includes(body.name);
  const isDirty = JSON.stringify(body) !== savedText;
  const found: Problem[] = [
    ...(check.data?.problems ?? []),
    ...(isTaken ? [{ path: "name", message: t("builder.exists") }] : []),
  ];
  // What was not filled in yet is no mistake before somebody says that he is done.
  const problems = isTried ? found : found.filter((each) => !isUntouched(each.path, draft));
  return (
    <div className="stack gap-5">
      <LeaveGuard isDirty={isDirty} />
      <Heading playbook={playbook} isDirty={isDirty}>
        {mayOperate && (
          <Button
            look="primary"
            disabled={ask.isPending || save.isPending}
            onClick={() => {
              setIsTried(true);
              save.reset();
              ask.mutate();
            }}
          >
            <Save size={15} aria-hidden="true" />
            {t("builder.save")}
          </Button>
        )}
      </Heading>
      {!mayOperate && <p className="text-soft">{t("builder.read_only")}</p>}
      {playbook?.is_outdated && (
        <p className="rounded-lg bg-warn-soft px-3 py-2 text-warn">{t("playbooks.outdated_hint")}</p>
      )}
      <div className="flex flex-col gap-5 lg:flex-row lg:items-start">
        <div className="stack min-w-0 flex-1 gap-5">
          <PlaybookAbout
            draft={draft}
            isNew={!playbook}
            isReadOnly={!mayOperate}
            problems={problems}
            onChange={(change) => setDraft({ ...draft, ...change })}
          />
          {draft.steps.length === 0 ? (
            <div className="card">
              <Empty title={t("builder.no_steps")}>
                {at(problems, "steps").length > 0 && (
                  <span className="font-medium text-danger">{at(problems, "steps").join(" · ")}</span>
                )}
              </Empty>
            </div>
          ) : (
            <StepList
              steps={draft.steps}
              commands={known}
              bounds={bounds}
              problems={problems}
              usual={usualOf(draft)}
              isReadOnly={!mayOperate}
              onChange={(key, change) => setDraft((now) => changeStep(now, key, change))}
              onMove={(from, to) => setDraft((now) => moveStep(now, from, to))}
              onRemove={(key) => setDraft((now) => removeStep(now, key))}
            />
          )}
          {mayOperate && <AddStep commands={commands} onAdd={(name) => setDraft((now) => addStep(now, name))} />}
        </div>
        <aside className="stack gap-4 lg:sticky lg:top-16 lg:w-96" aria-label={t("preview.title")}>
          <p role="status" className={problems.length > 0 ? "font-medium text-danger" : "sr-only"}>
            {problems.length > 0 ? t("builder.problems", { count: problems.length }) : t("builder.fine")}
          </p>
          <Unplaced
            problems={elsewhere(problems, placesOf(draft)).filter((each) => !/^steps(\[\d+\])?$/.test(each.path))}
          />
          <Refusal error={ask.error ?? check.error} />
          <Preview
            steps={draft.steps}
            commands={known}
            phones={farm?.kpis.devices_online}
            text={check.data?.text ?? null}
            isStale={isStale}
          />
        </aside>
      </div>
      {asked && (
        <SaveDialog
          name={asked.body.name}
          check={asked.check}
          isOwn={playbook !== null}
          isPending={save.isPending}
          error={save.error}
          onConfirm={() => save.mutate(asked.body)}
          onClose={() => setAsked(null)}
        />
      )}
    </div>
  );
}

interface HeadingProps {
  playbook: Playbook | null;
  isDirty: boolean;
  children: ReactNode;
}

function Heading({ playbook, isDirty, children }: HeadingProps) {
  const words = useWords();
  const { t } = words;
  const now = useNow(5000);
  return (
    <div className="flex flex-wrap items-center gap-3">
      <div className="min-w-0">
        <h1>{playbook ? playbook.title || playbook.name : t("playbooks.new")}</h1>
        {playbook && (
          <p className="text-soft" data-testid="version">
            {t("builder.saved_as", {
              version: playbook.workflow_version,
              ago: words.ago(playbook.updated_at, now),
            })}
            {isDirty && <span className="ml-2 font-medium text-warn">{t("builder.unsaved")}</span>}
          </p>
        )}
      </div>
      <div className="ml-auto flex flex-wrap gap-2">
        <Link to="/commands/playbooks" className={buttonLook()}>
          {t("playbooks.back")}
        </Link>
        {playbook && (
          <Link to="/runs/new" search={{ workflow: playbook.name }} className={buttonLook()}>
            <Play size={15} aria-hidden="true" />
            {t("builder.run")}
          </Link>
        )}
        {children}
      </div>
    </div>
  );
}

function isUntouched(path: string, draft: Draft): boolean {
  return (path === "name" && draft.name === "") || (path === "steps" && draft.steps.length === 0);
}

/** Every place that a field of the form stands for. */
function placesOf(draft: Draft): string[] {
  const ofSteps = draft.steps.flatMap((step, place) => [
    ...["command", "probability", "timeout_s", "on_failure", "retries", "id"].map((key) => `steps[${place}].${key}`),
    ...Object.keys(step.params).map((name) => memberPath(`steps[${place}].params`, name)),
  ]);
  return ["name", "title", "description", "timeout_s", ...ofSteps];
}
