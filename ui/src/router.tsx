/** Which address shows which page. Pages are loaded when they are first gone to. */

import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import type { Health } from "./api/schema";
import { type CaseKey, TEST_FILTERS, type TestFilter } from "./api/tests";
import { Loading } from "./components/Notices";
import { Gate } from "./Gate";
import type { DeviceFilter } from "./pages/devices/Filters";
import { NotFound } from "./pages/NotFound";
import type { RunFilter } from "./pages/runs/Runs";

type Search = Record<string, unknown>;

interface MonitorSearch {
  device?: number;
  step?: string;
  tab?: "tests";
  /** Of the tests: which of them, and which one beside them. */
  show?: TestFilter;
  find?: string;
  case?: CaseKey;
}

const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Gate,
  notFoundComponent: NotFound,
});

const dashboard = createRoute({
  getParentRoute: () => root,
  path: "/",
  validateSearch: (search: Search): { window?: "6h" | "7d" } =>
    search.window === "6h" || search.window === "7d" ? { window: search.window } : {},
  component: lazyRouteComponent(() => import("./pages/Dashboard"), "DashboardPage"),
});

const runs = createRoute({
  getParentRoute: () => root,
  path: "/runs",
  validateSearch: (search: Search): { status?: RunFilter; reviewed?: boolean } => ({
    ...oneOf("status", search, ["going", "failed", "succeeded", "cancelled"] as const),
    ...(typeof search.reviewed === "boolean" ? { reviewed: search.reviewed } : {}),
  }),
  component: lazyRouteComponent(() => import("./pages/runs/Runs"), "RunsPage"),
});

const newRun = createRoute({
  getParentRoute: () => root,
  path: "/runs/new",
  validateSearch: (search: Search): { workflow?: string; devices?: string; video?: string } => ({
    ...text("workflow", search),
    ...text("devices", search),
    ...text("video", search),
  }),
  component: lazyRouteComponent(() => import("./pages/runs/NewRun"), "NewRunPage"),
});

const monitor = createRoute({
  getParentRoute: () => root,
  path: "/runs/$runId",
  validateSearch: (search: Search): MonitorSearch => ({
    ...number("device")(search),
    ...text("step", search),
    ...oneOf("tab", search, ["tests"] as const),
    ...oneOf("show", search, TEST_FILTERS),
    ...text("find", search),
    ...(isCaseKey(search.case) ? { case: search.case } : {}),
  }),
  component: lazyRouteComponent(() => import("./pages/monitor/Monitor"), "MonitorPage"),
});

const devices = createRoute({
  getParentRoute: () => root,
  path: "/devices",
  validateSearch: (search: Search): DeviceFilter & { device?: number } => ({
    ...text("find", search),
    ...text("node", search),
    ...text("tag", search),
    ...oneOf<"health", Health>("health", search, ["ok", "suspect", "quarantined"]),
    ...(typeof search.online === "boolean" ? { online: search.online } : {}),
    ...(search.contested === true ? { contested: true } : {}),
    ...number("device")(search),
  }),
  component: lazyRouteComponent(() => import("./pages/devices/Devices"), "DevicesPage"),
});

const deviceSessions = createRoute({
  getParentRoute: () => root,
  path: "/sessions",
  validateSearch: (search: Search): { state?: "all" } => (search.state === "all" ? { state: "all" } : {}),
  component: lazyRouteComponent(() => import("./pages/sessions/Sessions"), "SessionsPage"),
});

const deviceSession = createRoute({
  getParentRoute: () => root,
  path: "/sessions/$sessionId",
  component: lazyRouteComponent(() => import("./pages/sessions/Session"), "SessionPage"),
});

const commands = createRoute({
  getParentRoute: () => root,
  path: "/commands",
  validateSearch: (search: Search): { find?: string; tag?: string } => ({
    ...text("find", search),
    ...text("tag", search),
  }),
  component: lazyRouteComponent(() => import("./pages/commands/Commands"), "CommandsPage"),
});

const newCommand = createRoute({
  getParentRoute: () => root,
  path: "/commands/new",
  component: lazyRouteComponent(() => import("./pages/commands/CommandEditor"), "NewCommandPage"),
});

const command = createRoute({
  getParentRoute: () => root,
  path: "/commands/asset/$name",
  component: lazyRouteComponent(() => import("./pages/commands/CommandEditor"), "EditCommandPage"),
});

const playbooks = createRoute({
  getParentRoute: () => root,
  path: "/commands/playbooks",
  component: lazyRouteComponent(() => import("./pages/commands/Playbooks"), "PlaybooksPage"),
});

const newPlaybook = createRoute({
  getParentRoute: () => root,
  path: "/commands/playbooks/new",
  component: lazyRouteComponent(() => import("./pages/commands/Builder"), "NewPlaybookPage"),
});

const playbook = createRoute({
  getParentRoute: () => root,
  path: "/commands/playbook/$name",
  component: lazyRouteComponent(() => import("./pages/commands/Builder"), "EditPlaybookPage"),
});

const channels = createRoute({
  getParentRoute: () => root,
  path: "/channels",
  validateSearch: (search: Search): { channel?: string } => text("channel", search),
  component: lazyRouteComponent(() => import("./pages/channels/Channels"), "ChannelsPage"),
});

const contents = createRoute({
  getParentRoute: () => root,
  path: "/content",
  validateSearch: (search: Search): { channel?: string } => text("channel", search),
  component: lazyRouteComponent(() => import("./pages/content/Contents"), "ContentsPage"),
});

const content = createRoute({
  getParentRoute: () => root,
  path: "/content/$videoId",
  component: lazyRouteComponent(() => import("./pages/content/Content"), "ContentPage"),
});

const onboarding = createRoute({
  getParentRoute: () => root,
  path: "/onboarding",
  component: lazyRouteComponent(() => import("./pages/Onboarding"), "OnboardingPage"),
});

const schedules = createRoute({
  getParentRoute: () => root,
  path: "/schedules",
  component: lazyRouteComponent(() => import("./pages/schedules/Schedules"), "SchedulesPage"),
});

const newSchedule = createRoute({
  getParentRoute: () => root,
  path: "/schedules/new",
  component: lazyRouteComponent(() => import("./pages/schedules/ScheduleDetail"), "NewSchedulePage"),
});

const schedule = createRoute({
  getParentRoute: () => root,
  path: "/schedules/$scheduleId",
  component: lazyRouteComponent(() => import("./pages/schedules/ScheduleDetail"), "SchedulePage"),
});

const notifications = createRoute({
  getParentRoute: () => root,
  path: "/settings/notifications",
  component: lazyRouteComponent(() => import("./pages/settings/Notifications"), "NotificationsPage"),
});

export function makeRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree: root.addChildren([
      dashboard,
      runs,
      newRun,
      monitor,
      devices,
      deviceSessions,
      deviceSession,
      commands,
      newCommand,
      command,
      playbooks,
      newPlaybook,
      playbook,
      channels,
      contents,
      content,
      schedules,
      newSchedule,
      schedule,
      notifications,
      onboarding,
    ]),
    context: { queryClient },
    defaultPreload: "intent",
    defaultPendingComponent: Loading,
    scrollRestoration: true,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}

/** Search params are text that the router parsed as JSON where it could: a name of digits comes as a number. */
function text<K extends string>(name: K, search: Search): Partial<Record<K, string>> {
  const value = search[name];
  const isText = (typeof value === "string" && value !== "") || typeof value === "number";
  return (isText ? { [name]: String(value) } : {}) as Partial<Record<K, string>>;
}

function isCaseKey(value: unknown): value is CaseKey {
  return Array.isArray(value) && value.length === 3 && value.every((part) => typeof part === "string");
}

function oneOf<K extends string, V extends string>(
  name: K,
  search: Search,
  known: readonly V[],
): Partial<Record<K, V>> {
  const value = known.find((each) => each === search[name]);
  return (value === undefined ? {} : { [name]: value }) as Partial<Record<K, V>>;
}

function number<K extends string>(name: K) {
  return (search: Search): Partial<Record<K, number>> => {
    const value = Number(search[name]);
    return (Number.isInteger(value) && value > 0 ? { [name]: value } : {}) as Partial<Record<K, number>>;
  };
}
