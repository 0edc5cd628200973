/** The heatmap in words: the same tiles as a table, a page at a time. */

import { useState } from "react";
import { useWords } from "../../i18n/text";
import { Button } from "../Button";
import { stateName } from "../names";
import { StateMark } from "../StateMark";
import type { Tile, TileState } from "./states";

const PAGE = 50;

interface TileTableProps {
  tiles: readonly Tile[];
  label: string;
  only: TileState | null;
  onOpen?: (index: number) => void;
}

export function TileTable({ tiles, label, only, onOpen }: TileTableProps) {
  const words = useWords();
  const [page, setPage] = useState(0);
  const listed = only === null ? tiles : tiles.filter((tile) => tile.state === only);
  const pages = Math.max(1, Math.ceil(listed.length / PAGE));
  const first = Math.min(page, pages - 1) * PAGE;
  return (
    <div className="relative overflow-x-auto">
      <table className="w-full min-w-120 text-left">
        <caption className="sr-only">{label}</caption>
        <thead className="text-xs text-faint">
          <tr className="border-b border-line">
            <th className="w-16 py-2 font-medium">{words.t("table.number")}</th>
            <th className="py-2 font-medium">{words.t("table.device")}</th>
            <th className="py-2 font-medium">{words.t("table.state")}</th>
            <th className="py-2 font-medium">{words.t("table.detail")}</th>
          </tr>
        </thead>
        <tbody>
          {listed.slice(first, first + PAGE).map((tile) => (
            <tr key={tile.index} className="border-b border-line last:border-0">
              <td className="py-1.5 tabular-nums">{tile.index}</td>
              <td className="py-1.5">
                {onOpen ? (
                  <button
                    type="button"
                    className="font-medium text-accent hover:underline"
                    onClick={() => onOpen(tile.index)}
                  >
                    {tile.title}
                  </button>
                ) : (
                  tile.title
                )}
              </td>
              <td className="py-1.5">
                <span className="flex items-center gap-1.5">
                  <StateMark state={tile.state} size={14} />
                  {stateName(words, tile.state)}
                </span>
              </td>
              <td className="max-w-96 truncate py-1.5 text-soft">{tile.detail}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {pages > 1 && (
        <div className="mt-3 flex items-center gap-3 text-xs text-soft">
          <Button size="small" disabled={first === 0} onClick={() => setPage(first / PAGE - 1)}>
            {words.t("table.previous")}
          </Button>
          {words.t("table.page", { page: first / PAGE + 1, pages })}
          <Button size="small" disabled={first / PAGE + 1 >= pages} onClick={() => setPage(first / PAGE + 1)}>
            {words.t("table.next")}
          </Button>
        </div>
      )}
    </div>
  );
}
