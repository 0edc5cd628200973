/** Which devices: all, by number, by tag, pointed at on the heatmap, or any so many. */

import { useMemo } from "react";
import type { Device } from "../../api/schema";
import { deviceTiles } from "../../components/deviceTiles";
import { Heatmap } from "../../components/heatmap/Heatmap";
import { TagChoice } from "../../components/TagChoice";
import { countTags } from "../../components/tags";
import type { MessageKey } from "../../i18n/en";
import { useWords } from "../../i18n/text";
import { parseCount, parseNumbers, type TargetForm, type TargetKind } from "./target";

const KINDS: { kind: TargetKind; key: MessageKey }[] = [
  { kind: "all", key: "target.all" },
  { kind: "numbers", key: "target.numbers" },
  { kind: "tags", key: "target.tags" },
  { kind: "picked", key: "target.picked" },
  { kind: "pool", key: "target.pool" },
];

interface TargetPickerProps {
  devices: readonly Device[];
  form: TargetForm;
  onChange: (form: TargetForm) => void;
}

export function TargetPicker({ devices, form, onChange }: TargetPickerProps) {
  const words = useWords();
  const { t } = words;
  const tags = useMemo(() => countTags(devices).map(([tag]) => tag), [devices]);
  const tiles = useMemo(() => deviceTiles(devices, words), [devices, words]);
  const isWrong = form.kind === "numbers" && parseNumbers(form.numbers) === null;
  return (
    <div className="stack gap-4">
      <fieldset className="flex flex-wrap gap-1 justify-self-start rounded-lg border border-line bg-raised p-1">
        <legend className="sr-only">{t("target.label")}</legend>
        {KINDS.map(({ kind, key }) => (
          <label
            key={kind}
            className="cursor-pointer rounded-md px-3 py-1.5 font-medium text-soft has-checked:bg-surface has-checked:text-ink has-checked:shadow-card has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name="target"
              className="sr-only"
              checked={form.kind === kind}
              onChange={() => onChange({ ...form, kind })}
            />
            {t(key)}
          </label>
        ))}
      </fieldset>
      {form.kind === "numbers" && (
        <label className="grid max-w-md gap-1.5">
          <span className="font-medium">{t("target.numbers_label")}</span>
          <input
            className="field"
            placeholder="1-20, 57"
            value={form.numbers}
            aria-invalid={isWrong}
            onChange={(event) => onChange({ ...form, numbers: event.target.value })}
          />
          <span className={`text-xs ${isWrong ? "text-danger" : "text-soft"}`}>
            {t(isWrong ? "target.numbers_wrong" : "target.numbers_hint")}
          </span>
        </label>
      )}
      {form.kind === "pool" && (
        <label className="grid max-w-md gap-1.5">
          <span className="font-medium">{t("target.pool_count")}</span>
          <input
            className="field max-w-32"
            inputMode="numeric"
            value={form.count}
            aria-invalid={parseCount(form.count) === null}
            onChange={(event) => onChange({ ...form, count: event.target.value })}
          />
          <span className={`text-xs ${parseCount(form.count) === null ? "text-danger" : "text-soft"}`}>
            {t(parseCount(form.count) === null ? "target.pool_wrong" : "target.pool_hint")}
          </span>
        </label>
      )}
      {(form.kind === "tags" || form.kind === "pool") && (
        <div className="stack gap-1.5">
          <span className="font-medium">{t("target.with_tags")}</span>
          <TagChoice
            label={t("target.with_tags")}
            known={tags}
            chosen={form.tags}
            onChange={(chosen) => onChange({ ...form, tags: chosen })}
          />
        </div>
      )}
      {form.kind === "picked" && (
        <>
          <p className="text-xs text-soft">{t("target.picked_hint")}</p>
          <Heatmap
            tiles={tiles}
            label={t("target.picked")}
            selected={form.picked}
            onSelect={(picked) => onChange({ ...form, picked })}
            height={300}
          />
        </>
      )}
    </div>
  );
}
