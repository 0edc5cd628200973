/** What can be done to a session: its holder renews and releases it, others take it from them, with a reason. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { CircleSlash, RefreshCw, Undo2 } from "lucide-react";
import { useState } from "react";
import { releaseDeviceSession, renewDeviceSession } from "../../api/deviceSessions";
import type { DeviceSession } from "../../api/schema";
import { Ask } from "../../components/Ask";
import { Button } from "../../components/Button";
import { Refusal } from "../../components/Notices";
import { useMayOperate } from "../../components/useMayOperate";
import { useWords } from "../../i18n/text";
import { holderName, useIsMine } from "./holder";

interface SessionActionsProps {
  session: DeviceSession;
  size?: "small" | "normal";
}

export function SessionActions({ session, size = "normal" }: SessionActionsProps) {
  const words = useWords();
  const { t } = words;
  const client = useQueryClient();
  const mayOperate = useMayOperate();
  const isMine = useIsMine(session);
  const [isForcing, setIsForcing] = useState(false);
  const [problem, setProblem] = useState<Error | null>(null);
  const settled = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: ["device-sessions"] }),
      client.invalidateQueries({ queryKey: ["device-session", session.session_id] }),
      client.invalidateQueries({ queryKey: ["devices"] }),
    ]);
  const renew = useMutation({
    mutationFn: () => renewDeviceSession(session.session_id),
    onError: setProblem,
    onSuccess: () => setProblem(null),
    onSettled: settled,
  });
  const release = useMutation({
    mutationFn: (reason?: string) => releaseDeviceSession(session.session_id, reason),
    onError: (error) => !isForcing && setProblem(error),
    onSuccess: () => setIsForcing(false),
    onSettled: settled,
  });
  if (session.state === "ended") return null;
  const name = session.device ? t("device.number", { index: String(session.device.index) }) : t("sessions.no_phone");
  return (
    <div className="stack gap-2">
      <div className="flex flex-wrap justify-end gap-1.5">
        {isMine ? (
          <>
            <Button
              size={size}
              disabled={!mayOperate || renew.isPending}
              aria-label={t("sessions.renew_of", { name })}
              onClick={() => renew.mutate()}
            >
              <RefreshCw size={14} aria-hidden="true" />
              {t("sessions.renew")}
            </Button>
            <Button
              size={size}
              disabled={!mayOperate || release.isPending}
              aria-label={t("sessions.release_of", { name })}
              onClick={() => release.mutate(undefined)}
            >
              <Undo2 size={14} aria-hidden="true" />
              {t("sessions.release")}
            </Button>
          </>
        ) : (
          <Button
            size={size}
            look="danger"
            disabled={!mayOperate}
            aria-label={t("sessions.force_of", { name })}
            onClick={() => setIsForcing(true)}
          >
            <CircleSlash size={14} aria-hidden="true" />
            {t("sessions.force")}
          </Button>
        )}
      </div>
      <Refusal error={problem} />
      {isForcing && (
        <Ask
          title={t("sessions.force_title", { name, holder: holderName(words, session.holder) })}
          field={t("sessions.reason")}
          isRequired
          confirm={t("sessions.force_confirm")}
          isDangerous
          isPending={release.isPending}
          error={release.error}
          onConfirm={(reason) => release.mutate(reason)}
          onClose={() => {
            setIsForcing(false);
            release.reset();
          }}
        >
          {t("sessions.force_detail")}
        </Ask>
      )}
    </div>
  );
}
