/** The farm at a glance: how the last hours went, what needs somebody, what every phone does. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { ArrowRight, CircleCheck } from "lucide-react";
import { useMemo } from "react";
import { dashboardQuery } from "../api/queries";
import type { Dashboard as DashboardView, NodeTiles } from "../api/schema";
import { HourChart } from "../components/HourChart";
import { Heatmap } from "../components/heatmap/Heatmap";
import type { Tile, TileState } from "../components/heatmap/states";
import { Empty, Failed, Loading } from "../components/Notices";
import { stateName, toDo } from "../components/names";
import { StateMark } from "../components/StateMark";
import { useTitle } from "../components/useTitle";
import { useWords } from "../i18n/text";
import { type Trend, trendsOf } from "./trends";

const WINDOWS = ["6h", "24h", "7d"] as const;
const route = getRouteApi("/");

export function DashboardPage() {
  const words = useWords();
  const { window = "24h" } = route.useSearch();
  const { data, error, refetch } = useQuery(dashboardQuery(window));
  useTitle(words.t("nav.dashboard"));
  return (
    <div className="stack gap-5">
      <div className="flex flex-wrap items-center gap-3">
        <h1>{words.t("nav.dashboard")}</h1>
        <nav
          aria-label={words.t("dashboard.window")}
          className="ml-auto flex rounded-lg border border-line bg-raised p-0.5"
        >
          {WINDOWS.map((each) => (
            <Link
              key={each}
              to="/"
              search={each === "24h" ? {} : { window: each }}
              activeOptions={{ exact: true, includeSearch: true }}
              className="rounded-md px-3 py-1 text-xs font-medium text-soft aria-[current=page]:bg-surface aria-[current=page]:text-ink aria-[current=page]:shadow-card"
            >
              {words.t(`window.${each}`)}
            </Link>
          ))}
        </nav>
      </div>
      {!data ? (
        error ? (
          <Failed error={error} onRetry={() => void refetch()} />
        ) : (
          <Loading />
        )
      ) : (
        <Contents dashboard={data} />
      )}
    </div>
  );
}

function Contents({ dashboard }: { dashboard: DashboardView }) {
  const { t } = useWords();
  return (
    <>
      <Kpis dashboard={dashboard} />
      <div className="grid gap-5 lg:grid-cols-[1fr_340px]">
        <section className="card p-5">
          <h2 className="mb-4">{t("dashboard.hours")}</h2>
          <HourChart hours={dashboard.hours} />
        </section>
        <ToDoList dashboard={dashboard} />
      </div>
      <section className="card p-5">
        <h2 className="mb-4">{t("dashboard.nodes")}</h2>
        {dashboard.heatmap.length === 0 ? (
          <Empty title={t("dashboard.no_nodes")}>
            <Link to="/onboarding" className="text-accent hover:underline">
              {t("dashboard.no_nodes_hint")}
            </Link>
          </Empty>
        ) : (
          <div className={`grid gap-x-8 gap-y-6 ${dashboard.heatmap.length > 1 ? "xl:grid-cols-2" : ""}`}>
            {dashboard.heatmap.map((node) => (
              <NodeMap key={node.node_id} node={node} />
            ))}
          </div>
        )}
      </section>
    </>
  );
}

function Kpis({ dashboard }: { dashboard: DashboardView }) {
  const words = useWords();
  const { t } = words;
  const { kpis } = dashboard;
  const trends = useMemo(() => trendsOf(dashboard.hours), [dashboard.hours]);
  const facts = [
    {
      label: t("kpi.success"),
      value: kpis.success_rate === null ? "–" : words.percent(kpis.success_rate, 1),
      hint: t("kpi.jobs", { count: kpis.device_jobs }),
      trend: trends.success,
    },
    {
      label: t("kpi.runs"),
      value: words.number(kpis.runs),
      hint: t("kpi.runs_hint", { going: kpis.runs_going, failed: kpis.runs_failed }),
      trend: trends.runs,
    },
    {
      label: t("kpi.duration"),
      value: kpis.median_duration_s === null ? "–" : words.duration(kpis.median_duration_s),
      hint: kpis.p95_duration_s === null ? "" : t("kpi.p95", { time: words.duration(kpis.p95_duration_s) }),
    },
    {
      label: t("kpi.devices"),
      value: words.number(kpis.devices_online),
      hint: t("kpi.devices_hint", { offline: kpis.devices_offline, nodes: kpis.nodes_online }),
    },
  ];
  return (
    <dl className="grid grid-cols-2 gap-3 sm:gap-5 lg:grid-cols-4">
      {facts.map(({ label, value, hint, trend }) => (
        <div key={label} className="card p-4 sm:p-5">
          <dt className="text-xs font-medium text-soft">{label}</dt>
          <dd className="mt-1.5 flex flex-wrap items-baseline gap-x-2 text-2xl font-semibold tracking-tight tabular-nums sm:text-3xl">
            {value}
            {trend && <TrendMark trend={trend} />}
          </dd>
          <dd className="mt-1 text-xs text-faint tabular-nums">{hint}</dd>
        </div>
      ))}
    </dl>
  );
}

function TrendMark({ trend }: { trend: Trend }) {
  const words = useWords();
  const sign = trend.change > 0 ? "▲" : trend.change < 0 ? "▼" : "＝";
  const text =
    trend.unit === "points"
      ? words.t("trend.points", { n: words.number(Math.abs(trend.change) * 100, { maximumFractionDigits: 1 }) })
      : words.number(Math.abs(trend.change));
  return (
    <span className="text-xs font-medium tracking-normal text-soft" title={words.t("trend.hint")}>
      <span aria-hidden="true">{sign} </span>
      <span className="sr-only">
        {words.t(trend.change > 0 ? "trend.up" : trend.change < 0 ? "trend.down" : "trend.same")}{" "}
      </span>
      {text}
    </span>
  );
}

function ToDoList({ dashboard }: { dashboard: DashboardView }) {
  const words = useWords();
  return (
    <section className="card p-5">
      <h2 className="mb-3">{words.t("dashboard.to_do")}</h2>
      {dashboard.to_do.length === 0 ? (
        <p className="flex items-center gap-2 text-soft">
          <CircleCheck size={18} className="text-state-done" aria-hidden="true" />
          {words.t("dashboard.nothing_to_do")}
        </p>
      ) : (
        <ul className="-mx-2 grid gap-0.5">
          {dashboard.to_do.map((item) => (
            <li key={item.kind}>
              <a href={item.link} className="flex items-center gap-3 rounded-lg px-2 py-2.5 hover:bg-raised">
                <span className="grid h-6 min-w-6 shrink-0 place-items-center rounded-full bg-warn-soft px-1.5 text-xs font-semibold text-warn tabular-nums">
                  {words.number(item.count)}
                </span>
                <span className="min-w-0 flex-1">{toDo(words, item.kind, item.count, item.message)}</span>
                <ArrowRight size={15} className="shrink-0 text-faint" aria-hidden="true" />
              </a>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function NodeMap({ node }: { node: NodeTiles }) {
  const words = useWords();
  const navigate = route.useNavigate();
  const tiles = useMemo(
    () =>
      (node.items as unknown as { index: number; activity: TileState }[]).map(
        ({ index, activity }): Tile => ({ index, state: activity, title: `#${index}` }),
      ),
    [node.items],
  );
  const states: TileState[] = ["running", "waiting", "idle", "quarantined", "offline"];
  return (
    <div className="min-w-0">
      <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-1">
        <h3 className="font-semibold">{node.name}</h3>
        {!node.online && <span className="text-xs font-medium text-danger">{words.t("dashboard.node_away")}</span>}
        {node.draining && <span className="text-xs font-medium text-warn">{words.t("dashboard.draining")}</span>}
        <ul className="ml-auto flex flex-wrap gap-x-3 text-xs text-soft">
          {states
            .filter((state) => (node.counts[state] ?? 0) > 0)
            .map((state) => (
              <li key={state} className="flex items-center gap-1 tabular-nums">
                <StateMark state={state} size={12} />
                {words.number(node.counts[state] ?? 0)} {stateName(words, state)}
              </li>
            ))}
        </ul>
      </div>
      {tiles.length === 0 ? (
        <p className="text-faint">{words.t("dashboard.no_devices")}</p>
      ) : (
        <Heatmap
          tiles={tiles}
          label={node.name}
          height={110}
          onOpen={(index) => void navigate({ to: "/devices", search: { device: index } })}
        />
      )}
    </div>
  );
}
