/** A new channel, chain or task. */

import { useState } from "react";
import { call } from "../../api/client";
import type { Chain, Channel } from "../../api/schema";
import { Field, FormDialog } from "../../components/FormDialog";
import { useWords } from "../../i18n/text";
import { useAct } from "./useAct";

export type Work = { kind: "channel" | "chain" | "task"; chain?: Chain };

interface NewWorkProps {
  work: Work;
  channels: readonly Channel[];
  chains: readonly Chain[];
  channel: string | undefined;
  onClose: () => void;
}

export function NewWork({ work, channels, chains, channel, onClose }: NewWorkProps) {
  const { t } = useWords();
  const make = useAct((values: Record<string, string>) => create(work.kind, values), onClose);
  const [chosen, setChosen] = useState(work.chain?.channel_id ?? channel ?? channels[0]?.id ?? "");
  const open = chains.filter(
    ({ channel_id, status }) => channel_id === chosen && status !== "failed" && status !== "done",
  );
  return (
    <FormDialog
      title={t(`channels.new_${work.kind}`)}
      confirm={t("channels.make")}
      isPending={make.isPending}
      error={make.error}
      onSubmit={make.mutate}
      onClose={onClose}
    >
      {work.kind !== "channel" && (
        <Field label={t("channels.channel")}>
          <select
            name="channel_id"
            className="field"
            value={chosen}
            onChange={(event) => setChosen(event.target.value)}
          >
            {channels.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </Field>
      )}
      {work.kind === "task" && (
        <Field label={t("channels.chain")}>
          <select name="chain_id" className="field" defaultValue={work.chain?.id ?? ""}>
            <option value="">{t("channels.own_chain")}</option>
            {open.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </Field>
      )}
      <Field label={t(work.kind === "task" ? "channels.title" : "channels.name")}>
        <input
          name={work.kind === "task" ? "title" : "name"}
          className="field"
          required
          maxLength={work.kind === "task" ? 1000 : 200}
        />
      </Field>
      <Field label={t("channels.description")}>
        <textarea name="description" rows={2} className="field" />
      </Field>
      {work.kind === "task" && (
        <Field label={t("channels.priority_label")}>
          <input name="priority" type="number" step={1} defaultValue={0} className="field" />
        </Field>
      )}
      {work.kind !== "channel" && (
        <label className="flex items-center gap-2">
          <input type="checkbox" name="status" value="locked" className="size-4 accent-accent" />
          {t("channels.begin_locked")}
        </label>
      )}
    </FormDialog>
  );
}

function create(kind: Work["kind"], values: Record<string, string>): Promise<unknown> {
  const { name = "", title = "", channel_id = "", description } = values;
  const told = {
    ...(description ? { description } : {}),
    ...(values.status === "locked" ? { status: "locked" as const } : {}),
  };
  if (kind === "channel")
    return call("post", "/v1/channels", { body: { name, ...(description ? { description } : {}) } });
  if (kind === "chain") return call("post", "/v1/chains", { body: { channel_id, name, ...told } });
  const place = values.chain_id ? { chain_id: values.chain_id } : {};
  const body = { channel_id, title, priority: Number(values.priority ?? 0), ...place, ...told };
  return call("post", "/v1/tasks", { body });
}
