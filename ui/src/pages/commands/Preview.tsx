/** What a playbook means before it is saved: on how many phones each step will happen, and the recipe that it becomes. */

import { Dices } from "lucide-react";
import { useState } from "react";
import type { Command } from "../../api/schema";
import { useWords } from "../../i18n/text";
import type { DraftStep } from "./draft";
import { Scroller } from "./Scroller";

interface PreviewProps {
  steps: readonly DraftStep[];
  commands: ReadonlyMap<string, Command>;
  /** How many phones are online, where that is known. */
  phones: number | undefined;
  /** The recipe; null while there are problems. */
  text: string | null;
  isStale: boolean;
}

export function Preview({ steps, commands, phones, text, isStale }: PreviewProps) {
  const { t } = useWords();
  const [shown, setShown] = useState<"shares" | "recipe">("shares");
  return (
    <section className="card stack gap-3 p-4" aria-label={t("preview.title")}>
      <fieldset className="flex gap-1.5">
        <legend className="sr-only">{t("preview.title")}</legend>
        {(["shares", "recipe"] as const).map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={shown === each}
            onClick={() => setShown(each)}
            className="rounded-full border border-line px-3 py-1 text-xs font-medium text-soft hover:border-line-strong aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-ink"
          >
            {t(`preview.${each}`)}
          </button>
        ))}
      </fieldset>
      {shown === "shares" ? (
        <Shares steps={steps} commands={commands} phones={phones} />
      ) : text === null ? (
        <p className="text-soft">{t(isStale ? "preview.checking" : "preview.no_recipe")}</p>
      ) : (
        <Scroller
          label={t("preview.recipe")}
          data-testid="recipe"
          className={`max-h-[60vh] overflow-auto rounded-lg bg-raised p-3 font-mono text-xs leading-relaxed whitespace-pre ${isStale ? "opacity-60" : ""}`}
        >
          {text}
        </Scroller>
      )}
    </section>
  );
}

function Shares({ steps, commands, phones }: Pick<PreviewProps, "steps" | "commands" | "phones">) {
  const words = useWords();
  const { t } = words;
  if (steps.length === 0) return <p className="text-soft">{t("preview.no_steps")}</p>;
  const all = steps.reduce((product, step) => product * clamp(step.probability), 1);
  return (
    <>
      <ol className="stack gap-2.5">
        {steps.map((step, place) => {
          const share = clamp(step.probability);
          return (
            <li key={step.key} data-testid="share">
              <div className="flex items-baseline gap-2">
                <span className="w-4 shrink-0 text-right text-xs text-faint tabular-nums">{place + 1}</span>
                <span className="min-w-0 flex-1 truncate">{commands.get(step.command)?.title || step.command}</span>
                <span className="shrink-0 tabular-nums">{words.percent(share, 1)}</span>
              </div>
              <div className="mt-1 ml-6 h-1.5 overflow-hidden rounded-full bg-line" aria-hidden="true">
                <div className="h-full rounded-full bg-accent" style={{ width: `${share * 100}%` }} />
              </div>
              {phones !== undefined && phones > 0 && (
                <span className="ml-6 text-xs text-faint tabular-nums">
                  {t(share < 1 ? "preview.about" : "preview.all", { count: Math.round(share * phones), phones })}
                </span>
              )}
            </li>
          );
        })}
      </ol>
      {all < 1 && (
        <p className="flex gap-2 border-t border-line pt-3 text-xs text-soft">
          <Dices size={14} aria-hidden="true" className="mt-0.5 shrink-0" />
          {t("preview.draws", { share: words.percent(all, 1) })}
        </p>
      )}
    </>
  );
}

function clamp(probability: number): number {
  return Math.max(0, Math.min(1, probability));
}
