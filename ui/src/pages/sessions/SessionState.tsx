import type { DeviceSession } from "../../api/schema";
import type { TileState } from "../../components/heatmap/states";
import { StateMark } from "../../components/StateMark";
import { useWords } from "../../i18n/text";

/** How a session is: waiting, active, or why it ended. */
export function SessionBadge({ session }: { session: DeviceSession }) {
  const { t } = useWords();
  return (
    <span
      data-state={session.state}
      className="inline-flex items-center gap-1.5 rounded-full border border-line bg-surface py-0.5 pr-2.5 pl-1.5 text-xs font-medium whitespace-nowrap"
    >
      <StateMark state={tileOf(session)} size={14} />
      {session.end_reason ? t(`session_end.${session.end_reason}`) : t(`session_state.${session.state}`)}
    </span>
  );
}

function tileOf({ state, end_reason: reason }: DeviceSession): TileState {
  if (state === "waiting") return "waiting";
  if (state === "active") return "running";
  if (reason === "released") return "done";
  return reason === "forced" || reason === "expired" ? "cancelled" : "error";
}
