/** The steps in their order, which is changed by dragging, by arrow keys on a step's handle, or by its buttons. */

import { type PointerEvent, useEffect, useRef, useState } from "react";
import type { Command } from "../../api/schema";
import { useWords } from "../../i18n/text";
import type { DraftStep } from "./draft";
import type { Problem } from "./problems";
import { StepCard } from "./StepCard";

interface StepListProps {
  steps: readonly DraftStep[];
  commands: ReadonlyMap<string, Command>;
  bounds: readonly number[];
  problems: readonly Problem[];
  usual: "stop" | "continue" | "retry";
  isReadOnly: boolean;
  onChange: (key: string, change: Partial<DraftStep>) => void;
  onMove: (from: number, to: number) => void;
  onRemove: (key: string) => void;
}

interface Drag {
  from: number;
  /** Before which step it would be put down; the number of steps for the end. */
  before: number;
}

export function StepList(props: StepListProps) {
  const { t } = useWords();
  const { steps, onMove } = props;
  const list = useRef<HTMLOListElement>(null);
  const [drag, setDrag] = useState<Drag | null>(null);
  const [said, setSaid] = useState("");
  const move = (from: number, to: number) => {
    const place = Math.max(0, Math.min(steps.length - 1, to));
    onMove(from, place);
    setSaid(t("builder.moved", { name: nameOf(steps[from]), place: place + 1, count: steps.length }));
  };
  const latest = useRef({ drag, move });
  latest.current = { drag, move };
  const isDragging = drag !== null;
  useEffect(() => {
    if (!isDragging) return;
    function onPointerMove(event: globalThis.PointerEvent): void {
      const before = placeBefore(list.current, event.clientY);
      setDrag((now) => now && { ...now, before });
    }
    function onPointerUp(): void {
      const now = latest.current.drag;
      setDrag(null);
      if (now && changesPlace(now)) latest.current.move(now.from, now.before > now.from ? now.before - 1 : now.before);
    }
    function letGo(): void {
      setDrag(null);
    }
    function onKey(event: KeyboardEvent): void {
      if (event.key === "Escape") letGo();
    }
    window.addEventListener("pointermove", onPointerMove);
    window.addEventListener("pointerup", onPointerUp);
    window.addEventListener("pointercancel", letGo);
    window.addEventListener("keydown", onKey);
    return () => {
      window.removeEventListener("pointermove", onPointerMove);
      window.removeEventListener("pointerup", onPointerUp);
      window.removeEventListener("pointercancel", letGo);
      window.removeEventListener("keydown", onKey);
    };
  }, [isDragging]);
  function grab(event: PointerEvent, from: number): void {
    if (event.button !== 0) return;
    event.preventDefault(); // or the browser selects text on the way
    (event.currentTarget as HTMLElement).focus();
    setDrag({ from, before: from });
  }
  return (
    <>
      <ol ref={list} className="stack gap-3" aria-label={t("builder.steps")}>
        {steps.map((step, place) => (
          <StepCard
            key={step.key}
            step={step}
            place={place}
            count={steps.length}
            commands={props.commands}
            bounds={props.bounds}
            problems={props.problems}
            usual={props.usual}
            isReadOnly={props.isReadOnly}
            isLifted={drag?.from === place}
            mark={drag && changesPlace(drag) ? markAt(drag.before, place, steps.length) : null}
            onGrab={(event) => grab(event, place)}
            onMove={(to) => move(place, to)}
            onChange={(change) => props.onChange(step.key, change)}
            onRemove={() => {
              props.onRemove(step.key);
              setSaid(t("builder.removed", { name: nameOf(step) }));
            }}
          />
        ))}
      </ol>
      <p role="status" className="sr-only">
        {said}
      </p>
    </>
  );
}

function nameOf(step: DraftStep | undefined): string {
  return step ? step.id || step.command : "";
}

/** Before itself and behind itself is where it is. */
function changesPlace(drag: Drag): boolean {
  return drag.before !== drag.from && drag.before !== drag.from + 1;
}

function markAt(before: number, place: number, count: number): "above" | "below" | null {
  if (before === place) return "above";
  return before === count && place === count - 1 ? "below" : null;
}

/** The first step whose middle is below the pointer, or the number of steps. */
function placeBefore(list: HTMLElement | null, y: number): number {
  const cards = [...(list?.children ?? [])];
  const found = cards.findIndex((card) => {
    const { top, height } = card.getBoundingClientRect();
    return y < top + height / 2;
  });
  return found === -1 ? cards.length : found;
}
