/** How each step went over all phones of a run: whom it fell to by its draw, how it ended, how long it took. */

import { useQuery } from "@tanstack/react-query";
import { Dices } from "lucide-react";
import { stepTallyQuery } from "../../api/queries";
import type { StepTally } from "../../api/schema";
import { useWords } from "../../i18n/text";

export function StepTallies({ runId }: { runId: string }) {
  const { t } = useWords();
  const { data } = useQuery(stepTallyQuery(runId));
  if (!data || data.steps.length === 0) return null;
  return (
    <section className="card p-4">
      <h2 className="mb-3">{t("tally.title")}</h2>
      <ol className="stack gap-3">
        {data.steps.map((step) => (
          <Tally key={step.step} step={step} />
        ))}
      </ol>
    </section>
  );
}

const HATCHED = "repeating-linear-gradient(135deg, transparent 0 3px, rgb(0 0 0 / 22%) 3px 5px)";

export function Tally({ step }: { step: StepTally }) {
  const words = useWords();
  const { t } = words;
  const parts = [
    { key: "succeeded", count: step.succeeded, colour: "var(--state-done)", isHatched: false },
    { key: "failed", count: step.failed, colour: "var(--state-error)", isHatched: true },
    { key: "running", count: step.running, colour: "var(--state-running)", isHatched: false },
    { key: "left_out", count: step.left_out, colour: "var(--state-waiting)", isHatched: true },
    { key: "skipped", count: step.skipped + step.cancelled, colour: "var(--state-cancelled)", isHatched: false },
  ] as const;
  const told = parts.filter((part) => part.count > 0);
  const words_ = told.map((part) => t(`tally.${part.key}`, { count: part.count }));
  const drawn = step.chosen + step.left_out;
  return (
    <li data-tally={step.step}>
      <div className="flex flex-wrap items-baseline gap-x-3">
        <span className="min-w-0 truncate font-medium">{step.title || step.step}</span>
        <span className="font-mono text-xs text-faint">{step.action}</span>
        {step.median_s !== null && (
          <span className="ml-auto text-xs text-soft tabular-nums" title={t("tally.median_hint")}>
            {t("tally.median", { time: words.duration(step.median_s) })}
          </span>
        )}
      </div>
      <div aria-hidden="true" className="mt-1.5 flex h-2 gap-px overflow-hidden rounded-full bg-line">
        {told.map((part) => (
          <div
            key={part.key}
            className="h-full min-w-1"
            style={{
              width: `${(part.count / Math.max(1, step.jobs)) * 100}%`,
              backgroundColor: part.colour,
              ...(part.isHatched ? { backgroundImage: HATCHED } : {}),
            }}
          />
        ))}
      </div>
      <div className="mt-1 flex flex-wrap gap-x-3 text-xs text-soft tabular-nums">
        <span>{words_.length > 0 ? words_.join(" · ") : t("tally.nothing")}</span>
        {step.probability < 1 && (
          <span className="inline-flex items-center gap-1 font-medium text-ink" data-testid="draws">
            <Dices size={12} aria-hidden="true" />
            {drawn === 0
              ? t("step.chance", { chance: words.percent(step.probability, 1) })
              : t("tally.drawn", {
                  chosen: step.chosen,
                  drawn,
                  share: words.percent(step.chosen / drawn),
                  chance: words.percent(step.probability, 1),
                })}
          </span>
        )}
      </div>
    </li>
  );
}
