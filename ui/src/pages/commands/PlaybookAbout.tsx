import { useWords } from "../../i18n/text";
import type { Draft } from "./draft";
import { Labelled } from "./Labelled";
import { type Problem, within } from "./problems";

interface PlaybookAboutProps {
  draft: Draft;
  isNew: boolean;
  isReadOnly: boolean;
  problems: readonly Problem[];
  onChange: (change: Partial<Draft>) => void;
}

/** What a playbook is called, and how long it may take on a phone. */
export function PlaybookAbout({ draft, isNew, isReadOnly, problems, onChange }: PlaybookAboutProps) {
  const { t } = useWords();
  return (
    <section className="card p-4">
      <h2 className="sr-only">{t("commands.about")}</h2>
      <fieldset disabled={isReadOnly} className="grid gap-4 sm:grid-cols-2">
        <Labelled
          label={t("commands.name")}
          note={isNew ? t("params.required") : undefined}
          hint={isNew ? t("builder.name_hint") : t("builder.name_kept")}
          problems={within(problems, "name")}
        >
          {(attributes) => (
            <input
              {...attributes}
              className="field"
              autoComplete="off"
              spellCheck={false}
              readOnly={!isNew}
              value={draft.name}
              onChange={(event) => onChange({ name: event.target.value })}
            />
          )}
        </Labelled>
        <Labelled label={t("commands.title_field")} problems={within(problems, "title")}>
          {(attributes) => (
            <input
              {...attributes}
              className="field"
              value={draft.title}
              onChange={(event) => onChange({ title: event.target.value })}
            />
          )}
        </Labelled>
        <Labelled label={t("commands.description")} problems={within(problems, "description")}>
          {(attributes) => (
            <input
              {...attributes}
              className="field"
              value={draft.description}
              onChange={(event) => onChange({ description: event.target.value })}
            />
          )}
        </Labelled>
        <Labelled label={t("builder.job_timeout")} problems={within(problems, "timeout_s")}>
          {(attributes) => (
            <input
              {...attributes}
              className="field"
              inputMode="decimal"
              placeholder={t("form.default", { value: "3600" })}
              value={draft.timeout}
              onChange={(event) => onChange({ timeout: event.target.value })}
            />
          )}
        </Labelled>
      </fieldset>
    </section>
  );
}
