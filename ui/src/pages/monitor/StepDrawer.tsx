/** One step of a distributed run: who did it, how long it took, what it yielded, said and failed with. */

import { useQuery } from "@tanstack/react-query";
import { graphStepQuery, stepLogQuery } from "../../api/queries";
import type { GraphStep } from "../../api/schema";
import { Drawer } from "../../components/Drawer";
import { LogTail } from "../../components/LogTail";
import { stepStatusName, tileOfStep } from "../../components/names";
import { StateMark } from "../../components/StateMark";
import { useNow } from "../../components/useNow";
import { useWords } from "../../i18n/text";

interface StepDrawerProps {
  runId: string;
  step: GraphStep;
  onClose: () => void;
}

export function StepDrawer({ runId, step, onClose }: StepDrawerProps) {
  const words = useWords();
  const { t } = words;
  const isRunning = step.status === "running";
  const { data: whole } = useQuery(graphStepQuery(runId, step.step, `${step.status}.${step.attempt}`));
  const { data: log } = useQuery(stepLogQuery(runId, step.step, isRunning));
  const lines = (log?.lines ?? []).map((line) => ({ ...line, step: null, index: null }));
  return (
    <Drawer
      label={step.step}
      onClose={onClose}
      title={
        <>
          <div className="flex items-center gap-2">
            <h2 className="min-w-0 truncate text-base">{step.title ?? step.step}</h2>
            <span className="flex shrink-0 items-center gap-1.5 text-xs font-medium">
              <StateMark state={tileOfStep(step.status)} size={14} />
              {stepStatusName(words, step.status)}
            </span>
          </div>
          <p className="mt-0.5 truncate font-mono text-xs text-soft">
            {step.step} · {step.action}
          </p>
        </>
      }
    >
      <div className="stack gap-6">
        {step.error_message && (
          <section aria-label={t("graph.error")} className="rounded-xl bg-danger-soft p-4">
            <p className="font-mono text-xs break-words text-danger">{step.error_message}</p>
          </section>
        )}
        <Facts step={step} />
        {whole?.output != null && (
          <section>
            <h2 className="mb-3">{t("graph.output")}</h2>
            <pre
              // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
              tabIndex={0}
              className="max-h-64 overflow-auto rounded-lg border border-line bg-raised p-3 font-mono text-xs"
            >
              {JSON.stringify(whole.output, null, 2)}
            </pre>
          </section>
        )}
        {lines.length > 0 && (
          <section>
            <h2 className="mb-3">{t("graph.log")}</h2>
            <LogTail lines={lines} label={t("graph.log")} />
          </section>
        )}
      </div>
    </Drawer>
  );
}

function Facts({ step }: { step: GraphStep }) {
  const words = useWords();
  const now = useNow(1000, step.status === "running");
  const until = step.finished_at ? Date.parse(step.finished_at) : now;
  const took = step.started_at ? Math.max(0, until - Date.parse(step.started_at)) / 1000 : null;
  const facts: [string, string][] = [];
  if (step.node_id) facts.push([words.t("graph.worker"), step.node_id]);
  if (step.started_at) facts.push([words.t("graph.started"), words.dateTime(step.started_at)]);
  if (took !== null) facts.push([words.t("graph.took"), words.duration(took)]);
  if (step.needs.length > 0) facts.push([words.t("graph.needs"), step.needs.join(", ")]);
  if (step.requires.length > 0) facts.push([words.t("graph.requires"), step.requires.join(", ")]);
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-soft">{name}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </div>
      ))}
      {step.attempt > 1 && (
        <div className="contents">
          <dt className="sr-only">{words.t("step.tries", { count: step.attempt })}</dt>
          <dd className="col-span-2 text-soft">{words.t("step.tries", { count: step.attempt })}</dd>
        </div>
      )}
    </dl>
  );
}
