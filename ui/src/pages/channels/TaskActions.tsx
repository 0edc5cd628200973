/** What a person may do to a task: give it to somebody, set it aside, or end it for the agent that has it. */

import { Check, Lock, LockOpen, type LucideIcon, UserPlus, X } from "lucide-react";
import { useId, useState } from "react";
import { call } from "../../api/client";
import type { Agent, Task } from "../../api/schema";
import { Ask } from "../../components/Ask";
import { Field, FormDialog } from "../../components/FormDialog";
import { useMayOperate } from "../../components/useMayOperate";
import type { MessageKey } from "../../i18n/en";
import { useWords } from "../../i18n/text";
import { useAct } from "./useAct";

type Act = "assign" | "lock" | "unlock" | "complete" | "fail";

const ICONS: Record<Act, LucideIcon> = { assign: UserPlus, lock: Lock, unlock: LockOpen, complete: Check, fail: X };

/** What the door lets a person do in this state. */
export function actsOn(task: Task): Act[] {
  if (task.status === "queued") return ["assign", "lock"];
  if (task.status === "locked") return ["assign", "unlock"];
  return task.status === "in_progress" ? ["complete", "fail"] : [];
}

export function TaskActions({ task, agents }: { task: Task; agents: readonly Agent[] }) {
  const { t } = useWords();
  const mayOperate = useMayOperate();
  const [asked, setAsked] = useState<Act | null>(null);
  const act = useAct(
    ({ what, text }: { what: Act; text: string }) => perform(task, what, text),
    () => setAsked(null),
  );
  return (
    <div className="flex w-16 justify-end gap-0.5">
      {actsOn(task).map((what) => {
        const Icon = ICONS[what];
        const key: MessageKey = `channels.${what}`;
        return (
          <button
            key={what}
            type="button"
            disabled={!mayOperate || act.isPending}
            title={t(key)}
            aria-label={`${t(key)}: ${task.title}`}
            onClick={() => (what === "lock" || what === "unlock" ? act.mutate({ what, text: "" }) : setAsked(what))}
            className="grid size-7 place-items-center rounded-lg text-faint hover:bg-line hover:text-ink disabled:opacity-40"
          >
            <Icon size={14} aria-hidden="true" />
          </button>
        );
      })}
      {asked === "assign" && (
        <AssignDialog
          task={task}
          agents={agents}
          isPending={act.isPending}
          error={act.error}
          onAssign={(text) => act.mutate({ what: "assign", text })}
          onClose={() => setAsked(null)}
        />
      )}
      {(asked === "complete" || asked === "fail") && (
        <Ask
          title={t(`channels.${asked}_title`, { task: task.title, agent: task.assigned_agent_id ?? "" })}
          {...(asked === "fail" ? { field: t("channels.reason") } : {})}
          confirm={t(`channels.${asked}`)}
          isDangerous={asked === "fail"}
          isPending={act.isPending}
          error={act.error}
          onConfirm={(text) => act.mutate({ what: asked, text })}
          onClose={() => setAsked(null)}
        />
      )}
    </div>
  );
}

interface AssignDialogProps {
  task: Task;
  agents: readonly Agent[];
  isPending: boolean;
  error: Error | null;
  onAssign: (agent: string) => void;
  onClose: () => void;
}

function AssignDialog({ task, agents, isPending, error, onAssign, onClose }: AssignDialogProps) {
  const { t } = useWords();
  const listId = useId();
  return (
    <FormDialog
      title={t("channels.assign_title", { task: task.title })}
      confirm={t("channels.assign")}
      isPending={isPending}
      error={error}
      onSubmit={({ agent = "" }) => onAssign(agent)}
      onClose={onClose}
    >
      <Field label={t("channels.agent")}>
        <input name="agent" list={listId} className="field" required maxLength={200} autoComplete="off" />
      </Field>
      <datalist id={listId}>
        {agents.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </datalist>
    </FormDialog>
  );
}

function perform(task: Task, what: Act, text: string): Promise<unknown> {
  const path = { task_id: task.id };
  if (what === "lock") return call("put", "/v1/tasks/{task_id}", { path, body: { status: "locked" } });
  if (what === "unlock") return call("put", "/v1/tasks/{task_id}", { path, body: { status: "queued" } });
  if (what === "assign") return call("post", "/v1/tasks/assign", { body: { task_id: task.id, agent_id: text } });
  const body = { task_id: task.id, agent_id: task.assigned_agent_id ?? "" };
  if (what === "complete") return call("post", "/v1/tasks/complete", { body });
  return call("post", "/v1/tasks/fail", { body: { ...body, ...(text ? { reason: text } : {}) } });
}
