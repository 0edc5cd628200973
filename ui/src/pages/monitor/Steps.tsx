/** The steps of one device's job, in order: how each went, how long it took, what was drawn. */

import { Dices } from "lucide-react";
import type { MonitoredStep } from "../../api/schema";
import { stepStatusName, tileOfStep } from "../../components/names";
import { StateMark } from "../../components/StateMark";
import { useNow } from "../../components/useNow";
import { useWords } from "../../i18n/text";

export function Steps({ steps }: { steps: readonly MonitoredStep[] }) {
  const now = useNow(
    500,
    steps.some((step) => step.status === "running"),
  );
  const longest = Math.max(0.001, ...steps.map((step) => tookOf(step, now) ?? 0));
  return (
    <ol className="grid gap-px overflow-hidden rounded-xl border border-line bg-line">
      {steps.map((step) => (
        <Step
          key={step.step}
          step={step}
          took={step.status === "skipped" ? null : tookOf(step, now)}
          longest={longest}
        />
      ))}
    </ol>
  );
}

function Step({ step, took, longest }: { step: MonitoredStep; took: number | null; longest: number }) {
  const words = useWords();
  const isSkipped = step.status === "skipped";
  return (
    <li className="bg-surface px-3 py-2.5" data-step={step.step} data-status={step.status}>
      <div className="flex items-center gap-2.5">
        <StateMark state={tileOfStep(step.status)} />
        <span className={`min-w-0 truncate font-medium ${step.status === "pending" || isSkipped ? "text-soft" : ""}`}>
          {step.title ?? step.step}
        </span>
        <span className="sr-only">{stepStatusName(words, step.status)}</span>
        <span className="ml-auto shrink-0 text-xs text-soft tabular-nums">
          {took === null ? stepStatusName(words, step.status) : words.duration(took)}
        </span>
      </div>
      <div className="mt-0.5 ml-[26px] flex flex-wrap gap-x-3 text-xs text-faint">
        {step.action && <span className="font-mono">{step.action}</span>}
        {step.probability !== null && step.probability < 1 && <Draw step={step} />}
        {step.attempt > 1 && <span>{words.t("step.tries", { count: step.attempt })}</span>}
        {isSkipped && isSkipCause(step.skip_cause) && <span>{words.t(`skip.${step.skip_cause}`)}</span>}
      </div>
      {took !== null && took > 0 && (
        <div className="mt-1.5 ml-[26px] h-[3px] rounded-full bg-raised" aria-hidden="true">
          <div
            className="h-full rounded-full"
            style={{
              width: `${Math.max(2, (took / longest) * 100)}%`,
              backgroundColor: `var(--state-${tileOfStep(step.status)})`,
            }}
          />
        </div>
      )}
      {step.error_message && (
        <p className="mt-1.5 ml-[26px] font-mono text-xs break-words text-danger">{step.error_message}</p>
      )}
    </li>
  );
}

function Draw({ step }: { step: MonitoredStep }) {
  const words = useWords();
  const chance = words.percent(step.probability ?? 1);
  const key = step.decision === null ? "step.chance" : step.decision === "execute" ? "step.drawn" : "step.not_drawn";
  return (
    <span className="inline-flex items-center gap-1">
      <Dices size={12} aria-hidden="true" />
      {words.t(key, { chance })}
    </span>
  );
}

function tookOf(step: MonitoredStep, now: number): number | null {
  if (step.started_at === null) return null;
  const until = step.finished_at ? Date.parse(step.finished_at) : now;
  return Math.max(0, until - Date.parse(step.started_at)) / 1000;
}

/** A draw is told with its chance; the others are told in words. */
function isSkipCause(cause: string | null): cause is "when" | "upstream" | "cancelled" | "stopped" {
  return cause === "when" || cause === "upstream" || cause === "cancelled" || cause === "stopped";
}
