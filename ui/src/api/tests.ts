/** What became of a run's tests, as pages ask for it. */

import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { call } from "./client";
import { pollEvery } from "./polling";

export const TEST_FILTERS = ["failed", "differs", "flaky"] as const;
export type TestFilter = (typeof TEST_FILTERS)[number];
/** A test case of a run: its step, its class, its name. */
export type CaseKey = readonly [step: string, className: string, name: string];

const PAGE = 100;

const NARROWED = {
  failed: { status: ["failed", "errored"] },
  differs: { differs: true },
  flaky: { flaky: true },
} satisfies Record<TestFilter, object>;

export const testsQuery = (runId: string, filter: TestFilter | undefined, find: string, isGoing: boolean) =>
  infiniteQueryOptions({
    queryKey: ["tests", runId, filter ?? null, find],
    queryFn: ({ pageParam, signal }) =>
      call("get", "/api/runs/{run_id}/tests", {
        path: { run_id: runId },
        query: {
          limit: PAGE,
          ...(filter ? (NARROWED[filter] as { differs?: boolean }) : {}),
          ...(find ? { query: find } : {}),
          ...(pageParam ? { after: pageParam } : {}),
        },
        signal,
      }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
    placeholderData: (previous) => previous,
    ...(isGoing ? pollEvery(3000) : {}),
  });

export const testCaseQuery = (runId: string, [step, className, name]: CaseKey, isGoing: boolean) =>
  queryOptions({
    queryKey: ["test-case", runId, step, className, name],
    queryFn: ({ signal }) =>
      call("get", "/api/runs/{run_id}/tests/case", {
        path: { run_id: runId },
        query: { step, class_name: className, name },
        signal,
      }),
    ...(isGoing ? pollEvery(3000) : {}),
  });

export const junitUrl = (runId: string): string => `/api/runs/${encodeURIComponent(runId)}/junit`;
