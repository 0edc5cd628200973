import type { Counts, GraphStep, Monitor, Tile as MonitoredTile } from "../../api/schema";
import type { Tile } from "../../components/heatmap/states";
import { tileOfStep } from "../../components/names";
import type { Words } from "../../i18n/text";

/** A run's devices as tiles. */
export function tilesOf(monitor: Monitor, words: Words): Tile[] {
  return monitor.heatmap.items.map((item) => ({
    index: item.index,
    state: item.activity,
    progress: item.progress.total > 0 ? item.progress.current / item.progress.total : 0,
    title: `#${item.index} ${item.serial}`,
    detail: detailOf(item, words),
  }));
}

function detailOf(item: MonitoredTile, { t }: Words): string | undefined {
  if (item.last_error_message) return item.last_error_message;
  if (item.activity === "running" && item.progress.step) {
    return t("monitor.at_step", {
      step: item.progress.step,
      current: Math.min(item.progress.current + 1, item.progress.total),
      total: item.progress.total,
    });
  }
  if (!item.online && item.activity === "waiting") return t("monitor.device_away");
  return undefined;
}

/** How many steps of a distributed run are in which state, as the counts of devices are told. */
export function countSteps(steps: readonly GraphStep[]): Counts {
  const counts = { total: steps.length, waiting: 0, running: 0, done: 0, error: 0, offline: 0, cancelled: 0 };
  for (const step of steps) {
    const state = tileOfStep(step.status);
    if (state in counts) counts[state as keyof typeof counts] += 1;
  }
  return counts;
}
