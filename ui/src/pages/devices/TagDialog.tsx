/** Tags of many devices at once: what to add to all of them, and what to take from those that have it. */

import { type ReactNode, useState } from "react";
import type { Device } from "../../api/schema";
import { FormDialog } from "../../components/FormDialog";
import { TagInput } from "../../components/TagInput";
import { countTags } from "../../components/tags";
import { useWords } from "../../i18n/text";
import type { BulkChange } from "./bulk";

interface TagDialogProps {
  devices: readonly Device[];
  known: readonly string[];
  isPending: boolean;
  error: Error | null;
  /** What became of it, where it did not go well for all. */
  children: ReactNode;
  onSave: (change: BulkChange) => void;
  onClose: () => void;
}

export function TagDialog({ devices, known, children, onSave, ...dialog }: TagDialogProps) {
  const { t } = useWords();
  const [added, setAdded] = useState<string[]>([]);
  const [removed, setRemoved] = useState<readonly string[]>([]);
  // As they were when the dialog was opened: what is being taken away must not vanish from under the reader's hand.
  const [present] = useState(() => countTags(devices));
  return (
    <FormDialog
      {...dialog}
      title={t("bulk.tag_title", { count: devices.length })}
      confirm={t("bulk.tag_confirm")}
      isReady={added.length + removed.length > 0}
      onSubmit={() => onSave({ act: "tag", added, removed })}
    >
      <TagInput label={t("bulk.tag_label")} tags={added} known={known} onChange={setAdded} />
      {present.length > 0 && (
        <fieldset className="stack gap-2">
          <legend className="mb-1.5 font-medium">{t("bulk.untag_label")}</legend>
          <div className="flex flex-wrap gap-1.5">
            {present.map(([tag, count]) => (
              <label
                key={tag}
                className="max-w-full cursor-pointer truncate rounded-full border border-line-strong px-2.5 py-1 text-xs has-checked:border-danger has-checked:bg-danger-soft has-checked:text-danger has-checked:line-through has-focus-visible:outline-2 has-focus-visible:outline-accent"
              >
                <input
                  type="checkbox"
                  className="sr-only"
                  aria-label={t("bulk.untag", { tag, count })}
                  checked={removed.includes(tag)}
                  onChange={(event) =>
                    setRemoved(event.target.checked ? [...removed, tag] : removed.filter((each) => each !== tag))
                  }
                />
                {tag} <span className="text-faint tabular-nums">{count}</span>
              </label>
            ))}
          </div>
        </fieldset>
      )}
      {children}
    </FormDialog>
  );
}
