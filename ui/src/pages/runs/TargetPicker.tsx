/** Which devices: all, by number, by tag, or pointed at on the heatmap. */

import { useMemo } from "react";
import type { Device } from "../../api/schema";
import { deviceTiles } from "../../components/deviceTiles";
import { Heatmap } from "../../components/heatmap/Heatmap";
import type { MessageKey } from "../../i18n/en";
import { useWords } from "../../i18n/text";
import { parseNumbers, type TargetForm, type TargetKind } from "./target";

const KINDS: { kind: TargetKind; key: MessageKey }[] = [
  { kind: "all", key: "target.all" },
  { kind: "numbers", key: "target.numbers" },
  { kind: "tags", key: "target.tags" },
  { kind: "picked", key: "target.picked" },
];

interface TargetPickerProps {
  devices: readonly Device[];
  form: TargetForm;
  onChange: (form: TargetForm) => void;
}

export function TargetPicker({ devices, form, onChange }: TargetPickerProps) {
  const words = useWords();
  const { t } = words;
  const tags = useMemo(() => [...new Set(devices.flatMap((device) => device.tags))].sort(), [devices]);
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
      {form.kind === "tags" &&
        (tags.length === 0 ? (
          <p className="text-soft">{t("target.no_tags")}</p>
        ) : (
          <div className="flex flex-wrap gap-2">
            {tags.map((tag) => (
              <label
                key={tag}
                className="cursor-pointer rounded-full border border-line-strong px-3 py-1 text-xs has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-accent"
              >
                <input
                  type="checkbox"
                  className="sr-only"
                  checked={form.tags.includes(tag)}
                  onChange={(event) =>
                    onChange({
                      ...form,
                      tags: event.target.checked ? [...form.tags, tag] : form.tags.filter((each) => each !== tag),
                    })
                  }
                />
                {tag}
              </label>
            ))}
          </div>
        ))}
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
