/** When a cron expression is due, as the server reads it, while it is typed. */

import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { previewQuery } from "../../api/schedules";
import { useWords } from "../../i18n/text";
import { zoneTime } from "./zones";

const PAUSE_MS = 250;

export function NextTimes({ cron, timeZone }: { cron: string; timeZone: string }) {
  const { t, language } = useWords();
  const asked = useSettled(`${cron.trim()}\n${timeZone.trim()}`);
  const [askedCron = "", askedZone = ""] = asked.split("\n");
  const { data, error } = useQuery(previewQuery(askedCron, askedZone));
  return (
    <div className="rounded-lg bg-raised p-3" aria-live="polite" data-testid="next-times">
      <h3 className="mb-1.5 text-xs font-medium text-soft">{t("schedule.next_times")}</h3>
      {error ? (
        <p className="text-xs break-words text-danger">{error.message}</p>
      ) : (
        <ol className="grid gap-1 tabular-nums">
          {(data?.times ?? []).map((time) => (
            <li key={time}>{zoneTime(language, time, askedZone)}</li>
          ))}
        </ol>
      )}
    </div>
  );
}

/** A text, once it has not changed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
