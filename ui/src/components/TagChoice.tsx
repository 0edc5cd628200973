import { useWords } from "../i18n/text";

interface TagChoiceProps {
  /** What the choice is for, for those who do not see it. */
  label: string;
  /** What there is to choose from; tags that are chosen already are shown, too. */
  known: readonly string[];
  chosen: readonly string[];
  onChange: (tags: string[]) => void;
}

/** Some of the tags that devices have. */
export function TagChoice({ label, known, chosen, onChange }: TagChoiceProps) {
  const { t } = useWords();
  const tags = [...new Set([...known, ...chosen])];
  if (tags.length === 0) return <p className="text-soft">{t("target.no_tags")}</p>;
  return (
    <fieldset className="flex flex-wrap gap-2">
      <legend className="sr-only">{label}</legend>
      {tags.map((tag) => (
        <label
          key={tag}
          className="max-w-full cursor-pointer truncate rounded-full border border-line-strong px-3 py-1 text-xs has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-accent"
        >
          <input
            type="checkbox"
            className="sr-only"
            checked={chosen.includes(tag)}
            onChange={(event) =>
              onChange(event.target.checked ? [...chosen, tag] : chosen.filter((each) => each !== tag))
            }
          />
          {tag}
        </label>
      ))}
    </fieldset>
  );
}
