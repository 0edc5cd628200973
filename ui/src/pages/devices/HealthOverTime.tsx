/** How a phone was: battery and temperature over a window, and what became of its health. */

import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { deviceHealthQuery } from "../../api/queries";
import type { Device, DeviceHealth, Health } from "../../api/schema";
import type { TileState } from "../../components/heatmap/states";
import { StateMark } from "../../components/StateMark";
import type { Point } from "../../components/steppedLine";
import { Timeline } from "../../components/Timeline";
import { useNow } from "../../components/useNow";
import { useWords } from "../../i18n/text";

const WINDOWS = { "24h": 86_400_000, "7d": 7 * 86_400_000 } as const;
type Window = keyof typeof WINDOWS;
const TILE_OF: Record<Health, TileState> = { ok: "done", suspect: "waiting", quarantined: "quarantined" };

export function HealthOverTime({ device }: { device: Device }) {
  const { t } = useWords();
  const [window, setWindow] = useState<Window>("24h");
  const { data } = useQuery(deviceHealthQuery(device.device_id, window));
  const now = useNow(60_000);
  const battery = useMemo(() => pointsOf(data, "battery", device.battery, now), [data, device.battery, now]);
  const heat = useMemo(() => pointsOf(data, "temperature", device.temperature, now), [data, device.temperature, now]);
  const span = { from: now - WINDOWS[window], to: now };
  return (
    <section aria-label={t("health.title")}>
      <div className="mb-3 flex items-center justify-between gap-2">
        <h2>{t("health.title")}</h2>
        <fieldset className="flex rounded-lg border border-line bg-raised p-0.5 text-xs">
          <legend className="sr-only">{t("dashboard.window")}</legend>
          {(Object.keys(WINDOWS) as Window[]).map((each) => (
            <label
              key={each}
              className="cursor-pointer rounded-md px-2 py-0.5 font-medium text-soft has-checked:bg-surface has-checked:text-ink has-checked:shadow-card has-focus-visible:outline-2 has-focus-visible:outline-accent"
            >
              <input
                type="radio"
                name="health-window"
                className="sr-only"
                checked={window === each}
                onChange={() => setWindow(each)}
              />
              {t(`window.${each}`)}
            </label>
          ))}
        </fieldset>
      </div>
      <div className="grid grid-cols-2 gap-4">
        <Timeline
          title={t("facts.battery")}
          unit="%"
          points={battery}
          least={20}
          colour={(device.battery ?? 100) < 20 ? "var(--state-error)" : "var(--state-done)"}
          {...span}
        />
        <Timeline
          title={t("facts.temperature")}
          unit="°C"
          points={heat}
          least={10}
          colour="var(--state-quarantined)"
          {...span}
        />
      </div>
      {data && data.changes.length > 0 && <Changes health={data} now={now} />}
    </section>
  );
}

function Changes({ health, now }: { health: DeviceHealth; now: number }) {
  const words = useWords();
  return (
    <ol className="mt-4 grid gap-2.5" aria-label={words.t("health.changes")}>
      {health.changes.map((change) => (
        <li key={change.at} className="flex gap-2.5">
          <span className="mt-0.5">
            <StateMark state={TILE_OF[change.health]} />
          </span>
          <div className="min-w-0">
            <p>
              <span className="font-medium">
                {words.t(change.health === "ok" ? "health.released" : `health.${change.health}`)}
              </span>{" "}
              <span className="text-xs text-faint">
                {words.ago(change.at, now)} · {whoOf(change.changed_by)}
              </span>
            </p>
            {change.reason && <p className="text-xs break-words text-soft">{change.reason}</p>}
          </div>
        </li>
      ))}
    </ol>
  );
}

function whoOf(changedBy: string): string {
  return changedBy.startsWith("node:") ? changedBy.slice("node:".length) : changedBy;
}

/** What was written down, and what is known now, which may be newer. */
function pointsOf(
  health: DeviceHealth | undefined,
  name: "battery" | "temperature",
  latest: number | null,
  now: number,
): Point[] {
  const points = (health?.samples ?? []).flatMap((sample) => {
    const value = sample[name];
    return value === null ? [] : [{ at: Date.parse(sample.at), value }];
  });
  return latest === null ? points : [...points, { at: now, value: latest }];
}
