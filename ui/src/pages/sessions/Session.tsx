/** One session: the phone's screen, to look at and for its holder to use; until when, and why it ended. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Clock } from "lucide-react";
import type { ReactNode } from "react";
import { deviceSessionQuery, sessionWaitQuery } from "../../api/deviceSessions";
import type { DeviceSession, SessionDevice } from "../../api/schema";
import { Failed, Loading } from "../../components/Notices";
import { waitReason } from "../../components/names";
import { useNow } from "../../components/useNow";
import { useTitle } from "../../components/useTitle";
import { useWords } from "../../i18n/text";
import { holderName, secondsLeft, useIsMine } from "./holder";
import { LiveScreen } from "./LiveScreen";
import { SessionActions } from "./SessionActions";
import { SessionBadge } from "./SessionState";

const SOON_S = 60;
const route = getRouteApi("/sessions/$sessionId");

export function SessionPage() {
  const words = useWords();
  const { sessionId } = route.useParams();
  const { data: session, error, refetch } = useQuery(deviceSessionQuery(sessionId));
  const isMine = useIsMine(session);
  const name = session?.device ? words.t("device.number", { index: String(session.device.index) }) : null;
  useTitle(name ?? words.t("nav.sessions"));
  if (!session) return error ? <Failed error={error} onRetry={() => void refetch()} /> : <Loading />;
  return (
    <div className="stack gap-5">
      <div className="flex flex-wrap items-start gap-3">
        <div className="min-w-0">
          <div className="flex flex-wrap items-center gap-3">
            <h1>{name ?? words.t("sessions.no_phone")}</h1>
            <SessionBadge session={session} />
          </div>
          <p className="mt-1 text-soft">
            {words.t("sessions.held_by", { holder: holderName(words, session.holder) })}
            {isMine && ` (${words.t("sessions.you")})`}
            {session.purpose && ` · ${session.purpose}`}
          </p>
        </div>
        <div className="ml-auto">
          <SessionActions session={session} />
        </div>
      </div>
      {session.state === "waiting" && <Waiting session={session} />}
      {session.state === "ended" && <Ended session={session} />}
      <div className="flex flex-col gap-5 lg:flex-row lg:items-start">
        {session.state === "active" && session.device && (
          <div className="min-w-0 flex-1">
            <LiveScreen
              key={session.device.device_id}
              session={session}
              deviceId={session.device.device_id}
              isMine={isMine}
            />
          </div>
        )}
        <Facts session={session} isMine={isMine} />
      </div>
    </div>
  );
}

function Facts({ session, isMine }: { session: DeviceSession; isMine: boolean }) {
  const words = useWords();
  const { t } = words;
  const now = useNow(1000, session.state !== "ended");
  const left = secondsLeft(session, now);
  const isSoon = session.state !== "ended" && left < SOON_S;
  const facts: [string, ReactNode][] = [
    [t("sessions.since"), words.dateTime(session.started_at ?? session.created_at)],
    session.ended_at
      ? [t("sessions.ended"), words.dateTime(session.ended_at)]
      : [
          t("sessions.until"),
          <span key="left" className={`tabular-nums ${isSoon ? "text-danger" : ""}`} data-testid="time-left">
            {t("sessions.ends_in", { time: words.duration(Math.round(left)) })}
          </span>,
        ],
    [t("sessions.tags_asked"), session.tags.length > 0 ? session.tags.join(", ") : "–"],
    ...(session.device ? deviceFacts(session.device, t) : []),
  ];
  return (
    <aside aria-label={t("sessions.about")} className="card stack gap-4 p-5 lg:w-80 lg:shrink-0">
      <dl className="grid grid-cols-2 gap-x-4 gap-y-3">
        {facts.map(([label, value]) => (
          <div key={label} className="min-w-0">
            <dt className="text-xs text-faint">{label}</dt>
            <dd className="font-medium break-words">{value}</dd>
          </div>
        ))}
      </dl>
      {isSoon && isMine && (
        <p role="alert" className="rounded-lg bg-warn-soft px-3 py-2 text-warn">
          {t("sessions.ends_soon")}
        </p>
      )}
      {session.state === "active" && isMine && <p className="text-xs text-soft">{t("sessions.renews")}</p>}
      {session.device && (
        <Link to="/devices" search={{ device: session.device.index }} className="text-accent hover:underline">
          {t("sessions.to_device")}
        </Link>
      )}
    </aside>
  );
}

function deviceFacts(device: SessionDevice, t: ReturnType<typeof useWords>["t"]): [string, ReactNode][] {
  return [
    [t("facts.model"), device.model ?? "–"],
    [t("facts.android"), device.os_version ?? "–"],
    [t("facts.node"), device.node_id],
    [
      t("sessions.serial"),
      <span key="serial" className="font-mono text-xs">
        {device.serial}
      </span>,
    ],
    [t("edit.tags"), device.tags.length > 0 ? device.tags.join(", ") : "–"],
  ];
}

function Waiting({ session }: { session: DeviceSession }) {
  const words = useWords();
  const { data } = useQuery(sessionWaitQuery(session.run_id));
  return (
    <section role="status" className="card p-5">
      <h2 className="flex items-center gap-2">
        <Clock size={15} aria-hidden="true" />
        {words.t("sessions.waiting")}
      </h2>
      <p className="mt-1.5 text-soft">{data ? waitReason(words, data.reason, data.message) : words.t("loading")}</p>
      <p className="mt-1 text-xs text-faint">{words.t("sessions.waiting_hint")}</p>
    </section>
  );
}

function Ended({ session }: { session: DeviceSession }) {
  const words = useWords();
  const { t } = words;
  return (
    <section role="status" className="card p-5">
      <h2>{t(`session_end.${session.end_reason ?? "released"}.detail`)}</h2>
      {session.end_message && <p className="mt-1.5 break-words text-soft">{session.end_message}</p>}
      {session.ended_by && session.end_reason === "forced" && (
        <p className="mt-1 text-xs text-faint">
          {t("sessions.forced_by", { who: holderName(words, session.ended_by) })}
        </p>
      )}
    </section>
  );
}
