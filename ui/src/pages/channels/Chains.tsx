/** Chains with their tasks in order: what is done, what is in progress and by whom, what waits for it. */

import { Plus } from "lucide-react";
import type { Agent, Chain, Task } from "../../api/schema";
import { Button } from "../../components/Button";
import { Empty } from "../../components/Notices";
import { StateMark } from "../../components/StateMark";
import { useMayOperate } from "../../components/useMayOperate";
import { useWords } from "../../i18n/text";
import { ChainActions } from "./ChainActions";
import { byChain, order, tileOfTask } from "./order";
import { TaskActions } from "./TaskActions";

interface ChainsProps {
  chains: readonly Chain[];
  tasks: readonly Task[];
  agents: readonly Agent[];
  title: string;
  onAppend: (chain: Chain) => void;
}

export function Chains({ chains, tasks, agents, title, onAppend }: ChainsProps) {
  const { t } = useWords();
  const tasksOf = byChain(tasks);
  return (
    <section aria-label={title} className="stack gap-3">
      <h2>{title}</h2>
      {chains.length === 0 && (
        <div className="card">
          <Empty title={t("channels.no_chains")} />
        </div>
      )}
      {order(chains).map((chain) => (
        <ChainCard
          key={chain.id}
          chain={chain}
          tasks={tasksOf.get(chain.id) ?? []}
          agents={agents}
          onAppend={() => onAppend(chain)}
        />
      ))}
    </section>
  );
}

interface ChainCardProps {
  chain: Chain;
  tasks: readonly Task[];
  agents: readonly Agent[];
  onAppend: () => void;
}

function ChainCard({ chain, tasks, agents, onAppend }: ChainCardProps) {
  const { t } = useWords();
  const mayOperate = useMayOperate();
  const isOver = chain.status === "done" || chain.status === "failed";
  return (
    <article aria-label={chain.name} className="card overflow-hidden">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2.5">
        <StateMark state={tileOfTask(chain.status)} />
        <h3 className="min-w-0 truncate font-semibold">{chain.name}</h3>
        <span className="text-xs text-soft">{t(`task_status.${chain.status}`)}</span>
        {chain.owner_agent_id && (
          <span className="truncate text-xs text-faint">{t("channels.owner", { agent: chain.owner_agent_id })}</span>
        )}
        <div className="ml-auto flex items-center gap-1">
          {!isOver && (
            <Button size="small" look="quiet" disabled={!mayOperate} onClick={onAppend}>
              <Plus size={13} aria-hidden="true" />
              <span className="max-sm:sr-only">{t("channels.append")}</span>
            </Button>
          )}
          <ChainActions chain={chain} />
        </div>
      </header>
      {tasks.length === 0 ? (
        <p className="px-4 py-3 text-xs text-faint">{t("channels.no_tasks")}</p>
      ) : (
        <ol>
          {tasks.map((task) => (
            <TaskRow key={task.id} task={task} agents={agents} />
          ))}
        </ol>
      )}
    </article>
  );
}

function TaskRow({ task, agents }: { task: Task; agents: readonly Agent[] }) {
  const { t, number } = useWords();
  const state = [
    ...(task.priority === 0 ? [] : [t("channels.priority", { n: task.priority })]),
    t(`task_status.${task.status}`),
    ...(task.assigned_agent_id ? [task.assigned_agent_id] : []),
  ].join(" · ");
  return (
    <li
      data-task={task.title}
      data-status={task.status}
      className="flex items-center gap-x-3 border-b border-line px-4 py-2 last:border-0 hover:bg-raised"
    >
      <span className="w-6 shrink-0 text-right text-xs text-faint tabular-nums">{number(task.sequence)}</span>
      <StateMark state={tileOfTask(task.status)} size={14} />
      <div className="min-w-0 flex-1">
        <div className="truncate font-medium" title={task.description ?? undefined}>
          {task.title}
        </div>
        <div className="truncate text-xs text-soft sm:hidden">{state}</div>
        {task.status === "failed" && task.reason && (
          <div className="truncate text-xs text-danger" title={task.reason}>
            {task.reason}
          </div>
        )}
      </div>
      <span className="max-w-[45%] truncate text-xs text-soft tabular-nums max-sm:hidden">{state}</span>
      <TaskActions task={task} agents={agents} />
    </li>
  );
}
