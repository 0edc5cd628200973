/** What can be done to a run: stop it, try again where it failed, repeat it exactly. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { CheckCheck, Repeat, RotateCcw, Square } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/client";
import type { MonitoredRun } from "../../api/schema";
import { Ask } from "../../components/Ask";
import { Button } from "../../components/Button";
import { Refusal } from "../../components/Notices";
import { useMayOperate } from "../../components/useMayOperate";
import { useWords } from "../../i18n/text";

export function RunActions({ run }: { run: MonitoredRun }) {
  const { t } = useWords();
  const client = useQueryClient();
  const navigate = useNavigate();
  const mayOperate = useMayOperate();
  const [isAsking, setIsAsking] = useState(false);
  const path = { run_id: run.run_id };
  const follow = (next: { run_id: string }) =>
    void navigate({ to: "/runs/$runId", params: { runId: next.run_id }, search: {} });
  const refresh = () => client.invalidateQueries({ queryKey: ["monitor", run.run_id] });
  const cancel = useMutation({
    mutationFn: () => call("post", "/api/runs/{run_id}/cancel", { path }),
    onSuccess: async () => {
      setIsAsking(false);
      await refresh();
    },
  });
  const retry = useMutation({
    mutationFn: () => call("post", "/api/runs/{run_id}/retry", { path, body: {} }),
    onSuccess: follow,
  });
  const replay = useMutation({
    mutationFn: () => call("post", "/api/runs/{run_id}/replay", { path }),
    onSuccess: follow,
  });
  const review = useMutation({
    mutationFn: () => call("post", "/api/runs/{run_id}/review", { path }),
    onSuccess: refresh,
  });
  const { error, offline, cancelled, waiting, running } = run.counts;
  const toRetry = error + offline + cancelled;
  return (
    <div className="grid justify-items-end gap-2">
      <div className="flex flex-wrap gap-2">
        {run.finished_at === null ? (
          <Button
            look="danger"
            disabled={!mayOperate || run.cancel_requested_at !== null}
            onClick={() => setIsAsking(true)}
          >
            <Square size={14} aria-hidden="true" />
            {t(run.cancel_requested_at ? "run.cancelling" : "run.cancel")}
          </Button>
        ) : (
          <>
            {(run.status === "failed" || run.status === "completed_with_errors") && (
              <Button
                look="quiet"
                disabled={!mayOperate || review.isPending || review.isSuccess}
                onClick={() => review.mutate()}
              >
                <CheckCheck size={14} aria-hidden="true" />
                {t(review.isSuccess ? "run.reviewed" : "run.review")}
              </Button>
            )}
            <Button
              disabled={!mayOperate || replay.isPending}
              title={t("run.replay_hint")}
              onClick={() => replay.mutate()}
            >
              <Repeat size={14} aria-hidden="true" />
              {t("run.replay")}
            </Button>
            {toRetry > 0 && (
              <Button look="primary" disabled={!mayOperate || retry.isPending} onClick={() => retry.mutate()}>
                <RotateCcw size={14} aria-hidden="true" />
                {t("run.retry", { count: toRetry })}
              </Button>
            )}
          </>
        )}
      </div>
      <Refusal error={retry.error ?? replay.error ?? review.error} />
      {isAsking && (
        <Ask
          title={t("run.cancel_title")}
          confirm={t("run.cancel")}
          isDangerous
          isPending={cancel.isPending}
          error={cancel.error}
          onConfirm={() => cancel.mutate()}
          onClose={() => setIsAsking(false)}
        >
          {t("run.cancel_detail", { waiting, running })}
        </Ask>
      )}
    </div>
  );
}
