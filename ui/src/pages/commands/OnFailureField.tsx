import { useWords } from "../../i18n/text";
import type { OnFailure } from "./draft";
import { Labelled } from "./Labelled";
import { type Problem, within } from "./problems";
import { memberPath } from "./schemaFields";

interface OnFailureFieldProps {
  onFailure: OnFailure;
  retries: string;
  isRetrying: boolean;
  /** How often it is tried again when nothing is said. */
  usual?: number;
  /** What counts when nothing is chosen. */
  standard: string;
  path: string;
  problems: readonly Problem[];
  onChange: (change: { onFailure?: OnFailure; retries?: string }) => void;
}

/** What happens when a step fails, and how often it is tried again where it is. */
export function OnFailureField(props: OnFailureFieldProps) {
  const { t } = useWords();
  const said = (name: string) => within(props.problems, memberPath(props.path, name));
  return (
    <Labelled label={t("builder.on_failure")} problems={[...said("on_failure"), ...said("retries")]}>
      {(attributes) => (
        <span className="flex gap-2">
          <select
            {...attributes}
            className="field min-w-0"
            value={props.onFailure}
            onChange={(event) => props.onChange({ onFailure: event.target.value as OnFailure })}
          >
            <option value="">{props.standard}</option>
            <option value="stop">{t("builder.stop")}</option>
            <option value="continue">{t("builder.continue")}</option>
            <option value="retry">{t("builder.retry")}</option>
          </select>
          {props.isRetrying && (
            <input
              className="field w-16 shrink-0 tabular-nums"
              inputMode="numeric"
              aria-label={t("builder.retries")}
              title={t("builder.retries")}
              placeholder={String(props.usual ?? 1)}
              value={props.retries}
              onChange={(event) => props.onChange({ retries: event.target.value })}
            />
          )}
        </span>
      )}
    </Labelled>
  );
}
