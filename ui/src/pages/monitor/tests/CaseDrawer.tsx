/** One test: what every phone said of it, try by try, with traces. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { CaseResult } from "../../../api/schema";
import { type CaseKey, testCaseQuery } from "../../../api/tests";
import { Drawer } from "../../../components/Drawer";
import { Refusal } from "../../../components/Notices";
import { StateMark } from "../../../components/StateMark";
import { useWords } from "../../../i18n/text";
import { tileOfVerdict, worstFirst } from "./cases";

interface CaseDrawerProps {
  runId: string;
  of: CaseKey;
  isGoing: boolean;
  onClose: () => void;
}

export function CaseDrawer({ runId, of, isGoing, onClose }: CaseDrawerProps) {
  const { t } = useWords();
  const { data, error } = useQuery(testCaseQuery(runId, of, isGoing));
  const [step, className, name] = of;
  const hasTries = data?.results.some((result) => result.try > 1) ?? false;
  return (
    <Drawer
      label={name}
      onClose={onClose}
      title={
        <>
          <div className="flex items-start gap-2">
            <h2 className="min-w-0 text-base break-words">{name}</h2>
            {data && (
              <span className="mt-0.5 flex shrink-0 items-center gap-1.5 text-xs font-medium">
                <StateMark state={tileOfVerdict(data.verdict)} size={14} />
                {t(`verdict.${data.verdict}`)}
              </span>
            )}
          </div>
          <p className="mt-0.5 font-mono text-xs break-all text-soft">{className}</p>
        </>
      }
    >
      <div className="stack gap-5">
        <Refusal error={error} />
        {data?.is_flaky && <p className="rounded-xl bg-warn-soft p-4 text-warn">{t("tests.flaky_detail")}</p>}
        {data?.message && <p className="rounded-xl bg-raised p-4">{data.message}</p>}
        {data ? (
          <ol className="stack gap-3" aria-label={t("tests.results")}>
            {worstFirst(data.results).map((result, at) => (
              <Result
                key={`${result.job_id} ${result.attempt} ${result.try}`}
                runId={runId}
                result={result}
                isOpen={at === 0}
                hasTries={hasTries}
              />
            ))}
          </ol>
        ) : (
          !error && <p className="text-faint">{t("loading")}</p>
        )}
        <p className="text-xs text-faint">{t("tests.of_step", { step })}</p>
      </div>
    </Drawer>
  );
}

interface ResultProps {
  runId: string;
  result: CaseResult;
  isOpen: boolean;
  /** Whether some phone tried it more than once. */
  hasTries: boolean;
}

function Result({ runId, result, isOpen, hasTries }: ResultProps) {
  const words = useWords();
  const { t } = words;
  return (
    <li
      data-status={result.status}
      className={`rounded-xl border border-line p-3 ${result.is_counted ? "" : "opacity-70"}`}
    >
      <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <StateMark state={tileOfVerdict(result.status)} size={14} />
        <span className="font-medium">{t(`verdict.${result.status}`)}</span>
        {result.index !== null && (
          <Link
            to="/runs/$runId"
            params={{ runId }}
            search={{ device: result.index }}
            className="text-accent hover:underline"
          >
            {t("device.number", { index: String(result.index) })}
          </Link>
        )}
        <span className="ml-auto text-xs text-soft tabular-nums">
          {hasTries && `${t("tests.try", { n: result.try })} · `}
          {words.duration(result.duration_s)} · {words.time(result.at)}
        </span>
      </div>
      {!result.is_counted && <p className="mt-1 text-xs text-faint">{t("tests.not_counted")}</p>}
      {result.message && <p className="mt-2 font-mono text-xs break-words whitespace-pre-wrap">{result.message}</p>}
      {result.trace && (
        <details className="mt-2" open={isOpen}>
          <summary className="text-xs font-medium text-soft">{t("tests.trace")}</summary>
          <section
            aria-label={t("tests.trace")}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
            tabIndex={0}
            className="mt-2 max-h-80 overflow-auto rounded-lg bg-raised"
          >
            <pre className="p-3 font-mono text-[11px] leading-relaxed">{result.trace}</pre>
          </section>
        </details>
      )}
    </li>
  );
}
