/** Who holds which phone, since when and until when; and taking one. */

import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { deviceSessionsQuery } from "../../api/deviceSessions";
import type { DeviceSession } from "../../api/schema";
import { Button } from "../../components/Button";
import { Empty, Failed, Loading } from "../../components/Notices";
import { useMayOperate } from "../../components/useMayOperate";
import { useNow } from "../../components/useNow";
import { useTitle } from "../../components/useTitle";
import { useWords } from "../../i18n/text";
import { holderName, secondsLeft, useIsMine } from "./holder";
import { OpenSession } from "./OpenSession";
import { SessionActions } from "./SessionActions";
import { SessionBadge } from "./SessionState";

const CHIP =
  "rounded-full border border-line bg-surface px-3 py-1 text-xs font-medium text-soft hover:border-line-strong aria-[current=page]:border-accent aria-[current=page]:bg-accent-soft aria-[current=page]:text-ink";
const route = getRouteApi("/sessions");

export function SessionsPage() {
  const { t } = useWords();
  const { state } = route.useSearch();
  const mayOperate = useMayOperate();
  const [isOpening, setIsOpening] = useState(false);
  const held = useInfiniteQuery(deviceSessionsQuery(state ?? "live"));
  useTitle(t("nav.sessions"));
  const sessions = held.data?.pages.flatMap((page) => page.sessions);
  return (
    <div className="stack gap-5">
      <div className="flex flex-wrap items-center gap-3">
        <h1>{t("nav.sessions")}</h1>
        <Button look="primary" className="ml-auto" disabled={!mayOperate} onClick={() => setIsOpening(true)}>
          <Plus size={16} aria-hidden="true" />
          {t("sessions.new")}
        </Button>
      </div>
      <nav aria-label={t("sessions.filter")} className="flex flex-wrap gap-1.5">
        <Link to="/sessions" search={{}} activeOptions={{ exact: true, includeSearch: true }} className={CHIP}>
          {t("sessions.live")}
        </Link>
        <Link to="/sessions" search={{ state: "all" }} activeOptions={{ includeSearch: true }} className={CHIP}>
          {t("sessions.all")}
        </Link>
      </nav>
      {!sessions ? (
        held.error ? (
          <Failed error={held.error} onRetry={() => void held.refetch()} />
        ) : (
          <Loading />
        )
      ) : (
        <div className="card relative overflow-x-auto">
          {sessions.length === 0 ? (
            <Empty title={t(state ? "sessions.never" : "sessions.none")}>{t("sessions.none_hint")}</Empty>
          ) : (
            <SessionTable sessions={sessions} />
          )}
        </div>
      )}
      {held.hasNextPage && (
        <Button
          className="justify-self-center"
          disabled={held.isFetchingNextPage}
          onClick={() => void held.fetchNextPage()}
        >
          {t("runs.more")}
        </Button>
      )}
      {isOpening && <OpenSession onClose={() => setIsOpening(false)} />}
    </div>
  );
}

function SessionTable({ sessions }: { sessions: readonly DeviceSession[] }) {
  const { t } = useWords();
  const now = useNow(1000);
  return (
    <table className="w-full text-left sm:min-w-[820px]">
      <thead className="text-xs text-faint max-sm:hidden">
        <tr className="border-b border-line">
          <th className="px-4 py-2.5 font-medium">{t("sessions.phone_column")}</th>
          <th className="py-2.5 font-medium">{t("sessions.holder")}</th>
          <th className="px-4 py-2.5 font-medium">{t("sessions.state")}</th>
          <th className="py-2.5 font-medium">{t("sessions.since")}</th>
          <th className="px-4 py-2.5 font-medium">{t("sessions.until")}</th>
          <th className="px-4 py-2.5">
            <span className="sr-only">{t("runs.actions")}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {sessions.map((session) => (
          <Row key={session.session_id} session={session} now={now} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ session, now }: { session: DeviceSession; now: number }) {
  const words = useWords();
  const { t } = words;
  const isMine = useIsMine(session);
  const { device } = session;
  const since = words.ago(session.started_at ?? session.created_at, now);
  const left = words.duration(Math.round(secondsLeft(session, now)));
  const until = session.ended_at ? words.ago(session.ended_at, now) : t("sessions.ends_in", { time: left });
  return (
    <tr
      data-session={session.session_id}
      className="border-b border-line align-top last:border-0 hover:bg-raised max-sm:grid max-sm:gap-2 max-sm:p-4"
    >
      <td className="px-4 py-3 max-sm:p-0">
        <Link
          to="/sessions/$sessionId"
          params={{ sessionId: session.session_id }}
          className="font-medium text-accent hover:underline"
        >
          {device ? t("device.number", { index: String(device.index) }) : t("sessions.no_phone")}
        </Link>
        <p className="max-w-56 truncate text-xs text-faint">
          {device ? [device.model, device.serial].filter(Boolean).join(" · ") : session.tags.join(", ")}
        </p>
      </td>
      <td className="py-3 max-sm:p-0">
        <span className="font-medium">{holderName(words, session.holder)}</span>
        {isMine && <span className="ml-1.5 text-xs text-faint">{t("sessions.you")}</span>}
        {session.purpose && <p className="max-w-64 truncate text-xs text-soft">{session.purpose}</p>}
      </td>
      <td className="px-4 py-3 max-sm:p-0">
        <SessionBadge session={session} />
        {session.end_message && <p className="mt-1 max-w-64 text-xs break-words text-soft">{session.end_message}</p>}
      </td>
      <td className="py-3 whitespace-nowrap text-soft tabular-nums max-sm:hidden">{since}</td>
      <td className="px-4 py-3 whitespace-nowrap text-soft tabular-nums max-sm:hidden">{until}</td>
      <td className="text-xs text-soft sm:hidden">
        {since} · {until}
      </td>
      <td className="px-4 py-3 text-right max-sm:p-0">
        <SessionActions session={session} size="small" />
      </td>
    </tr>
  );
}
