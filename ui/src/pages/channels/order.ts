/** What is shown where: chains that something is left to do in come first, tasks in their order. */

import type { Chain, Task, TaskStatus } from "../../api/schema";
import type { TileState } from "../../components/heatmap/states";

const TILES: Record<TaskStatus, TileState> = {
  queued: "waiting",
  in_progress: "running",
  done: "done",
  failed: "error",
  locked: "quarantined",
};
const RANKS: Record<TaskStatus, number> = { in_progress: 0, queued: 1, locked: 2, failed: 3, done: 4 };

export function tileOfTask(status: TaskStatus): TileState {
  return TILES[status];
}

/** In progress first, then what waits, oldest first; then what is over, newest first. */
export function order(chains: readonly Chain[]): Chain[] {
  return [...chains].sort((a, b) => {
    if (RANKS[a.status] !== RANKS[b.status]) return RANKS[a.status] - RANKS[b.status];
    const age = a.created_at.localeCompare(b.created_at);
    return RANKS[a.status] >= RANKS.failed ? -age : age;
  });
}

export function byChain(tasks: readonly Task[]): Map<string, Task[]> {
  const found = new Map<string, Task[]>();
  for (const task of tasks) found.set(task.chain_id, [...(found.get(task.chain_id) ?? []), task]);
  for (const each of found.values()) each.sort((a, b) => a.sequence - b.sequence);
  return found;
}
