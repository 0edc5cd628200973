/** What will happen, in words: how many devices, which of them cannot take part now, which steps. */

import type { Device } from "../../api/schema";
import { useWords } from "../../i18n/text";
import type { Policy } from "./Policy";
import type { RecipeView } from "./params";

interface SummaryProps {
  recipe: RecipeView;
  /** Those that it is for; of a pool, those that could be taken. */
  devices: readonly Device[];
  /** How many of them are taken, whichever are free first; null where all are meant. */
  pool: number | null;
  policy: Policy;
  total: number;
}

export function Summary({ recipe, devices, pool, policy, total }: SummaryProps) {
  const words = useWords();
  const { t } = words;
  const offline = devices.filter((device) => !device.online).length;
  const quarantined = devices.filter((device) => device.online && device.health === "quarantined").length;
  const idle = devices.filter((device) => device.activity === "idle").length;
  return (
    <div className="stack gap-3">
      <p>
        <strong className="text-2xl font-semibold tabular-nums">{words.number(pool ?? devices.length)}</strong>{" "}
        <span className="text-soft">
          {pool === null ? t("summary.of_devices", { total }) : t("summary.of_pool", { count: devices.length })}
        </span>
      </p>
      <ul className="grid gap-1 text-soft">
        {pool === null && offline > 0 && (
          <li>• {t(policy.offline === "skip" ? "summary.skipped" : "summary.awaited", { count: offline })}</li>
        )}
        {pool === null && quarantined > 0 && <li>• {t("summary.quarantined", { count: quarantined })}</li>}
        {pool !== null && <li>• {t("summary.idle", { count: idle })}</li>}
        {pool !== null && pool > devices.length && (
          <li className="text-warn">• {t("summary.pool_short", { count: pool - devices.length })}</li>
        )}
        <li>
          •{" "}
          {policy.concurrency === "1"
            ? t("summary.sequential")
            : policy.concurrency
              ? t("summary.at_most", { count: Number(policy.concurrency) })
              : t("summary.at_once")}
        </li>
      </ul>
      <ol className="grid gap-1 border-t border-line pt-3">
        {recipe.steps.map((step, at) => (
          <li key={step.id} className="flex gap-2">
            <span className="w-5 shrink-0 text-right text-faint tabular-nums">{at + 1}</span>
            <span className="min-w-0 truncate">{step.title || step.id}</span>
            {step.probability !== undefined && step.probability < 1 && (
              <span className="ml-auto shrink-0 text-xs text-faint">{words.percent(step.probability)}</span>
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}
