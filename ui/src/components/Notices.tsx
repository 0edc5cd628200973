/** What there is to say while there is nothing to show: loading, nothing here, something went wrong. */

import { CircleAlert, Inbox, RefreshCw } from "lucide-react";
import type { ReactNode } from "react";
import { ApiError } from "../api/client";
import { useWords } from "../i18n/text";
import { Button } from "./Button";

export function Loading() {
  const { t } = useWords();
  return (
    <div role="status" className="stack gap-3">
      <span className="sr-only">{t("loading")}</span>
      {[24, 64, 40].map((height) => (
        <div key={height} className="animate-pulse rounded-xl bg-line/60" style={{ height: height * 3 }} />
      ))}
    </div>
  );
}

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-14 text-center">
      <Inbox size={28} className="text-faint" aria-hidden="true" />
      <p className="font-medium">{title}</p>
      {children && <div className="max-w-md text-soft">{children}</div>}
    </div>
  );
}

export function Failed({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  const { t } = useWords();
  const isAway = error instanceof ApiError && error.isAway;
  return (
    <div role="alert" className="card flex flex-col items-center gap-3 px-6 py-14 text-center">
      <CircleAlert size={28} className="text-danger" aria-hidden="true" />
      <p className="font-medium">{t(isAway ? "error.away" : "error.title")}</p>
      <p className="max-w-md text-soft">{isAway ? t("error.away_detail") : error.message}</p>
      {onRetry && (
        <Button onClick={onRetry}>
          <RefreshCw size={14} aria-hidden="true" />
          {t("error.retry")}
        </Button>
      )}
    </div>
  );
}

/** Why something that was asked for was refused, next to where it was asked. */
export function Refusal({ error }: { error: Error | null }) {
  if (!error) return null;
  const problems = error instanceof ApiError ? error.problems : [];
  return (
    <div role="alert" className="rounded-lg bg-danger-soft px-3 py-2 text-danger">
      <p className="font-medium break-words">{error.message}</p>
      {problems.length > 1 && (
        <ul className="mt-1 list-disc pl-5">
          {problems.map((each) => (
            <li key={`${each.path}${each.message}`}>
              <code>{each.path}</code> {each.message}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
