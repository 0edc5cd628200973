/** What the content pages ask the server for, and how often. */

import { queryOptions } from "@tanstack/react-query";
import { call } from "./client";
import { pollEvery } from "./polling";

export const contentsQuery = (search: string, channel: string | undefined, limit: number) =>
  queryOptions({
    queryKey: ["contents", search, channel ?? null, limit],
    queryFn: ({ signal }) =>
      call("get", "/api/contents", { query: { search, limit, ...(channel ? { channel } : {}) }, signal }),
    placeholderData: (previous) => previous,
    ...pollEvery(5000),
  });

export const contentQuery = (videoId: string) =>
  queryOptions({
    queryKey: ["content", videoId],
    queryFn: ({ signal }) =>
      call("get", "/api/contents/{youtube_video_id}", { path: { youtube_video_id: videoId }, signal }),
    ...pollEvery(3000),
  });

export const previewQuery = (url: string) =>
  queryOptions({
    queryKey: ["preview", url],
    queryFn: ({ signal }) => call("get", "/api/contents/preview", { query: { url }, signal }),
    staleTime: 60_000,
    retry: false,
    enabled: url !== "",
  });

export const contentHoursQuery = queryOptions({
  queryKey: ["content-hours"],
  queryFn: ({ signal }) => call("get", "/api/contents/hours", { query: { window: "24h" }, signal }),
  ...pollEvery(20_000),
});

export const channelsQuery = queryOptions({
  queryKey: ["content-channels"],
  queryFn: ({ signal }) => call("get", "/api/content-channels", { query: { limit: 1000 }, signal }),
  ...pollEvery(5000),
});
