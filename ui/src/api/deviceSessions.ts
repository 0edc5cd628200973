/** Sessions that hold phones, as pages ask for them; signing in is queries.ts. */

import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { call } from "./client";
import { pollEvery } from "./polling";
import type { SessionRequest, Touch } from "./schema";

const PAGE = 50;
const OPENING_WAIT_S = 3;

export const deviceSessionsQuery = (state: "live" | "all") =>
  infiniteQueryOptions({
    queryKey: ["device-sessions", state],
    queryFn: ({ pageParam, signal }) =>
      call("get", "/api/sessions", {
        query: { state, limit: PAGE, ...(pageParam ? { before: pageParam } : {}) },
        signal,
      }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
    ...pollEvery(2000),
  });

export const deviceSessionQuery = (sessionId: string) =>
  queryOptions({
    queryKey: ["device-session", sessionId],
    queryFn: ({ signal }) => call("get", "/api/sessions/{session_id}", { path: { session_id: sessionId }, signal }),
    ...pollEvery(1000),
  });

/** Why a session has no phone yet. */
export const sessionWaitQuery = (runId: string) =>
  queryOptions({
    queryKey: ["session-wait", runId],
    queryFn: async ({ signal }) => {
      const page = await call("get", "/api/runs/{run_id}/explain", {
        path: { run_id: runId },
        query: { limit: 1 },
        signal,
      });
      return page.jobs[0] ?? null;
    },
    ...pollEvery(3000),
  });

/** Ask for a phone. The answer waits a moment for it; a session without one goes on waiting. */
export const openDeviceSession = (request: SessionRequest) =>
  call("post", "/api/sessions", { body: { ...request, wait_s: OPENING_WAIT_S } });

export const renewDeviceSession = (sessionId: string) =>
  call("post", "/api/sessions/{session_id}/renew", { path: { session_id: sessionId }, body: {} });

export const releaseDeviceSession = (sessionId: string, reason?: string) =>
  call("post", "/api/sessions/{session_id}/release", {
    path: { session_id: sessionId },
    body: reason === undefined ? {} : { reason },
  });

export const sendInput = (sessionId: string, touch: Touch) =>
  call("post", "/api/sessions/{session_id}/input", { path: { session_id: sessionId }, body: touch });
