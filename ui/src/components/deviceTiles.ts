import type { Device } from "../api/schema";
import type { Words } from "../i18n/text";
import type { Tile } from "./heatmap/states";

/** Devices as tiles, node by node. */
export function deviceTiles(devices: readonly Device[], words: Words): Tile[] {
  return [...devices]
    .sort((a, b) => (a.node_id < b.node_id ? -1 : a.node_id > b.node_id ? 1 : a.index_no - b.index_no))
    .map((device) => ({
      index: device.index_no,
      state: device.activity,
      isSuspect: device.health === "suspect",
      group: device.node_id,
      title: `#${device.index_no} ${device.label || device.serial}`,
      detail: detailOf(device, words),
    }));
}

function detailOf(device: Device, { t }: Words): string {
  if (device.health !== "ok" && device.health_reason) return device.health_reason;
  if (device.session_id) return t("device.held_by", { holder: device.held_by || t("session.local") });
  if (!device.online && device.connection !== "connected") return t(`connection.${device.connection}`);
  return [
    device.model,
    device.os_version && `Android ${device.os_version}`,
    device.battery !== null && `${device.battery} %`,
  ]
    .filter(Boolean)
    .join(" · ");
}
