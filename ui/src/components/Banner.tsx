/** Says when the server is away and how old everything on the page is. */

import { CloudOff } from "lucide-react";
import { useConnection } from "../api/connection";
import { useWords } from "../i18n/text";
import { useNow } from "./useNow";

export function AwayBanner() {
  const words = useWords();
  const { isAway, lastAnswerAt } = useConnection();
  const now = useNow(1000, isAway);
  return (
    <div role="status">
      {isAway && (
        <div className="flex flex-wrap items-center gap-2 border-b border-warn/30 bg-warn-soft px-4 py-2 text-warn sm:px-6">
          <CloudOff size={16} aria-hidden="true" />
          <strong className="font-semibold">{words.t("away.title")}</strong>
          <span aria-live="off">
            {words.t("away.age", { age: words.duration(Math.round(Math.max(0, now - lastAnswerAt) / 1000)) })}
          </span>
        </div>
      )}
    </div>
  );
}
