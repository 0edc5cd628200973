/** One change to many devices: what each is asked, and who would not have it. */

import { ApiError } from "../../api/client";
import type { Device, DeviceChange } from "../../api/schema";
import { retagged } from "../../components/tags";

export type BulkChange =
  | { act: "quarantine"; reason: string }
  | { act: "release" }
  | { act: "tag"; added: readonly string[]; removed: readonly string[] };

export interface Failure {
  device: Device;
  message: string;
}

const AT_ONCE = 6;

/** What to ask for one device; null where it is already so. */
export function changeOf(change: BulkChange, device: Device): DeviceChange | null {
  if (change.act === "quarantine") return { health: "quarantined", health_reason: change.reason };
  if (change.act === "release") return device.health === "quarantined" ? { health: "ok" } : null;
  const tags = retagged(device.tags, change.added, change.removed);
  return tags.join() === device.tags.join() ? null : { tags };
}

/** Ask it of each, a few at a time; those that it was refused for. Once the server is away, nobody else is asked. */
export async function applyToEach(
  devices: readonly Device[],
  ask: (device: Device) => Promise<unknown>,
): Promise<Failure[]> {
  const failures: Failure[] = [];
  const rest = [...devices];
  let gone: string | null = null;
  async function work(): Promise<void> {
    for (let device = rest.shift(); device; device = rest.shift()) {
      try {
        if (gone === null) await ask(device);
        else failures.push({ device, message: gone });
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        if (error instanceof ApiError && error.isAway) gone = message;
        failures.push({ device, message });
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return failures.sort((a, b) => a.device.index_no - b.device.index_no);
}
