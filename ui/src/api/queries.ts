/** What pages ask the server for, and how often. */

import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { ApiError, call } from "./client";
import { pollEvery } from "./polling";
import type { Command, CommandBody, Device, Playbook, PlaybookBody, RunStatus, Session, Workflow } from "./schema";

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: async ({ signal }): Promise<Session | null> => {
    try {
      return await call("get", "/api/session", { signal });
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null;
      throw error;
    }
  },
  staleTime: 60_000,
  retry: false,
  refetchInterval: (query) => (query.state.status === "error" ? 2000 : false),
});

export const dashboardQuery = (window: string) =>
  queryOptions({
    queryKey: ["dashboard", window],
    queryFn: ({ signal }) => call("get", "/api/dashboard", { query: { window }, signal }),
    ...pollEvery(20_000),
  });

export const farmQuery = queryOptions({
  queryKey: ["farm"],
  queryFn: ({ signal }) => call("get", "/api/nodes/status", { signal }),
  ...pollEvery(10_000),
});

export const devicesQuery = queryOptions({
  queryKey: ["devices"],
  queryFn: async ({ signal }): Promise<Device[]> => {
    const devices: Device[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const page: { devices: Device[]; next: number | null } = await call("get", "/api/devices", {
        query: { after, limit: 5000 },
        signal,
      });
      devices.push(...page.devices);
      after = page.next;
    }
    return devices;
  },
  ...pollEvery(3000),
});

export const runsQuery = (status: readonly RunStatus[], reviewed: boolean | undefined, limit: number) =>
  queryOptions({
    queryKey: ["runs", status, reviewed, limit],
    queryFn: ({ signal }) =>
      call("get", "/api/runs", {
        query: { status: [...status], limit, ...(reviewed === undefined ? {} : { reviewed }) },
        signal,
      }),
    placeholderData: (previous) => previous,
    ...pollEvery(3000),
  });

export const monitorQuery = (runId: string, device: number | undefined) =>
  queryOptions({
    queryKey: ["monitor", runId, device ?? null],
    queryFn: ({ signal }) =>
      call("get", "/api/runs/{run_id}", {
        path: { run_id: runId },
        query: device === undefined ? {} : { device: String(device) },
        signal,
      }),
    placeholderData: (previous) => (previous?.run.run_id === runId ? previous : undefined),
    ...pollEvery(1500),
  });

export const graphQuery = (runId: string, isWanted: boolean) =>
  queryOptions({
    queryKey: ["graph", runId],
    queryFn: ({ signal }) => call("get", "/api/runs/{run_id}/graph", { path: { run_id: runId }, signal }),
    enabled: isWanted,
    ...pollEvery(2000),
  });

export const graphStepQuery = (runId: string, step: string, status: string) =>
  queryOptions({
    queryKey: ["graph", runId, step, status],
    queryFn: ({ signal }) => call("get", "/api/runs/{run_id}/graph/{step}", { path: { run_id: runId, step }, signal }),
    retry: false,
  });

export const stepLogQuery = (runId: string, step: string, isGoing: boolean) =>
  queryOptions({
    queryKey: ["step-log", runId, step, isGoing],
    queryFn: ({ signal }) =>
      call("get", "/api/runs/{run_id}/logs", { path: { run_id: runId }, query: { step, limit: 500 }, signal }),
    refetchInterval: isGoing ? 2000 : false,
  });

export const explainQuery = (runId: string, device: number) =>
  queryOptions({
    queryKey: ["explain", runId, device],
    queryFn: async ({ signal }) => {
      const page = await call("get", "/api/runs/{run_id}/explain", {
        path: { run_id: runId },
        query: { after: device - 1, limit: 1 },
        signal,
      });
      return page.jobs.find((job) => job.index_no === device) ?? null;
    },
    ...pollEvery(3000),
  });

export const workflowsQuery = queryOptions({
  queryKey: ["workflows"],
  queryFn: async ({ signal }): Promise<Workflow[]> => {
    const workflows: Workflow[] = [];
    for (let after: string | null = ""; after !== null; ) {
      const page: { workflows: Workflow[]; next: string | null } = await call("get", "/api/workflows", {
        query: after ? { after } : {},
        signal,
      });
      workflows.push(...page.workflows);
      after = page.next;
    }
    return workflows;
  },
  staleTime: 10_000,
});

export const planQuery = (name: string, version: number) =>
  queryOptions({
    queryKey: ["plan", name, version],
    queryFn: ({ signal }) => call("get", "/api/workflows/{name}/{version}/plan", { path: { name, version }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const scanQuery = (scanId: string) =>
  queryOptions({
    queryKey: ["scan", scanId],
    queryFn: ({ signal }) => call("get", "/api/scans/{scan_id}", { path: { scan_id: scanId }, signal }),
    ...pollEvery(1000),
  });

export const picturesQuery = (deviceId: string) =>
  queryOptions({
    queryKey: ["pictures", deviceId],
    queryFn: ({ signal }) =>
      call("get", "/api/artifacts", { query: { device_id: deviceId, kind: "screenshot", limit: 6 }, signal }),
    ...pollEvery(5000),
  });

export const deviceHealthQuery = (deviceId: string, window: string) =>
  queryOptions({
    queryKey: ["device-health", deviceId, window],
    queryFn: ({ signal }) =>
      call("get", "/api/devices/{device_id}/health", { path: { device_id: deviceId }, query: { window }, signal }),
    placeholderData: (previous) => previous,
    ...pollEvery(30_000),
  });

export const deviceJobsQuery = (deviceId: string, failedOnly: boolean) =>
  infiniteQueryOptions({
    queryKey: ["device-jobs", deviceId, failedOnly],
    queryFn: ({ pageParam, signal }) =>
      call("get", "/api/devices/{device_id}/jobs", {
        path: { device_id: deviceId },
        query: {
          limit: 10,
          ...(failedOnly ? { status: ["failed"] } : {}),
          ...(pageParam ? { before: pageParam } : {}),
        },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: (page) => page.next,
    ...pollEvery(5000),
  });

export const presetsQuery = queryOptions({
  queryKey: ["presets"],
  queryFn: ({ signal }) => call("get", "/api/presets", { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

export const actionsQuery = queryOptions({
  queryKey: ["actions"],
  queryFn: ({ signal }) => call("get", "/api/actions", { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

export const commandsQuery = queryOptions({
  queryKey: ["commands"],
  queryFn: async ({ signal }): Promise<Command[]> => {
    const commands: Command[] = [];
    for (let after: string | null = ""; after !== null; ) {
      const page: { commands: Command[]; next: string | null } = await call("get", "/api/commands", {
        query: { limit: 1000, ...(after ? { after } : {}) },
        signal,
      });
      commands.push(...page.commands);
      after = page.next;
    }
    return commands;
  },
  staleTime: 5000,
});

export const playbooksQuery = queryOptions({
  queryKey: ["playbooks"],
  queryFn: async ({ signal }): Promise<Playbook[]> => {
    const playbooks: Playbook[] = [];
    for (let after: string | null = ""; after !== null; ) {
      const page: { playbooks: Playbook[]; next: string | null } = await call("get", "/api/playbooks", {
        query: { limit: 1000, ...(after ? { after } : {}) },
        signal,
      });
      playbooks.push(...page.playbooks);
      after = page.next;
    }
    return playbooks;
  },
  staleTime: 5000,
});

/** What saving a playbook would make of it; asked anew for every change of it, and after every save. */
export const playbookCheckQuery = (body: PlaybookBody) =>
  queryOptions({
    queryKey: ["playbook-check", body],
    queryFn: ({ signal }) => call("post", "/api/playbooks/validate", { body, signal }),
    placeholderData: (previous) => previous,
    staleTime: 10_000,
    gcTime: 30_000,
  });

export const commandCheckQuery = (body: CommandBody) =>
  queryOptions({
    queryKey: ["command-check", body],
    queryFn: ({ signal }) => call("post", "/api/commands/validate", { body, signal }),
    placeholderData: (previous) => previous,
    staleTime: 10_000,
    gcTime: 30_000,
  });

export const stepTallyQuery = (runId: string) =>
  queryOptions({
    queryKey: ["steps", runId],
    queryFn: ({ signal }) => call("get", "/api/runs/{run_id}/steps", { path: { run_id: runId }, signal }),
    ...pollEvery(3000),
  });
