/** Pictures, small in a row and large one by one. */

import { ChevronLeft, ChevronRight, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { MonitoredArtifact } from "../api/schema";
import { useWords } from "../i18n/text";

/** From our own server, wherever it keeps it: the page may load from nowhere else. */
export function pictureUrl(artifact: Pick<MonitoredArtifact, "url">): string {
  return `${artifact.url}${artifact.url.includes("?") ? "&" : "?"}direct=false`;
}

export function Pictures({ artifacts }: { artifacts: readonly MonitoredArtifact[] }) {
  const words = useWords();
  const [shown, setShown] = useState<number | null>(null);
  const pictures = artifacts.filter((each) => each.kind === "screenshot");
  return (
    <>
      <ul className="flex gap-2 overflow-x-auto pb-1">
        {pictures.map((picture, at) => (
          <li key={picture.artifact_id} className="shrink-0">
            <button
              type="button"
              onClick={() => setShown(at)}
              className="block overflow-hidden rounded-lg border border-line bg-raised hover:border-accent"
            >
              <img
                src={pictureUrl(picture)}
                alt={altOf(words, picture)}
                loading="lazy"
                className="h-36 w-auto min-w-16 object-contain"
              />
            </button>
            <div className="mt-1 flex justify-between gap-2 text-xs text-faint tabular-nums">
              {picture.index ? <span>#{picture.index}</span> : null}
              <span>{words.time(picture.created_at)}</span>
            </div>
          </li>
        ))}
      </ul>
      {shown !== null && pictures[shown] && (
        <Lightbox pictures={pictures} at={shown} onMove={setShown} onClose={() => setShown(null)} />
      )}
    </>
  );
}

interface LightboxProps {
  pictures: readonly MonitoredArtifact[];
  at: number;
  onMove: (at: number) => void;
  onClose: () => void;
}

function Lightbox({ pictures, at, onMove, onClose }: LightboxProps) {
  const words = useWords();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const picture = pictures[at];
  if (!picture) return null;
  const move = (by: number) => onMove(Math.max(0, Math.min(pictures.length - 1, at + by)));
  const side =
    "grid size-10 place-items-center rounded-full bg-white/10 text-white hover:bg-white/25 disabled:opacity-30";
  return (
    <dialog
      ref={dialog}
      onClose={onClose}
      onKeyDown={(event) => {
        if (event.key === "ArrowLeft") move(-1);
        if (event.key === "ArrowRight") move(1);
      }}
      aria-label={altOf(words, picture)}
      className="m-auto max-h-none max-w-none bg-transparent p-0 backdrop:bg-black/85"
    >
      <div className="flex items-center gap-4 p-4">
        <button
          type="button"
          className={side}
          disabled={at === 0}
          onClick={() => move(-1)}
          aria-label={words.t("picture.newer")}
        >
          <ChevronLeft size={20} aria-hidden="true" />
        </button>
        <figure>
          <img
            src={pictureUrl(picture)}
            alt={altOf(words, picture)}
            className="max-h-[82dvh] max-w-[70vw] rounded-xl shadow-high"
          />
          <figcaption className="mt-3 text-center text-sm text-white">
            {altOf(words, picture)}
            <a className="ml-3 underline" href={pictureUrl(picture)} download>
              {words.t("picture.download")}
            </a>
          </figcaption>
        </figure>
        <button
          type="button"
          className={side}
          disabled={at === pictures.length - 1}
          onClick={() => move(1)}
          aria-label={words.t("picture.older")}
        >
          <ChevronRight size={20} aria-hidden="true" />
        </button>
        <button
          type="button"
          className={`${side} fixed top-4 right-4`}
          onClick={() => dialog.current?.close()}
          aria-label={words.t("drawer.close")}
        >
          <X size={20} aria-hidden="true" />
        </button>
      </div>
    </dialog>
  );
}

function altOf(words: ReturnType<typeof useWords>, picture: MonitoredArtifact): string {
  const at = words.time(picture.created_at);
  return picture.index ? words.t("picture.of", { index: String(picture.index), at }) : words.t("picture.at", { at });
}
