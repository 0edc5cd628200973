/** One video: what it is, what ran on it, what each device showed last. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Play, Trash2 } from "lucide-react";
import { useState } from "react";
import { ApiError, call } from "../../api/client";
import { contentQuery } from "../../api/contents";
import type { Artifact, Content, MonitoredArtifact, Run } from "../../api/schema";
import { Ask } from "../../components/Ask";
import { RunBadge } from "../../components/Badge";
import { Button, buttonLook } from "../../components/Button";
import { Pictures } from "../../components/Lightbox";
import { Empty, Failed, Loading } from "../../components/Notices";
import { useMayOperate } from "../../components/useMayOperate";
import { useNow } from "../../components/useNow";
import { useTitle } from "../../components/useTitle";
import { useWords } from "../../i18n/text";
import { Register } from "./Register";
import { Thumbnail } from "./Thumbnail";

const route = getRouteApi("/content/$videoId");

export function ContentPage() {
  const { t } = useWords();
  const { videoId } = route.useParams();
  const { data, error, refetch } = useQuery(contentQuery(videoId));
  useTitle(data?.content.title ?? t("nav.content"));
  if (!data && error instanceof ApiError && error.status === 404) return <Unknown videoId={videoId} />;
  if (!data) return error ? <Failed error={error} onRetry={() => void refetch()} /> : <Loading />;
  return (
    <div className="stack gap-5">
      <Heading content={data.content} />
      <section className="card p-4">
        <h2 className="mb-3">{t("content.screens")}</h2>
        {data.screenshots.length === 0 ? (
          <p className="text-soft">{t("content.no_screens")}</p>
        ) : (
          <Pictures artifacts={data.screenshots.map(pictureOf)} />
        )}
      </section>
      <section className="card overflow-hidden" aria-label={t("content.runs_title")}>
        <h2 className="border-b border-line p-4">{t("content.runs_title")}</h2>
        {data.runs.length === 0 ? <Empty title={t("content.no_runs")} /> : <RunList runs={data.runs} />}
      </section>
    </div>
  );
}

/** A run may name a video that nobody registered, or that was deleted since. */
function Unknown({ videoId }: { videoId: string }) {
  const { t } = useWords();
  return (
    <div className="stack gap-5">
      <h1>{t("content.unknown")}</h1>
      <Register initial={videoId} />
    </div>
  );
}

function Heading({ content }: { content: Content }) {
  const words = useWords();
  const { t } = words;
  const mayOperate = useMayOperate();
  const [isAsking, setAsking] = useState(false);
  const facts = [
    content.channel_title,
    content.duration_s === null ? null : words.duration(content.duration_s),
    content.published_at ? t("content.published", { at: words.date(content.published_at) }) : null,
    content.created_by === "sync" ? t("content.by_sync") : null,
  ];
  return (
    <div className="flex flex-wrap items-start gap-4">
      <Thumbnail src={content.thumbnail} className="w-48" />
      <div className="min-w-0 flex-1 basis-64">
        <h1 className="break-words">{content.title ?? content.youtube_video_id}</h1>
        <p className="mt-1 text-soft">{facts.filter(Boolean).join(" · ")}</p>
        <p className="mt-1 font-mono text-xs text-faint">{content.youtube_video_id}</p>
      </div>
      <div className="flex gap-2">
        <Link to="/runs/new" search={{ video: content.youtube_video_id }} className={buttonLook("primary")}>
          <Play size={15} aria-hidden="true" />
          {t("content.run")}
        </Link>
        <Button disabled={!mayOperate} onClick={() => setAsking(true)}>
          <Trash2 size={15} aria-hidden="true" />
          {t("content.delete")}
        </Button>
      </div>
      {isAsking && <Delete content={content} onClose={() => setAsking(false)} />}
    </div>
  );
}

function Delete({ content, onClose }: { content: Content; onClose: () => void }) {
  const { t } = useWords();
  const navigate = useNavigate();
  const client = useQueryClient();
  const path = { youtube_video_id: content.youtube_video_id };
  const remove = useMutation({
    mutationFn: () => call("delete", "/api/contents/{youtube_video_id}", { path }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ["contents"] });
      void navigate({ to: "/content", search: {} });
    },
  });
  return (
    <Ask
      title={t("content.delete_title")}
      confirm={t("content.delete")}
      isDangerous
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {t("content.delete_detail")}
    </Ask>
  );
}

function RunList({ runs }: { runs: readonly Run[] }) {
  const words = useWords();
  const now = useNow(5000);
  return (
    <ul>
      {runs.map((run) => (
        <li
          key={run.run_id}
          className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-4 py-3 last:border-0"
        >
          <Link
            to="/runs/$runId"
            params={{ runId: run.run_id }}
            search={{}}
            className="min-w-0 flex-1 basis-40 truncate font-medium hover:text-accent"
          >
            {run.name}
          </Link>
          <RunBadge status={run.status} />
          <span className="text-xs text-soft tabular-nums">
            {words.t("runs.ended_of", { ended: run.total_jobs - run.waiting - run.leased, total: run.total_jobs })}
          </span>
          <span className="text-xs text-faint">{words.ago(run.created_at, now)}</span>
        </li>
      ))}
    </ul>
  );
}

function pictureOf({ index_no, artifact_id, kind, url, created_at }: Artifact): MonitoredArtifact {
  return { artifact_id, kind, url, created_at, ...(index_no === null ? {} : { index: index_no }) };
}
