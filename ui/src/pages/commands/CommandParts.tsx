/** What a command asset says besides what it does: names, and how it may be treated. */

import type { ActionContract } from "../../api/schema";
import { useWords } from "../../i18n/text";
import type { CommandDraft } from "./commandDraft";
import { Labelled } from "./Labelled";
import { OnFailureField } from "./OnFailureField";
import { type Problem, within } from "./problems";

interface PartProps {
  draft: CommandDraft;
  problems: readonly Problem[];
  onChange: (change: Partial<CommandDraft>) => void;
}

export function CommandAbout({ draft, problems, onChange }: PartProps) {
  const { t } = useWords();
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Labelled label={t("commands.name")} note={t("params.required")} problems={within(problems, "name")}>
        {(attributes) => (
          <input
            {...attributes}
            className="field"
            autoComplete="off"
            spellCheck={false}
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
      <Labelled label={t("commands.tags")} hint={t("commands.tags_hint")} problems={within(problems, "tags")}>
        {(attributes) => (
          <input
            {...attributes}
            className="field"
            value={draft.tags}
            onChange={(event) => onChange({ tags: event.target.value })}
          />
        )}
      </Labelled>
    </div>
  );
}

interface BoundsProps extends PartProps {
  action: ActionContract | undefined;
  bounds: readonly number[];
}

export function CommandBounds({ draft, problems, onChange, action, bounds }: BoundsProps) {
  const { t } = useWords();
  const [least = 1, greatest = 3600] = bounds;
  const standard = action ? t("form.default", { value: action.default_timeout_s }) : "";
  return (
    <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
      <Labelled label={t("builder.timeout")} problems={within(problems, "timeout_s")}>
        {(attributes) => (
          <input
            {...attributes}
            className="field"
            inputMode="decimal"
            placeholder={standard}
            value={draft.timeout}
            onChange={(event) => onChange({ timeout: event.target.value })}
          />
        )}
      </Labelled>
      <Labelled
        label={t("commands.bounds")}
        hint={t("commands.bounds_hint", { least, greatest })}
        problems={within(problems, "timeout_bounds_s")}
      >
        {(attributes) => (
          <span className="flex items-center gap-2">
            <input
              {...attributes}
              className="field"
              inputMode="decimal"
              placeholder={String(least)}
              value={draft.least}
              onChange={(event) => onChange({ least: event.target.value })}
            />
            –
            <input
              className="field"
              aria-label={t("commands.greatest")}
              inputMode="decimal"
              placeholder={String(greatest)}
              value={draft.greatest}
              onChange={(event) => onChange({ greatest: event.target.value })}
            />
          </span>
        )}
      </Labelled>
      <OnFailureField
        onFailure={draft.onFailure}
        retries={draft.retries}
        isRetrying={draft.onFailure === "retry"}
        standard={t("builder.as_playbook")}
        path=""
        problems={problems}
        onChange={onChange}
      />
      <Labelled
        label={t("commands.repeatable")}
        hint={t("commands.repeatable_hint")}
        problems={within(problems, "repeatable")}
      >
        {(attributes) => (
          <select
            {...attributes}
            className="field"
            value={draft.repeatable}
            onChange={(event) => onChange({ repeatable: event.target.value as CommandDraft["repeatable"] })}
          >
            <option value="">
              {action ? t("form.default", { value: t(action.repeatable ? "form.yes" : "form.no") }) : ""}
            </option>
            <option value="true">{t("form.yes")}</option>
            <option value="false">{t("form.no")}</option>
          </select>
        )}
      </Labelled>
    </div>
  );
}
