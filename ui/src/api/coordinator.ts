/** What the coordinator door knows: asked for now and then, and told by a stream in between. */

import { queryOptions, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { call } from "./client";
import { pollEvery } from "./polling";
import type { Overview } from "./schema";

const TOPICS = ["agents", "channels", "chains", "tasks", "events"] as const;
const MOST_EVENTS = 60;
const LIVE_MS = 15_000;
const POLLED_MS = 2000;
/** The server's own view is up to a second old. */
const SETTLED_MS = 1100;
const REOPEN_MS = 5000;
const KEY = ["coordinator"];

type Topic = (typeof TOPICS)[number];
export interface News {
  type: string;
  payload?: { [K in Topic]?: Overview[K] } & { deleted?: string[] };
}

export const overviewQuery = (isLive: boolean) =>
  queryOptions({
    queryKey: KEY,
    queryFn: ({ signal }) => call("get", "/v1/dashboard", { signal }),
    ...pollEvery(isLive ? LIVE_MS : POLLED_MS),
  });

/** Listens to the stream while a page is shown; says whether it does. Without it, asking goes on as ever. */
export function useNews(): boolean {
  const client = useQueryClient();
  const [isLive, setIsLive] = useState(false);
  useEffect(() => {
    if (typeof EventSource === "undefined") return;
    let source: EventSource | undefined;
    let settling: ReturnType<typeof setTimeout> | undefined;
    let reopening: ReturnType<typeof setTimeout> | undefined;
    let hasMore = false;
    /** Counts are the server's to make: ask, once it has seen what we were told, and again for what came meanwhile. */
    const settle = () => {
      if (settling !== undefined) {
        hasMore = true;
        return;
      }
      settling = setTimeout(() => {
        settling = undefined;
        void client.invalidateQueries({ queryKey: KEY });
        if (hasMore) settle();
        hasMore = false;
      }, SETTLED_MS);
    };
    const hear = (event: MessageEvent<string>) => {
      const news = JSON.parse(event.data) as News;
      client.setQueryData<Overview>(KEY, (known) => known && applyNews(known, news));
      settle();
    };
    const open = () => {
      source = new EventSource("/v1/stream");
      source.onopen = () => setIsLive(true);
      source.onerror = () => {
        setIsLive(false);
        // A browser comes back by itself, unless it was refused.
        if (source?.readyState === EventSource.CLOSED) reopening = setTimeout(open, REOPEN_MS);
      };
      for (const topic of [...TOPICS, "update"]) source.addEventListener(topic, hear);
    };
    open();
    return () => {
      source?.close();
      clearTimeout(settling);
      clearTimeout(reopening);
    };
  }, [client]);
  return isLive;
}

/** What is known, with what was told. */
export function applyNews(known: Overview, { type, payload }: News): Overview {
  const topic = TOPICS.find((each) => each === type);
  if (!topic || !payload) return known;
  const gone = new Set(payload.deleted ?? []);
  const told = (payload[topic] ?? []) as { id: string }[];
  const before = (known[topic] as { id: string }[]).filter(({ id }) => !gone.has(id));
  if (topic === "events") return { ...known, events: newestEvents(before, told) as Overview["events"] };
  const newer = new Map(told.map((each) => [each.id, each]));
  const merged = before.map((each) => newer.get(each.id) ?? each);
  const present = new Set(before.map(({ id }) => id));
  return { ...known, [topic]: [...merged, ...told.filter(({ id }) => !present.has(id))] };
}

function newestEvents(before: { id: string }[], told: { id: string }[]): { id: string }[] {
  const present = new Set(before.map(({ id }) => id));
  return [...told.filter(({ id }) => !present.has(id)).reverse(), ...before].slice(0, MOST_EVENTS);
}
