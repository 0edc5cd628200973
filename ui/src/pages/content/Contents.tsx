/** Registered videos, the channels that bring them, and how many are new. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useDeferredValue, useState } from "react";
import { contentHoursQuery, contentsQuery } from "../../api/contents";
import type { Content } from "../../api/schema";
import { Button } from "../../components/Button";
import { Empty, Failed, Loading } from "../../components/Notices";
import { useNow } from "../../components/useNow";
import { useTitle } from "../../components/useTitle";
import { useWords } from "../../i18n/text";
import { Channels } from "./Channels";
import { NewPerHour } from "./NewPerHour";
import { Register } from "./Register";
import { Thumbnail } from "./Thumbnail";

const MOST = 500;
const route = getRouteApi("/content");

export function ContentsPage() {
  const { t } = useWords();
  useTitle(t("nav.content"));
  return (
    <div className="stack gap-5">
      <div>
        <h1>{t("nav.content")}</h1>
        <p className="mt-1 max-w-2xl text-soft">{t("content.hint")}</p>
      </div>
      <Register />
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_minmax(0,26rem)]">
        <List />
        <div className="stack gap-5">
          <Hours />
          <Channels />
        </div>
      </div>
    </div>
  );
}

function Hours() {
  const { t } = useWords();
  const { data } = useQuery(contentHoursQuery);
  return (
    <section className="card p-4">
      <h2 className="mb-3">{t("content.hours")}</h2>
      <NewPerHour hours={data?.hours ?? []} />
    </section>
  );
}

function List() {
  const { t } = useWords();
  const { channel } = route.useSearch();
  const [words, setWords] = useState("");
  const [limit, setLimit] = useState(50);
  const search = useDeferredValue(words.trim());
  const { data, error, refetch } = useQuery(contentsQuery(search, channel, limit));
  return (
    <section className="card" aria-label={t("content.list")}>
      <div className="flex flex-wrap items-center gap-3 border-b border-line p-4">
        <h2>{t("content.list")}</h2>
        {channel && (
          <Link to="/content" search={{}} className="text-xs text-accent hover:underline">
            {t("content.of_channel")} ✕
          </Link>
        )}
        <input
          type="search"
          className="field ml-auto max-w-60"
          aria-label={t("content.find")}
          placeholder={t("content.find")}
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
      </div>
      {!data ? (
        error ? (
          <Failed error={error} onRetry={() => void refetch()} />
        ) : (
          <div className="p-4">
            <Loading />
          </div>
        )
      ) : data.contents.length === 0 ? (
        <Empty title={t(search || channel ? "content.none_such" : "content.none")}>
          {!search && !channel && t("content.none_hint")}
        </Empty>
      ) : (
        <ul>
          {data.contents.map((content) => (
            <Row key={content.youtube_video_id} content={content} />
          ))}
        </ul>
      )}
      {data?.next && limit < MOST && (
        <div className="grid place-items-center p-4">
          <Button onClick={() => setLimit(Math.min(MOST, limit * 2))}>{t("runs.more")}</Button>
        </div>
      )}
    </section>
  );
}

function Row({ content }: { content: Content }) {
  const words = useWords();
  const now = useNow(30_000);
  const facts = [
    content.channel_title,
    content.duration_s === null ? null : words.duration(content.duration_s),
    words.ago(content.created_at, now),
  ];
  return (
    <li className="border-b border-line last:border-0">
      <Link
        to="/content/$videoId"
        params={{ videoId: content.youtube_video_id }}
        className="flex items-center gap-3 px-4 py-3 hover:bg-raised"
      >
        <Thumbnail src={content.thumbnail} className="w-24 sm:w-28" />
        <span className="min-w-0 flex-1">
          <span className="line-clamp-2 font-medium break-words">{content.title ?? content.youtube_video_id}</span>
          <span className="mt-0.5 block truncate text-xs text-faint">{facts.filter(Boolean).join(" · ")}</span>
        </span>
        <span className="shrink-0 text-xs text-soft tabular-nums">
          {words.t("content.runs", { count: content.runs })}
        </span>
      </Link>
    </li>
  );
}
