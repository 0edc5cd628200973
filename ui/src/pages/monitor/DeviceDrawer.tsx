/** One device's part in a run: what it did, how far it is, what went wrong and what to do about that. */

import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Clock, Lightbulb, MonitorSmartphone, RotateCcw } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/client";
import { explainQuery } from "../../api/queries";
import type { Monitor, Tile } from "../../api/schema";
import { Button } from "../../components/Button";
import { Drawer } from "../../components/Drawer";
import { Pictures } from "../../components/Lightbox";
import { LogTail } from "../../components/LogTail";
import { Refusal } from "../../components/Notices";
import { failureOf, stateName, waitReason } from "../../components/names";
import { Screen } from "../../components/Screen";
import { StateMark } from "../../components/StateMark";
import { useMayOperate } from "../../components/useMayOperate";
import { useNow } from "../../components/useNow";
import { useWords } from "../../i18n/text";
import { Steps } from "./Steps";

interface DeviceDrawerProps {
  monitor: Monitor;
  tile: Tile;
  onClose: () => void;
}

export function DeviceDrawer({ monitor, tile, onClose }: DeviceDrawerProps) {
  const words = useWords();
  const { t } = words;
  const { selected, run } = monitor;
  const [isScreenShown, setIsScreenShown] = useState(run.finished_at === null);
  const isTold = selected.index === tile.index;
  const name = t("device.number", { index: String(tile.index) });
  const lastPicture = selected.last_artifacts.find((each) => each.kind === "screenshot");
  return (
    <Drawer
      label={name}
      onClose={onClose}
      title={
        <>
          <div className="flex items-center gap-2">
            <h2 className="text-base">{name}</h2>
            <span className="flex items-center gap-1.5 text-xs font-medium">
              <StateMark state={tile.activity} size={14} />
              {stateName(words, tile.activity)}
            </span>
          </div>
          <p className="mt-0.5 truncate font-mono text-xs text-soft">
            {tile.serial} · {tile.node_id}
          </p>
        </>
      }
    >
      <div className="stack gap-6">
        {tile.activity === "error" && <Trouble tile={tile} />}
        {(tile.activity === "error" || tile.activity === "offline" || tile.activity === "cancelled") &&
          run.finished_at !== null && <RetryDevice runId={run.run_id} index={tile.index} />}
        {tile.activity === "waiting" && <Waiting runId={run.run_id} index={tile.index} />}
        {tile.activity === "offline" && (
          <p className="text-soft">{tile.last_error_message ?? t("device.was_offline")}</p>
        )}
        {isScreenShown ? (
          <Screen deviceId={tile.device_id} isOnline={tile.online} last={isTold ? lastPicture : undefined} />
        ) : (
          tile.online && (
            <Button size="small" className="justify-self-start" onClick={() => setIsScreenShown(true)}>
              <MonitorSmartphone size={14} aria-hidden="true" />
              {t("screen.show")}
            </Button>
          )
        )}
        <section>
          <h2 className="mb-3 flex items-baseline gap-2">
            {t("device.steps")}
            {tile.attempt > 1 && (
              <span className="font-normal text-faint">{t("device.attempt", { attempt: tile.attempt })}</span>
            )}
          </h2>
          {isTold ? <Steps steps={selected.steps} /> : <p className="text-faint">{t("loading")}</p>}
        </section>
        {isTold && lastPicture && (
          <section>
            <h2 className="mb-3">{t("device.pictures")}</h2>
            <Pictures artifacts={selected.last_artifacts} />
          </section>
        )}
        {isTold && selected.logs_tail.length > 0 && (
          <section>
            <h2 className="mb-3">{t("device.log")}</h2>
            <LogTail lines={selected.logs_tail} label={t("device.log")} />
          </section>
        )}
      </div>
    </Drawer>
  );
}

function Trouble({ tile }: { tile: Tile }) {
  const words = useWords();
  const failure = failureOf(words, tile.failure_reason ?? "unknown");
  return (
    <section aria-label={words.t("device.error")} className="rounded-xl bg-danger-soft p-4" data-testid="trouble">
      <h2 className="text-sm text-danger">{failure?.title ?? tile.failure_reason}</h2>
      {tile.last_error_message && (
        <p className="mt-1 font-mono text-xs break-words text-ink">{tile.last_error_message}</p>
      )}
      {failure && (
        <p className="mt-3 flex gap-2 text-soft">
          <Lightbulb size={16} className="mt-0.5 shrink-0" aria-hidden="true" />
          {failure.advice}
        </p>
      )}
    </section>
  );
}

function RetryDevice({ runId, index }: { runId: string; index: number }) {
  const { t } = useWords();
  const mayOperate = useMayOperate();
  const navigate = useNavigate();
  const retry = useMutation({
    mutationFn: () => call("post", "/api/runs/{run_id}/retry", { path: { run_id: runId }, body: { indexes: [index] } }),
    onSuccess: (run) => void navigate({ to: "/runs/$runId", params: { runId: run.run_id }, search: { device: index } }),
  });
  return (
    <div className="stack gap-2">
      <Button look="primary" disabled={!mayOperate || retry.isPending} onClick={() => retry.mutate()}>
        <RotateCcw size={14} aria-hidden="true" />
        {t("device.retry")}
      </Button>
      <Refusal error={retry.error} />
    </div>
  );
}

function Waiting({ runId, index }: { runId: string; index: number }) {
  const words = useWords();
  const { data } = useQuery(explainQuery(runId, index));
  const now = useNow(1000);
  if (!data) return null;
  const startsIn = data.expected_start_at ? (Date.parse(data.expected_start_at) - now) / 1000 : null;
  return (
    <section className="rounded-xl bg-raised p-4" aria-label={words.t("device.why_waiting")}>
      <h2 className="flex items-center gap-2">
        <Clock size={15} aria-hidden="true" />
        {words.t("device.why_waiting")}
      </h2>
      <p className="mt-1.5">{waitReason(words, data.reason, data.message)}</p>
      <p className="mt-1 text-xs text-soft">
        {words.t("device.waiting_since", { ago: words.ago(data.since, now) })}
        {data.ahead > 0 && ` · ${words.t("device.ahead", { count: data.ahead })}`}
        {startsIn !== null &&
          startsIn > 0 &&
          ` · ${words.t("device.starts_in", { time: words.duration(Math.round(startsIn)) })}`}
      </p>
      {data.ahead_run_id && data.ahead_run_id !== runId && (
        <Link
          to="/runs/$runId"
          params={{ runId: data.ahead_run_id }}
          search={{ device: index }}
          className="mt-2 inline-block text-xs text-accent hover:underline"
        >
          {words.t("device.see_ahead")}
        </Link>
      )}
    </section>
  );
}
