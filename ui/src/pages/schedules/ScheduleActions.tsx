/** What can be done to a schedule from its line: run it now, pause or resume it, delete it. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Pause, Play, Trash2, Zap } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/client";
import type { ScheduleView } from "../../api/schema";
import { Ask } from "../../components/Ask";
import { useMayOperate } from "../../components/useMayOperate";
import { useWords } from "../../i18n/text";

type Act = "run" | "delete";

export function ScheduleActions({ schedule }: { schedule: ScheduleView }) {
  const { t } = useWords();
  const client = useQueryClient();
  const navigate = useNavigate();
  const mayOperate = useMayOperate();
  const [asked, setAsked] = useState<Act | null>(null);
  const path = { schedule_id: schedule.schedule_id };
  const refresh = () => client.invalidateQueries({ queryKey: ["schedules"] });
  const turn = useMutation({
    mutationFn: () => call("patch", "/api/schedules/{schedule_id}", { path, body: { is_paused: !schedule.is_paused } }),
    onSettled: refresh,
  });
  const act = useMutation({
    mutationFn: async (what: Act) => {
      if (what === "run") return call("post", "/api/schedules/{schedule_id}/run", { path });
      await call("delete", "/api/schedules/{schedule_id}", { path });
      return null;
    },
    onSuccess: async (run) => {
      setAsked(null);
      if (run) await navigate({ to: "/runs/$runId", params: { runId: run.run_id }, search: {} });
      else await navigate({ to: "/schedules" });
      await refresh();
    },
  });
  const look = "grid size-8 place-items-center rounded-lg text-faint hover:bg-line hover:text-ink disabled:opacity-40";
  const turning = t(schedule.is_paused ? "schedule.resume" : "schedule.pause");
  return (
    <div className="flex justify-end gap-0.5">
      <button
        type="button"
        className={look}
        disabled={!mayOperate}
        title={t("schedule.run_now")}
        aria-label={`${t("schedule.run_now")}: ${schedule.name}`}
        onClick={() => setAsked("run")}
      >
        <Zap size={15} aria-hidden="true" />
      </button>
      <button
        type="button"
        className={look}
        disabled={!mayOperate || turn.isPending}
        title={turning}
        aria-label={`${turning}: ${schedule.name}`}
        onClick={() => turn.mutate()}
      >
        {schedule.is_paused ? <Play size={15} aria-hidden="true" /> : <Pause size={15} aria-hidden="true" />}
      </button>
      <button
        type="button"
        className={look}
        disabled={!mayOperate}
        title={t("schedule.delete")}
        aria-label={`${t("schedule.delete")}: ${schedule.name}`}
        onClick={() => setAsked("delete")}
      >
        <Trash2 size={15} aria-hidden="true" />
      </button>
      {asked && (
        <Ask
          title={`${t(asked === "run" ? "schedule.run_now" : "schedule.delete")}: ${schedule.name}`}
          confirm={t(asked === "run" ? "schedule.run_now" : "schedule.delete")}
          isDangerous={asked === "delete"}
          isPending={act.isPending}
          error={act.error}
          onConfirm={() => act.mutate(asked)}
          onClose={() => setAsked(null)}
        >
          {t(asked === "run" ? "schedule.run_now_detail" : "schedule.delete_detail")}
        </Ask>
      )}
    </div>
  );
}
