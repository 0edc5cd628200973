/** A phone's screen: live while it can be, with its age; else the last picture that a job took, or why there is none. */

import { ScreenShareOff } from "lucide-react";
import type { MonitoredArtifact } from "../api/schema";
import { useWords } from "../i18n/text";
import { pictureUrl } from "./Lightbox";
import { useLivePicture } from "./livePicture";
import { useMayOperate } from "./useMayOperate";
import { useNow } from "./useNow";

const FRESH_MS = 5000;

interface ScreenProps {
  deviceId: string;
  isOnline: boolean;
  /** The last picture that there is of it, however old. */
  last?: Pick<MonitoredArtifact, "url" | "created_at"> | undefined;
}

export function Screen({ deviceId, isOnline, last }: ScreenProps) {
  const words = useWords();
  const mayOperate = useMayOperate();
  const live = useLivePicture(deviceId, isOnline && mayOperate);
  return (
    <section aria-label={words.t("screen.title")} data-testid="screen">
      <div className="mb-3 flex items-center justify-between gap-2">
        <h2>{words.t("screen.title")}</h2>
        {live.url && <PictureAge takenAt={live.takenAt} />}
      </div>
      {live.failure && <NoPicture why={live.failure} />}
      {live.url ? (
        <Frame url={live.url} alt={words.t("screen.now")} />
      ) : last ? (
        <figure className={live.failure ? "mt-3" : ""}>
          <Frame url={pictureUrl(last)} alt={words.t("picture.at", { at: words.dateTime(last.created_at) })} isPast />
          <figcaption className="mt-2 text-center text-xs text-faint">
            {words.t("screen.last", { ago: words.ago(last.created_at, Date.now()) })}
          </figcaption>
        </figure>
      ) : (
        !live.failure && (
          <p className="text-soft">{words.t(isOnline && mayOperate ? "screen.coming" : "screen.never")}</p>
        )
      )}
    </section>
  );
}

/** How old a live picture is; one that is too old does not pass for live. */
export function PictureAge({ takenAt }: { takenAt: number }) {
  const words = useWords();
  const now = useNow(500);
  const age = Math.max(0, now - takenAt);
  return (
    <span className="flex items-center gap-1.5 text-xs text-soft tabular-nums" data-testid="screen-age">
      <span
        aria-hidden="true"
        className={`size-2 rounded-full ${age < FRESH_MS ? "animate-pulse bg-state-error" : "bg-line-strong"}`}
      />
      {words.t(age < FRESH_MS ? "screen.live" : "screen.old", { age: words.duration(Math.round(age / 1000)) })}
    </span>
  );
}

export function NoPicture({ why }: { why: string }) {
  const { t } = useWords();
  return (
    <div role="status" className="flex gap-3 rounded-xl bg-warn-soft p-4 text-warn">
      <ScreenShareOff size={18} className="mt-0.5 shrink-0" aria-hidden="true" />
      <div className="min-w-0">
        <p className="font-medium">{t("screen.none")}</p>
        <p className="mt-0.5 text-xs break-words">{why}</p>
      </div>
    </div>
  );
}

function Frame({ url, alt, isPast = false }: { url: string; alt: string; isPast?: boolean }) {
  return (
    <div className="flex justify-center rounded-xl bg-raised p-3">
      <img
        src={url}
        alt={alt}
        className={`max-h-[380px] max-w-full rounded-lg border border-line-strong object-contain shadow-card ${isPast ? "opacity-70" : ""}`}
      />
    </div>
  );
}
