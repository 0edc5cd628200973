import { useQuery } from "@tanstack/react-query";
import { sessionQuery } from "../../api/queries";
import type { DeviceSession } from "../../api/schema";
import type { Words } from "../../i18n/text";

/** Who holds a phone; a server without tokens knows its callers by no name. */
export function holderName({ t }: Words, holder: string): string {
  return holder || t("session.local");
}

/** Whether the reader holds it. */
export function useIsMine(session: Pick<DeviceSession, "holder"> | undefined): boolean {
  const { data: caller } = useQuery(sessionQuery);
  return session !== undefined && caller !== undefined && caller !== null && caller.actor === session.holder;
}

/** Seconds until it ends by itself. */
export function secondsLeft(session: Pick<DeviceSession, "expires_at">, now: number): number {
  return Math.max(0, (Date.parse(session.expires_at) - now) / 1000);
}
