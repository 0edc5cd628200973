/** How long each step may take in this run: the recipe's own time, its bounds, and another where one is needed. */

import type { StepPlan } from "../../api/schema";
import { useWords } from "../../i18n/text";
import { type TimeoutTexts, timeoutFault } from "./timeouts";

interface TimeoutFieldsProps {
  steps: readonly StepPlan[];
  texts: TimeoutTexts;
  onChange: (texts: TimeoutTexts) => void;
  /** What the server refused, by step. */
  refused: Readonly<Record<string, string>>;
}

export function TimeoutFields({ steps, texts, onChange, refused }: TimeoutFieldsProps) {
  const words = useWords();
  const { t } = words;
  return (
    <ol className="grid gap-x-6 gap-y-3 sm:grid-cols-2">
      {steps.map((step) => {
        const text = texts[step.id] ?? "";
        const fault = timeoutFault(step, text);
        const [least, greatest] = step.timeout_bounds_s;
        const bounds = { least: words.number(least), greatest: words.number(greatest) };
        const wrong = fault ? t(`timeouts.${fault}`, bounds) : refused[step.id];
        const id = `timeout-${step.id}`;
        return (
          <li key={step.id} className="grid grid-cols-[minmax(0,1fr)_7rem] items-start gap-x-3">
            <label htmlFor={id} className="min-w-0 pt-1.5">
              <span className="block truncate font-medium">{step.title || step.id}</span>
              <span className="block truncate font-mono text-xs text-faint">{step.uses}</span>
            </label>
            <div className="relative">
              <input
                id={id}
                className="field pr-7 tabular-nums"
                inputMode="decimal"
                autoComplete="off"
                placeholder={String(step.timeout_s)}
                value={text}
                aria-invalid={wrong !== undefined}
                aria-describedby={`${id}-hint`}
                onChange={(event) => onChange({ ...texts, [step.id]: event.target.value })}
              />
              <span className="pointer-events-none absolute top-2 right-3 text-faint" aria-hidden="true">
                s
              </span>
            </div>
            <p id={`${id}-hint`} className={`col-span-2 mt-1 text-xs ${wrong ? "text-danger" : "text-soft"}`}>
              {wrong ?? t("timeouts.hint", { usual: words.number(step.timeout_s), ...bounds })}
            </p>
          </li>
        );
      })}
    </ol>
  );
}
