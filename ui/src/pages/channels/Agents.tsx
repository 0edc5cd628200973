/** Who is there, what they do, and what they said last. */

import type { Agent, AgentEvent, Task } from "../../api/schema";
import { Empty } from "../../components/Notices";
import { useNow } from "../../components/useNow";
import { useWords } from "../../i18n/text";

const SHOWN_EVENTS = 12;

interface AgentsProps {
  agents: readonly Agent[];
  tasks: readonly Task[];
  events: readonly AgentEvent[];
}

export function Agents({ agents, tasks, events }: AgentsProps) {
  const { t } = useWords();
  const now = useNow(5000);
  const titles = new Map(tasks.map(({ id, title }) => [id, title]));
  return (
    <div className="stack gap-6">
      <section aria-label={t("channels.agents")} className="stack gap-3">
        <h2>{t("channels.agents")}</h2>
        <div className="card">
          {agents.length === 0 ? (
            <Empty title={t("channels.no_agents")} />
          ) : (
            <ul>
              {agents.map((agent) => (
                <AgentRow key={agent.id} agent={agent} title={titles.get(agent.current_task_id ?? "")} now={now} />
              ))}
            </ul>
          )}
        </div>
      </section>
      {events.length > 0 && (
        <section aria-label={t("channels.events")} className="stack gap-3">
          <h2>{t("channels.events")}</h2>
          <ul className="card">
            {events.slice(0, SHOWN_EVENTS).map((event) => (
              <EventRow key={event.id} event={event} now={now} />
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

function AgentRow({ agent, title, now }: { agent: Agent; title: string | undefined; now: number }) {
  const { t, ago } = useWords();
  const isOnline = agent.worker_status === "online";
  return (
    <li data-agent={agent.id} className="flex items-start gap-2.5 border-b border-line px-4 py-2.5 last:border-0">
      <span
        aria-hidden="true"
        className={`mt-1.5 shrink-0 ${isOnline ? "size-2 rounded-full bg-state-done" : "size-2 rotate-45 bg-state-cancelled"}`}
      />
      <div className="min-w-0 flex-1">
        <div className="truncate font-medium" title={agent.id}>
          {agent.name}
        </div>
        <div className="truncate text-xs text-soft">
          {t(isOnline ? "channels.online" : "channels.offline")}
          {isOnline && ` · ${t(`agent_status.${agent.status}`)}`}
          {title && ` · ${title}`}
        </div>
      </div>
      <span className="text-xs whitespace-nowrap text-faint">{agent.last_seen && ago(agent.last_seen, now)}</span>
    </li>
  );
}

function EventRow({ event, now }: { event: AgentEvent; now: number }) {
  const { ago } = useWords();
  const text = event.payload === null || event.payload === undefined ? "" : JSON.stringify(event.payload);
  return (
    <li className="flex items-baseline gap-2 border-b border-line px-4 py-2 text-xs last:border-0">
      <span className="font-medium whitespace-nowrap">{event.type}</span>
      <span className="min-w-0 flex-1 truncate text-soft" title={text}>
        {event.agent_id} {text}
      </span>
      <span className="whitespace-nowrap text-faint">{ago(event.created_at, now)}</span>
    </li>
  );
}
