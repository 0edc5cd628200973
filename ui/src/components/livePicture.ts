/** A phone's screen as it is now: watched while somebody looks, in a tab that is seen. */

import { useEffect, useState } from "react";
import { ApiError, call, fetchPicture } from "../api/client";

const WATCH_EVERY_MS = 5000;
const AGAIN_MS = 1000;

export interface LivePicture {
  /** An address of the picture that the page may show; null while there is none. */
  url: string | null;
  /** When it was taken, by this page's clock. */
  takenAt: number;
  /** Why the phone gives no picture, if it does not. */
  failure: string | null;
}

const NOTHING: LivePicture = { url: null, takenAt: 0, failure: null };

export function useLivePicture(deviceId: string, isOn: boolean): LivePicture {
  const [picture, setPicture] = useState(NOTHING);
  const isSeen = useIsSeen();
  useEffect(() => {
    if (!isOn || !isSeen) return;
    const over = new AbortController();
    let shown: string | null = null;
    const watch = () =>
      call("post", "/api/devices/{device_id}/watch", { path: { device_id: deviceId }, signal: over.signal }).catch(
        (error: unknown) => {
          if (error instanceof ApiError && !error.isAway) setPicture({ ...NOTHING, failure: error.message });
        },
      );
    const show = (next: LivePicture) => {
      if (over.signal.aborted) return;
      if (shown) URL.revokeObjectURL(shown);
      shown = next.url;
      setPicture(next);
    };
    void watch();
    const timer = setInterval(() => void watch(), WATCH_EVERY_MS);
    void follow(deviceId, over.signal, show);
    return () => {
      over.abort();
      clearInterval(timer);
      if (shown) URL.revokeObjectURL(shown);
      setPicture(NOTHING);
    };
  }, [deviceId, isOn, isSeen]);
  return picture;
}

/** Asks for one picture after the other; each question waits at the server for the next. */
async function follow(deviceId: string, signal: AbortSignal, show: (picture: LivePicture) => void): Promise<void> {
  let etag: string | null = null;
  while (!signal.aborted) {
    try {
      const found = await fetchPicture(deviceId, etag, signal);
      if (!found) continue;
      etag = found.etag;
      show({ url: URL.createObjectURL(found.blob), takenAt: Date.now() - found.ageMs, failure: null });
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError && error.code === "no_picture") show({ ...NOTHING, failure: error.message });
      etag = null;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}

function useIsSeen(): boolean {
  const [isSeen, setIsSeen] = useState(!document.hidden);
  useEffect(() => {
    const look = () => setIsSeen(!document.hidden);
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, []);
  return isSeen;
}
