import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Repeat, RotateCcw, Square } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/client";
import type { Run } from "../../api/schema";
import { Ask } from "../../components/Ask";
import { useMayOperate } from "../../components/useMayOperate";
import { useWords } from "../../i18n/text";

type Act = "cancel" | "retry" | "replay";

/** What can be done to a run from its line; each is asked for first, because the next line is near. */
export function RowActions({ run }: { run: Run }) {
  const { t } = useWords();
  const client = useQueryClient();
  const navigate = useNavigate();
  const mayOperate = useMayOperate();
  const [asked, setAsked] = useState<Act | null>(null);
  const act = useMutation({
    mutationFn: (what: Act): Promise<Run> => {
      const path = { run_id: run.run_id };
      if (what === "cancel") return call("post", "/api/runs/{run_id}/cancel", { path });
      if (what === "retry") return call("post", "/api/runs/{run_id}/retry", { path, body: {} });
      return call("post", "/api/runs/{run_id}/replay", { path });
    },
    onSuccess: async (next, what) => {
      setAsked(null);
      await client.invalidateQueries({ queryKey: ["runs"] });
      if (what !== "cancel") await navigate({ to: "/runs/$runId", params: { runId: next.run_id }, search: {} });
    },
  });
  const isGoing = run.finished_at === null;
  const toRetry = run.failed + run.cancelled + run.skipped_offline;
  const look = "grid size-8 place-items-center rounded-lg text-faint hover:bg-line hover:text-ink disabled:opacity-40";
  const label = (what: Act) =>
    `${t(what === "cancel" ? "run.cancel" : what === "retry" ? "run.retry_all" : "run.replay")}: ${run.name}`;
  return (
    <div className="flex justify-end gap-0.5">
      {isGoing && (
        <button
          type="button"
          className={look}
          disabled={!mayOperate || run.cancel_requested_at !== null}
          title={t("run.cancel")}
          aria-label={label("cancel")}
          onClick={() => setAsked("cancel")}
        >
          <Square size={15} aria-hidden="true" />
        </button>
      )}
      {!isGoing && toRetry > 0 && (
        <button
          type="button"
          className={look}
          disabled={!mayOperate}
          title={t("run.retry", { count: toRetry })}
          aria-label={label("retry")}
          onClick={() => setAsked("retry")}
        >
          <RotateCcw size={15} aria-hidden="true" />
        </button>
      )}
      {!isGoing && (
        <button
          type="button"
          className={look}
          disabled={!mayOperate}
          title={t("run.replay")}
          aria-label={label("replay")}
          onClick={() => setAsked("replay")}
        >
          <Repeat size={15} aria-hidden="true" />
        </button>
      )}
      {asked && (
        <Ask
          title={label(asked)}
          confirm={t(asked === "cancel" ? "run.cancel" : asked === "retry" ? "run.retry_all" : "run.replay")}
          isDangerous={asked === "cancel"}
          isPending={act.isPending}
          error={act.error}
          onConfirm={() => act.mutate(asked)}
          onClose={() => setAsked(null)}
        >
          {asked === "cancel"
            ? t("run.cancel_detail", { waiting: run.waiting, running: run.leased })
            : asked === "retry"
              ? t("run.retry_detail", { count: toRetry })
              : t("run.replay_hint")}
        </Ask>
      )}
    </div>
  );
}
