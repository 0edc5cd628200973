/** Channels that are kept in sync: how that goes, and what is run on what is new. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleAlert, Pause, Play, Plus, RefreshCw, Trash2, Workflow } from "lucide-react";
import { type FormEvent, type ReactNode, useState } from "react";
import { call } from "../../api/client";
import { channelsQuery } from "../../api/contents";
import type { ContentChannel, ContentChannelChange } from "../../api/schema";
import { Ask } from "../../components/Ask";
import { Button } from "../../components/Button";
import { Failed, Loading, Refusal } from "../../components/Notices";
import { useMayOperate } from "../../components/useMayOperate";
import { useNow } from "../../components/useNow";
import { useWords } from "../../i18n/text";
import { ChannelRunDialog } from "./ChannelRunDialog";

export function Channels() {
  const { t } = useWords();
  const { data, error, refetch } = useQuery(channelsQuery);
  return (
    <section className="card" aria-label={t("content_channels.title")}>
      <div className="stack gap-3 border-b border-line p-4">
        <h2>{t("content_channels.title")}</h2>
        <AddChannel />
      </div>
      {!data ? (
        error ? (
          <Failed error={error} onRetry={() => void refetch()} />
        ) : (
          <div className="p-4">
            <Loading />
          </div>
        )
      ) : data.content_channels.length === 0 ? (
        <p className="p-4 text-soft">{t("content_channels.none")}</p>
      ) : (
        <ul>
          {data.content_channels.map((channel) => (
            <ChannelRow key={channel.youtube_channel_id} channel={channel} />
          ))}
        </ul>
      )}
    </section>
  );
}

function useRefresh() {
  const client = useQueryClient();
  return () => {
    for (const key of ["content-channels", "contents", "content-hours"])
      void client.invalidateQueries({ queryKey: [key] });
  };
}

function AddChannel() {
  const { t } = useWords();
  const refresh = useRefresh();
  const mayOperate = useMayOperate();
  const [name, setName] = useState("");
  const add = useMutation({
    mutationFn: () => call("post", "/api/content-channels", { body: { channel: name.trim() } }),
    onSuccess: () => {
      setName("");
      refresh();
    },
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    add.mutate();
  }
  return (
    <>
      <form onSubmit={submit} className="flex gap-2">
        <input
          className="field min-w-0 flex-1"
          aria-label={t("content_channels.address")}
          placeholder={t("content_channels.address")}
          value={name}
          required
          onChange={(event) => setName(event.target.value)}
        />
        <Button type="submit" disabled={!mayOperate || add.isPending}>
          <Plus size={15} aria-hidden="true" />
          {t("content_channels.add")}
        </Button>
      </form>
      <Refusal error={add.error} />
    </>
  );
}

function ChannelRow({ channel }: { channel: ContentChannel }) {
  const words = useWords();
  const { t } = words;
  const refresh = useRefresh();
  const mayOperate = useMayOperate();
  const [open, setOpen] = useState<"run" | "delete" | null>(null);
  const path = { youtube_channel_id: channel.youtube_channel_id };
  const change = useMutation({
    mutationFn: (body: ContentChannelChange) =>
      call("patch", "/api/content-channels/{youtube_channel_id}", { path, body }),
    onSuccess: refresh,
  });
  const sync = useMutation({
    mutationFn: () => call("post", "/api/content-channels/{youtube_channel_id}/sync", { path }),
    onSuccess: refresh,
  });
  const remove = useMutation({
    mutationFn: () => call("delete", "/api/content-channels/{youtube_channel_id}", { path }),
    onSuccess: refresh,
  });
  const name = channel.title ?? channel.youtube_channel_id;
  return (
    <li className="stack gap-2 border-b border-line p-4 last:border-0">
      <div className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <Link
            to="/content"
            search={{ channel: channel.youtube_channel_id }}
            className="block truncate font-medium hover:text-accent"
          >
            {name}
          </Link>
          <SyncState channel={channel} />
        </div>
        <IconButton
          label={t("content_channels.sync_now", { name })}
          disabled={!mayOperate || channel.is_paused}
          onClick={() => sync.mutate()}
        >
          <RefreshCw size={15} aria-hidden="true" />
        </IconButton>
        <IconButton
          label={t(channel.is_paused ? "content_channels.resume" : "content_channels.pause", { name })}
          disabled={!mayOperate}
          onClick={() => change.mutate({ is_paused: !channel.is_paused })}
        >
          {channel.is_paused ? <Play size={15} aria-hidden="true" /> : <Pause size={15} aria-hidden="true" />}
        </IconButton>
        <IconButton
          label={t("content_channels.delete", { name })}
          disabled={!mayOperate}
          onClick={() => setOpen("delete")}
        >
          <Trash2 size={15} aria-hidden="true" />
        </IconButton>
      </div>
      {channel.last_error_message && <Trouble text={channel.last_error_message} />}
      <div className="flex items-center gap-2 text-xs text-soft">
        <Workflow size={14} className="shrink-0 text-faint" aria-hidden="true" />
        <span className="min-w-0 flex-1">
          {channel.run
            ? t("content_channels.runs", { workflow: String(channel.run.workflow), cap: channel.run_cap })
            : t("content_channels.runs_nothing")}
        </span>
        <Button
          size="small"
          look="quiet"
          disabled={!mayOperate}
          onClick={() => setOpen("run")}
          aria-label={t("content_channels.change_run", { name })}
        >
          {t("content_channels.change")}
        </Button>
      </div>
      {channel.run && channel.last_run_error && <Trouble text={channel.last_run_error} />}
      <Refusal error={change.error ?? sync.error} />
      {open === "run" && (
        <ChannelRunDialog
          channel={channel}
          isPending={change.isPending}
          error={change.error}
          onSave={(body) => change.mutate(body, { onSuccess: () => setOpen(null) })}
          onClose={() => setOpen(null)}
        />
      )}
      {open === "delete" && (
        <Ask
          title={t("content_channels.delete_title", { name })}
          confirm={t("content_channels.delete_confirm")}
          isDangerous
          isPending={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(undefined, { onSuccess: () => setOpen(null) })}
          onClose={() => setOpen(null)}
        >
          {t("content_channels.delete_detail")}
        </Ask>
      )}
    </li>
  );
}

function SyncState({ channel }: { channel: ContentChannel }) {
  const words = useWords();
  const now = useNow(5000);
  const left = channel.next_sync_at ? (Date.parse(channel.next_sync_at) - now) / 1000 : 0;
  const facts = [
    words.t("content_channels.contents", { count: channel.contents }),
    channel.last_synced_at
      ? words.t("content_channels.synced", { ago: words.ago(channel.last_synced_at, now) })
      : words.t("content_channels.never_synced"),
    channel.is_paused
      ? words.t("content_channels.paused")
      : left > 0
        ? words.t("content_channels.next", { time: words.duration(Math.ceil(left)) })
        : words.t("content_channels.due"),
  ];
  return <p className="text-xs text-faint tabular-nums">{facts.join(" · ")}</p>;
}

function Trouble({ text }: { text: string }) {
  return (
    <p className="flex gap-1.5 text-xs text-danger">
      <CircleAlert size={14} className="mt-px shrink-0" aria-hidden="true" />
      <span className="min-w-0 break-words">{text}</span>
    </p>
  );
}

function IconButton(props: { label: string; disabled: boolean; onClick: () => void; children: ReactNode }) {
  return (
    <button
      type="button"
      title={props.label}
      aria-label={props.label}
      disabled={props.disabled}
      onClick={props.onClick}
      className="grid size-7 shrink-0 place-items-center rounded-md text-faint hover:bg-raised hover:text-ink disabled:cursor-not-allowed disabled:opacity-50"
    >
      {props.children}
    </button>
  );
}
