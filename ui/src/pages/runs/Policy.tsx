import { useWords } from "../../i18n/text";

export interface Policy {
  /** How many at a time; empty for as many as nodes take. */
  concurrency: string;
  offline: "skip" | "wait";
  graceWait: string;
}

export const USUAL_POLICY: Policy = { concurrency: "", offline: "skip", graceWait: "15" };

/** Only what was changed is asked for. */
export function policyOf(policy: Policy): Record<string, unknown> {
  return {
    ...(policy.concurrency ? { concurrency: Number(policy.concurrency) } : {}),
    ...(policy.offline === USUAL_POLICY.offline ? {} : { offline: policy.offline }),
    ...(policy.graceWait === USUAL_POLICY.graceWait || policy.graceWait === ""
      ? {}
      : { grace_wait_s: Number(policy.graceWait) }),
  };
}

export function PolicyFields({ policy, onChange }: { policy: Policy; onChange: (policy: Policy) => void }) {
  const { t } = useWords();
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      <label className="grid content-start gap-1.5">
        <span className="font-medium">{t("policy.concurrency")}</span>
        <input
          className="field"
          type="number"
          min={1}
          max={1000000}
          placeholder={t("policy.unlimited")}
          value={policy.concurrency}
          onChange={(event) => onChange({ ...policy, concurrency: event.target.value })}
        />
        <span className="text-xs text-soft">{t("policy.concurrency_hint")}</span>
      </label>
      <label className="grid content-start gap-1.5">
        <span className="font-medium">{t("policy.offline")}</span>
        <select
          className="field"
          value={policy.offline}
          onChange={(event) => onChange({ ...policy, offline: event.target.value === "wait" ? "wait" : "skip" })}
        >
          <option value="skip">{t("policy.skip")}</option>
          <option value="wait">{t("policy.wait")}</option>
        </select>
      </label>
      <label className="grid content-start gap-1.5">
        <span className="font-medium">{t("policy.grace")}</span>
        <input
          className="field"
          type="number"
          min={0}
          max={600}
          value={policy.graceWait}
          onChange={(event) => onChange({ ...policy, graceWait: event.target.value })}
        />
        <span className="text-xs text-soft">{t("policy.grace_hint")}</span>
      </label>
    </div>
  );
}
