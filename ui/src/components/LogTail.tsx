/** The last lines of a log; stays at the end while more come, unless the reader scrolled up. */

import { useLayoutEffect, useRef } from "react";
import type { LogLine } from "../api/schema";
import { useWords } from "../i18n/text";

const NEAR = 24;

export function LogTail({ lines, label }: { lines: readonly LogLine[]; label: string }) {
  const words = useWords();
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when there are other lines
  useLayoutEffect(() => {
    if (box.current && isAtEnd.current) box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
  return (
    <div
      ref={box}
      role="log"
      aria-live="off"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      onScroll={({ currentTarget: each }) => {
        isAtEnd.current = each.scrollHeight - each.scrollTop - each.clientHeight < NEAR;
      }}
      className="max-h-64 overflow-auto rounded-lg border border-line bg-raised p-3 font-mono text-xs leading-5"
    >
      {lines.map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no number of their own
        <div key={at} className="flex gap-3">
          <span className="shrink-0 text-faint tabular-nums">{words.time(line.at)}</span>
          {line.index ? <span className="w-9 shrink-0 text-right text-faint tabular-nums">#{line.index}</span> : null}
          <span
            className={line.level === "error" ? "text-danger" : line.level === "warning" ? "text-warn" : "text-ink"}
          >
            {line.step && <span className="text-faint">{line.step}: </span>}
            {line.message}
          </span>
        </div>
      ))}
    </div>
  );
}
