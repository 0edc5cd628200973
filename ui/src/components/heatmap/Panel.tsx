/** A heatmap with its legend, and the switch to the same as a table. */

import { LayoutGrid, Table2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useWords } from "../../i18n/text";
import { Heatmap, type HeatmapProps } from "./Heatmap";
import { Legend } from "./Legend";
import { type TileState, tally } from "./states";
import { TileTable } from "./TileTable";

interface HeatmapPanelProps extends Omit<HeatmapProps, "only"> {
  states: readonly TileState[];
  toolbar?: ReactNode;
}

export function HeatmapPanel({ states, toolbar, ...heatmap }: HeatmapPanelProps) {
  const { t } = useWords();
  const [only, setOnly] = useState<TileState | null>(null);
  const [isTable, setIsTable] = useState(false);
  const Icon = isTable ? LayoutGrid : Table2;
  return (
    <section className="card p-4" aria-label={heatmap.label}>
      <div className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-2">
        <Legend states={states} counts={tally(heatmap.tiles)} only={only} onOnly={setOnly} />
        <div className="ml-auto flex items-center gap-2">
          {toolbar}
          <button
            type="button"
            aria-pressed={isTable}
            onClick={() => setIsTable(!isTable)}
            className="flex items-center gap-1.5 rounded-md px-2 py-1 text-xs text-soft hover:bg-raised hover:text-ink"
          >
            <Icon size={14} aria-hidden="true" />
            {t(isTable ? "heatmap.as_map" : "heatmap.as_table")}
          </button>
        </div>
      </div>
      {isTable ? (
        <TileTable
          tiles={heatmap.tiles}
          label={heatmap.label}
          only={only}
          {...(heatmap.onOpen ? { onOpen: heatmap.onOpen } : {})}
        />
      ) : (
        <Heatmap {...heatmap} only={only} />
      )}
    </section>
  );
}
