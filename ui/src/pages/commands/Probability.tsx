import { useEffect, useState } from "react";
import { useWords } from "../../i18n/text";
import { Labelled } from "./Labelled";

interface ProbabilityProps {
  value: number;
  problems: readonly string[];
  onChange: (value: number) => void;
}

/** How likely a step is on each phone: by a slider in steps of five percent, or by a number as exact as one likes. */
export function Probability({ value, problems, onChange }: ProbabilityProps) {
  const words = useWords();
  const [text, setText] = useState(percentText(value));
  useEffect(() => {
    setText((now) => (parse(now) === value ? now : percentText(value)));
  }, [value]);
  function type(next: string): void {
    setText(next);
    const parsed = parse(next);
    if (parsed !== null) onChange(parsed);
  }
  return (
    <Labelled label={words.t("builder.probability")} problems={problems}>
      {(attributes) => (
        <span className="flex items-center gap-3">
          <input
            {...attributes}
            type="range"
            min={0}
            max={100}
            step={5}
            value={value * 100}
            aria-valuetext={words.percent(value, 1)}
            onChange={(event) => onChange(Number(event.target.value) / 100)}
            className="h-9 min-w-0 flex-1 accent-accent"
          />
          <span className="flex shrink-0 items-center gap-1.5">
            <input
              className="field w-16 px-2 text-right tabular-nums"
              inputMode="decimal"
              aria-label={words.t("builder.percent")}
              value={text}
              onChange={(event) => type(event.target.value)}
              onBlur={() => setText(percentText(value))}
            />
            %
          </span>
        </span>
      )}
    </Labelled>
  );
}

function percentText(value: number): string {
  return String(Math.round(value * 1e6) / 1e4);
}

/** The probability of a percentage as typed; null while it is none. What is outside of 0 to 100 the server refuses. */
function parse(text: string): number | null {
  const number = Number(text.replace(",", "."));
  return text.trim() === "" || !Number.isFinite(number) ? null : Math.round(number * 1e4) / 1e6;
}
