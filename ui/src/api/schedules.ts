/** What the pages of schedules and notifications ask for. */

import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { call } from "./client";
import { pollEvery } from "./polling";

const MOST = 1000;

export const schedulesQuery = queryOptions({
  queryKey: ["schedules"],
  queryFn: ({ signal }) => call("get", "/api/schedules", { query: { limit: MOST }, signal }),
  ...pollEvery(5000),
});

export const scheduleQuery = (scheduleId: string) =>
  queryOptions({
    queryKey: ["schedules", scheduleId],
    queryFn: ({ signal }) => call("get", "/api/schedules/{schedule_id}", { path: { schedule_id: scheduleId }, signal }),
    ...pollEvery(5000),
  });

export const firingsQuery = (scheduleId: string, limit: number) =>
  queryOptions({
    queryKey: ["schedules", scheduleId, "firings", limit],
    queryFn: ({ signal }) =>
      call("get", "/api/schedules/{schedule_id}/firings", {
        path: { schedule_id: scheduleId },
        query: { limit },
        signal,
      }),
    placeholderData: keepPreviousData,
    ...pollEvery(5000),
  });

export const previewQuery = (cron: string, timeZone: string) =>
  queryOptions({
    queryKey: ["schedule-preview", cron, timeZone],
    queryFn: ({ signal }) => call("get", "/api/schedules/preview", { query: { cron, time_zone: timeZone }, signal }),
    enabled: cron.trim() !== "" && timeZone.trim() !== "",
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 10_000,
  });

export const webhooksQuery = queryOptions({
  queryKey: ["webhooks"],
  queryFn: ({ signal }) => call("get", "/api/webhooks", { query: { limit: MOST }, signal }),
  ...pollEvery(5000),
});

export const deliveriesQuery = (webhookId: string, limit: number) =>
  queryOptions({
    queryKey: ["webhooks", webhookId, "deliveries", limit],
    queryFn: ({ signal }) =>
      call("get", "/api/webhooks/{webhook_id}/deliveries", {
        path: { webhook_id: webhookId },
        query: { limit },
        signal,
      }),
    placeholderData: keepPreviousData,
    ...pollEvery(2000),
  });

export const deliveryQuery = (webhookId: string, deliveryId: string) =>
  queryOptions({
    queryKey: ["webhooks", webhookId, "delivery", deliveryId],
    queryFn: ({ signal }) =>
      call("get", "/api/webhooks/{webhook_id}/deliveries/{delivery_id}", {
        path: { webhook_id: webhookId, delivery_id: deliveryId },
        signal,
      }),
    staleTime: 5000,
  });
