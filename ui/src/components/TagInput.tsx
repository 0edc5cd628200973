/** Tags to edit: each can be taken away, and what is written becomes one with Enter, a comma, or on leaving. */

import { X } from "lucide-react";
import { type KeyboardEvent, useId, useState } from "react";
import { useWords } from "../i18n/text";
import { parseTags, retagged } from "./tags";

interface TagInputProps {
  label: string;
  tags: readonly string[];
  /** Tags that others have, to choose from. */
  known: readonly string[];
  onChange: (tags: string[]) => void;
  disabled?: boolean;
}

const LONGEST = 100;

export function TagInput({ label, tags, known, onChange, disabled = false }: TagInputProps) {
  const { t } = useWords();
  const [text, setText] = useState("");
  const list = useId();
  function take(written: string): void {
    setText("");
    const next = retagged(tags, parseTags(written), []);
    if (next.length > tags.length) onChange(next);
  }
  function onKey(event: KeyboardEvent): void {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Backspace" && text === "" && tags.length > 0) onChange(tags.slice(0, -1));
    if (event.key !== "Enter" || text.trim() === "") return;
    event.preventDefault();
    take(text);
  }
  return (
    <fieldset className="stack gap-1.5" disabled={disabled}>
      <legend className="mb-1.5 font-medium">{label}</legend>
      <div className="flex min-h-9 flex-wrap items-center gap-1.5 rounded-lg border border-line-strong bg-surface p-1.5 focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-accent">
        {tags.map((tag) => (
          <span
            key={tag}
            data-tag={tag}
            className="flex max-w-full items-center gap-1 rounded-full bg-accent-soft py-0.5 pr-1 pl-2.5 text-xs font-medium"
          >
            <span className="truncate">{tag}</span>
            <button
              type="button"
              aria-label={t("tags.remove", { tag })}
              onClick={() => onChange(retagged(tags, [], [tag]))}
              className="grid size-4 shrink-0 place-items-center rounded-full text-soft hover:bg-surface hover:text-ink"
            >
              <X size={12} aria-hidden="true" />
            </button>
          </span>
        ))}
        <input
          className="h-6 min-w-24 flex-1 bg-transparent px-1 outline-none placeholder:text-faint"
          aria-label={label}
          placeholder={t("tags.add")}
          list={list}
          maxLength={LONGEST}
          spellCheck={false}
          autoComplete="off"
          value={text}
          onKeyDown={onKey}
          onBlur={() => take(text)}
          onChange={({ target }) => (target.value.includes(",") ? take(target.value) : setText(target.value))}
        />
        <datalist id={list}>
          {known
            .filter((tag) => !tags.includes(tag))
            .map((tag) => (
              <option key={tag} value={tag} />
            ))}
        </datalist>
      </div>
    </fieldset>
  );
}
