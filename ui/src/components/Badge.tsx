import type { RunStatus } from "../api/schema";
import { useWords } from "../i18n/text";
import { runStatusName, tileOfRun } from "./names";
import { StateMark } from "./StateMark";

export function RunBadge({ status }: { status: RunStatus }) {
  const words = useWords();
  return (
    <span className="inline-flex items-center gap-1.5 rounded-full border border-line bg-surface py-0.5 pr-2.5 pl-1.5 text-xs font-medium whitespace-nowrap">
      <StateMark state={tileOfRun(status)} size={14} />
      {runStatusName(words, status)}
    </span>
  );
}
