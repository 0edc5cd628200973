/** A held phone's screen: what it shows, and for its holder a mouse and a keyboard on it. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type PointerEvent,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { renewDeviceSession, sendInput } from "../../api/deviceSessions";
import type { DeviceSession, Touch } from "../../api/schema";
import { useLivePicture } from "../../components/livePicture";
import { Refusal } from "../../components/Notices";
import { NoPicture, PictureAge } from "../../components/Screen";
import { useMayOperate } from "../../components/useMayOperate";
import { useWords } from "../../i18n/text";
import { secondsLeft } from "./holder";
import { type Contact, gestureOf, InputQueue, pixelAt, touchOfKey } from "./inputs";
import { PhoneButtons, TypeText } from "./PhoneButtons";

interface LiveScreenProps {
  session: DeviceSession;
  deviceId: string;
  isMine: boolean;
}

export function LiveScreen({ session, deviceId, isMine }: LiveScreenProps) {
  const { t } = useWords();
  const mayOperate = useMayOperate();
  const live = useLivePicture(deviceId, mayOperate);
  const { push, problem } = useInputs(session);
  const mayUse = isMine && mayOperate;
  return (
    <section aria-label={t("screen.title")} className="card stack gap-4 p-4" data-testid="screen">
      <div className="flex items-center justify-between gap-2">
        <h2>{t("screen.title")}</h2>
        {live.url && <PictureAge takenAt={live.takenAt} />}
      </div>
      {live.failure && <NoPicture why={live.failure} />}
      {live.url ? (
        <Surface url={live.url} mayUse={mayUse} onTouch={push} />
      ) : (
        !live.failure && (
          <p className="py-24 text-center text-soft">{t(mayOperate ? "screen.coming" : "screen.never")}</p>
        )
      )}
      {mayUse ? (
        <div className="stack mx-auto w-full max-w-md gap-3">
          <PhoneButtons onTouch={push} />
          <TypeText onTouch={push} />
          <Refusal error={problem} />
        </div>
      ) : (
        <p className="text-center text-xs text-soft">{t("sessions.only_holder")}</p>
      )}
    </section>
  );
}

/** What is done to the phone, in order. Using it keeps it: a session that is half over is renewed by it. */
function useInputs(session: DeviceSession) {
  const client = useQueryClient();
  const [problem, setProblem] = useState<Error | null>(null);
  const latest = useRef(session);
  latest.current = session;
  const { session_id: sessionId } = session;
  const renew = useMutation({
    mutationFn: () => renewDeviceSession(sessionId),
    onSuccess: (renewed) => client.setQueryData(["device-session", sessionId], renewed),
  });
  const { mutate, isPending } = renew;
  const isRenewing = useRef(false);
  isRenewing.current = isPending;
  const queue = useMemo(
    () =>
      new InputQueue(
        (touch) => sendInput(sessionId, touch),
        (error) => {
          setProblem(error);
          if (error) return void client.invalidateQueries({ queryKey: ["device-session", sessionId] });
          const isHalfOver = secondsLeft(latest.current, Date.now()) < latest.current.ttl_s / 2;
          if (isHalfOver && !isRenewing.current) mutate();
        },
      ),
    [client, mutate, sessionId],
  );
  return { push: (touch: Touch) => queue.push(touch), problem };
}

interface SurfaceProps {
  url: string;
  mayUse: boolean;
  onTouch: (touch: Touch) => void;
}

const SHOWN_MS = 500;

function Surface({ url, mayUse, onTouch }: SurfaceProps) {
  const { t } = useWords();
  const image = useRef<HTMLImageElement>(null);
  const down = useRef<Contact | null>(null);
  const [spot, setSpot] = useState<{ left: number; top: number; key: number } | null>(null);
  useEffect(() => {
    if (!spot) return;
    const timer = setTimeout(() => setSpot(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [spot]);
  const picture = (
    <img
      ref={image}
      src={url}
      alt={t("screen.now")}
      draggable={false}
      className="block max-h-[max(320px,calc(100dvh-400px))] max-w-full rounded-lg select-none"
    />
  );
  if (!mayUse) return <div className="mx-auto rounded-lg border border-line-strong shadow-card">{picture}</div>;
  function contactOf(event: PointerEvent): Contact | null {
    const shown = image.current;
    const box = shown?.getBoundingClientRect();
    const size = { width: shown?.naturalWidth ?? 0, height: shown?.naturalHeight ?? 0 };
    const pixel = box ? pixelAt(box, size, event.clientX, event.clientY) : null;
    return pixel && { ...pixel, pageX: event.clientX, pageY: event.clientY, at: event.timeStamp };
  }
  function onDown(event: PointerEvent<HTMLDivElement>): void {
    if (event.button !== 0 || !event.isPrimary) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    event.currentTarget.focus({ preventScroll: true });
    down.current = contactOf(event);
  }
  function onUp(event: PointerEvent<HTMLDivElement>): void {
    const [from, to] = [down.current, contactOf(event)];
    down.current = null;
    if (!from || !to) return;
    const box = event.currentTarget.getBoundingClientRect();
    setSpot({ left: to.pageX - box.left, top: to.pageY - box.top, key: to.at });
    onTouch(gestureOf(from, to));
  }
  function onKey(event: KeyboardEvent): void {
    if (event.nativeEvent.isComposing) return;
    const touch = touchOfKey(event);
    if (!touch) return;
    event.preventDefault();
    onTouch(touch);
  }
  function onPaste(event: ClipboardEvent): void {
    const text = event.clipboardData.getData("text/plain").slice(0, 1000);
    if (text) onTouch({ kind: "text", text });
  }
  return (
    <>
      <div
        role="application"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it is what keys and fingers act on
        tabIndex={0}
        aria-label={t("sessions.surface")}
        aria-describedby="surface-hint"
        data-testid="surface"
        onPointerDown={onDown}
        onPointerUp={onUp}
        onPointerCancel={() => {
          down.current = null;
        }}
        onKeyDown={onKey}
        onPaste={onPaste}
        className="relative mx-auto cursor-pointer touch-none overflow-hidden rounded-lg border border-line-strong shadow-card"
      >
        {picture}
        {spot && (
          <span
            key={spot.key}
            aria-hidden="true"
            style={{ left: spot.left, top: spot.top }}
            className="pointer-events-none absolute -mt-3 -ml-3 size-6 animate-ping rounded-full bg-accent/60"
          />
        )}
      </div>
      <p id="surface-hint" className="text-center text-xs text-soft">
        {t("sessions.surface_hint")}
      </p>
    </>
  );
}
