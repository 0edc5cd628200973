import type { Device } from "../api/schema";
import type { Words } from "../i18n/text";
import type { Tile, TileState } from "./heatmap/states";

/** Devices as tiles, node by node; what each does comes from elsewhere, by its number. */
export function deviceTiles(
  devices: readonly Device[],
  activities: ReadonlyMap<number, TileState>,
  words: Words,
): Tile[] {
  return [...devices]
    .sort((a, b) => (a.node_id < b.node_id ? -1 : a.node_id > b.node_id ? 1 : a.index_no - b.index_no))
    .map((device) => ({
      index: device.index_no,
      state: stateOf(device, activities.get(device.index_no)),
      isSuspect: device.health === "suspect",
      group: device.node_id,
      title: `#${device.index_no} ${device.label || device.serial}`,
      detail: detailOf(device, words),
    }));
}

export function stateOf(device: Device, activity: TileState | undefined): TileState {
  if (!device.online) return "offline";
  if (device.health === "quarantined") return "quarantined";
  return activity === "running" || activity === "waiting" ? activity : "idle";
}

function detailOf(device: Device, { t }: Words): string {
  if (device.health !== "ok" && device.health_reason) return device.health_reason;
  if (!device.online && device.connection !== "connected") return t(`connection.${device.connection}`);
  return [
    device.model,
    device.os_version && `Android ${device.os_version}`,
    device.battery !== null && `${device.battery} %`,
  ]
    .filter(Boolean)
    .join(" · ");
}
