/** A run as it happens: every device at a glance, one device's story beside it. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { graphQuery, monitorQuery } from "../../api/queries";
import type { CaseCounts, GraphStep, Monitor as MonitorView } from "../../api/schema";
import type { CaseKey } from "../../api/tests";
import { RunBadge } from "../../components/Badge";
import { HeatmapPanel } from "../../components/heatmap/Panel";
import type { TileState } from "../../components/heatmap/states";
import { Pictures } from "../../components/Lightbox";
import { LogTail } from "../../components/LogTail";
import { Empty, Failed, Loading } from "../../components/Notices";
import { StateBar } from "../../components/StateBar";
import { useNow } from "../../components/useNow";
import { useTitle } from "../../components/useTitle";
import { useWords } from "../../i18n/text";
import { DeviceDrawer } from "./DeviceDrawer";
import { secondsLeft, shareEnded } from "./eta";
import { Graph } from "./Graph";
import { RunActions } from "./RunActions";
import { StepDrawer } from "./StepDrawer";
import { StepTallies } from "./StepTallies";
import { CaseDrawer } from "./tests/CaseDrawer";
import { Tests } from "./tests/Tests";
import { countSteps, tilesOf } from "./tiles";

const STATES: readonly TileState[] = ["done", "error", "running", "waiting", "offline", "cancelled"];
const route = getRouteApi("/runs/$runId");

export function MonitorPage() {
  const words = useWords();
  const { runId } = route.useParams();
  const search = route.useSearch();
  const { device, step: stepName } = search;
  const navigate = route.useNavigate();
  const { data, error, refetch } = useQuery(monitorQuery(runId, device));
  useTitle(data?.run.name ?? words.t("nav.runs"));
  const tiles = useMemo(() => (data ? tilesOf(data, words) : []), [data, words]);
  const { device: _, step: __, case: ___, ...place } = search;
  const show = (index: number | undefined) =>
    void navigate({ search: index === undefined ? place : { ...place, device: index }, replace: true });
  const showCase = useCallback(
    (key: CaseKey | undefined) =>
      void navigate({
        search: ({ device: _device, case: _case, ...rest }) => (key ? { ...rest, case: key } : rest),
        replace: true,
      }),
    [navigate],
  );
  const hasNoTiles = data !== undefined && tiles.length === 0 && data.run.counts.total > 0;
  const { data: graph } = useQuery(graphQuery(runId, hasNoTiles));
  const steps = hasNoTiles ? (graph?.steps ?? []) : [];
  const showStep = (name: string | undefined) =>
    void navigate({ search: name === undefined ? {} : { step: name }, replace: true });
  if (!data) return error ? <Failed error={error} onRetry={() => void refetch()} /> : <Loading />;
  const tile = data.heatmap.items.find((item) => item.index === device);
  const isTests = search.tab === "tests" && Boolean(data.run.tests);
  const step = steps.find((each) => each.step === stepName);
  return (
    <div className="stack gap-5">
      <Heading monitor={data} />
      <div className="flex gap-5">
        <div className="stack min-w-0 flex-1 content-start gap-5">
          <Progress monitor={data} steps={steps} />
          {data.run.tests && <Tabs isTests={isTests} counts={data.run.tests} />}
          {isTests ? (
            <Tests runId={runId} isGoing={data.run.finished_at === null} onOpen={showCase} onDevice={show} />
          ) : tiles.length > 0 ? (
            <HeatmapPanel
              tiles={tiles}
              states={STATES}
              label={words.t("monitor.heatmap")}
              open={device}
              onOpen={(index) => show(index === device ? undefined : index)}
            />
          ) : steps.length > 0 ? (
            <Graph steps={steps} open={stepName} onOpen={(name) => showStep(name === stepName ? undefined : name)} />
          ) : (
            <div className="card">
              <Empty title={words.t(data.run.finished_at ? "monitor.no_devices" : "monitor.preparing")} />
            </div>
          )}
          {!isTests && tiles.length > 0 && <StepTallies runId={runId} />}
          {!isTests && <RunEvidence monitor={data} />}
        </div>
        {tile && <DeviceDrawer key={tile.index} monitor={data} tile={tile} onClose={() => show(undefined)} />}
        {isTests && search.case && (
          <CaseDrawer
            key={search.case.join("\n")}
            runId={runId}
            of={search.case}
            isGoing={data.run.finished_at === null}
            onClose={() => showCase(undefined)}
          />
        )}
        {step && <StepDrawer key={step.step} runId={runId} step={step} onClose={() => showStep(undefined)} />}
      </div>
    </div>
  );
}

const TAB =
  "-mb-px border-b-2 border-transparent px-1 pb-2 font-medium text-soft hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink";

function Tabs({ isTests, counts }: { isTests: boolean; counts: CaseCounts }) {
  const words = useWords();
  const navigate = route.useNavigate();
  const bad = counts.failed + counts.errored;
  return (
    <nav aria-label={words.t("tests.tabs")} className="flex gap-5 border-b border-line">
      <button
        type="button"
        aria-current={isTests ? undefined : "page"}
        className={TAB}
        onClick={() => void navigate({ search: {}, replace: true })}
      >
        {words.t("tests.tab_devices")}
      </button>
      <button
        type="button"
        aria-current={isTests ? "page" : undefined}
        className={TAB}
        onClick={() => void navigate({ search: { tab: "tests" }, replace: true })}
      >
        {words.t("tests.tab", { count: counts.total })}
        {bad > 0 && (
          <span className="ml-2 rounded-full bg-danger-soft px-2 py-0.5 text-xs text-danger tabular-nums">
            {words.t("tests.bad", { count: bad })}
          </span>
        )}
      </button>
    </nav>
  );
}

function Heading({ monitor }: { monitor: MonitorView }) {
  const words = useWords();
  const { run } = monitor;
  return (
    <div className="flex flex-wrap items-start gap-x-4 gap-y-3">
      <div className="min-w-0">
        <div className="flex flex-wrap items-center gap-3">
          <h1>{run.name}</h1>
          <RunBadge status={run.status} />
        </div>
        <p className="mt-1 flex flex-wrap gap-x-3 text-soft">
          <span>
            {run.workflow.name} · {words.t("run.version", { version: run.workflow.version })}
          </span>
          <span>{words.t("run.created", { at: words.dateTime(run.created_at) })}</span>
          {run.created_by && <span>{words.t("run.by", { who: run.created_by })}</span>}
          {run.youtube_video_id && (
            <Link
              to="/content/$videoId"
              params={{ videoId: run.youtube_video_id }}
              className="text-accent hover:underline"
            >
              {words.t("new.video", { video: run.youtube_video_id })}
            </Link>
          )}
          {run.source_type === "schedule" && run.source_id && (
            <Link
              to="/schedules/$scheduleId"
              params={{ scheduleId: run.source_id }}
              className="text-accent hover:underline"
            >
              {words.t("run.scheduled")}
            </Link>
          )}
          {run.retry_of && (
            <Link
              to="/runs/$runId"
              params={{ runId: run.retry_of }}
              search={{}}
              className="text-accent hover:underline"
            >
              {words.t("run.retry_of")}
            </Link>
          )}
          {run.replay_of && (
            <Link
              to="/runs/$runId"
              params={{ runId: run.replay_of }}
              search={{}}
              className="text-accent hover:underline"
            >
              {words.t("run.replay_of")}
            </Link>
          )}
        </p>
      </div>
      <div className="ml-auto">
        <RunActions run={run} />
      </div>
    </div>
  );
}

function Progress({ monitor, steps }: { monitor: MonitorView; steps: readonly GraphStep[] }) {
  const words = useWords();
  const hasSteps = steps.length > 0;
  const run = hasSteps ? { ...monitor.run, counts: countSteps(steps) } : monitor.run;
  const isGoing = run.finished_at === null;
  const now = useNow(1000, isGoing);
  const share = shareEnded(run);
  const left = secondsLeft(run, now);
  const until = run.finished_at ? Date.parse(run.finished_at) : now;
  const took = run.started_at ? Math.max(0, until - Date.parse(run.started_at)) / 1000 : null;
  return (
    <section className="card p-4" aria-label={words.t("monitor.progress")}>
      <div className="mb-3 flex flex-wrap items-baseline gap-x-6 gap-y-1">
        <span className="text-2xl font-semibold tabular-nums" data-testid="percent">
          {words.percent(Math.floor(share * 100) / 100)}
        </span>
        <span className="text-soft tabular-nums">
          {words.t(hasSteps ? "monitor.steps_ended" : "monitor.ended", {
            ended: run.counts.total - run.counts.waiting - run.counts.running,
            total: run.counts.total,
          })}
        </span>
        <span className="ml-auto flex gap-5 text-soft tabular-nums">
          {took !== null && (
            <span>
              {words.t(isGoing ? "monitor.running_for" : "monitor.took", { time: words.duration(Math.round(took)) })}
            </span>
          )}
          {left !== null && (
            <span className="font-medium text-ink">
              {words.t("monitor.left", { time: words.duration(Math.round(left)) })}
            </span>
          )}
        </span>
      </div>
      <StateBar counts={run.counts} isTall />
      {run.last_error_message && (
        <p className="mt-3 truncate text-xs text-soft" title={run.last_error_message}>
          <span className="font-medium text-danger">{words.t("monitor.last_error")}</span> {run.last_error_message}
        </p>
      )}
    </section>
  );
}

function RunEvidence({ monitor }: { monitor: MonitorView }) {
  const { t } = useWords();
  const hasPictures = monitor.last_artifacts.some((each) => each.kind === "screenshot");
  return (
    <>
      {hasPictures && (
        <section className="card p-4">
          <h2 className="mb-3">{t("monitor.pictures")}</h2>
          <Pictures artifacts={monitor.last_artifacts} />
        </section>
      )}
      {monitor.logs_tail.length > 0 && (
        <section className="card p-4">
          <h2 className="mb-3">{t("monitor.log")}</h2>
          <LogTail lines={monitor.logs_tail} label={t("monitor.log")} />
        </section>
      )}
    </>
  );
}
