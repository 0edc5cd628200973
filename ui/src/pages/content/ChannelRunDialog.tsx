/** What is run on each new video of a channel: nothing, or a workflow on some devices, so many times a day. */

import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { workflowsQuery } from "../../api/queries";
import type { ContentChannel, ContentChannelChange } from "../../api/schema";
import { Button } from "../../components/Button";
import { Refusal } from "../../components/Notices";
import { useWords } from "../../i18n/text";
import { recipeOf } from "../runs/params";
import { changeOf, formOf } from "./channelRun";

interface DialogProps {
  channel: ContentChannel;
  isPending: boolean;
  error: Error | null;
  onSave: (change: ContentChannelChange) => void;
  onClose: () => void;
}

export function ChannelRunDialog({ channel, isPending, error, onSave, onClose }: DialogProps) {
  const { t } = useWords();
  const dialog = useRef<HTMLDialogElement>(null);
  const workflows = useQuery(workflowsQuery);
  const [form, setForm] = useState(() => formOf(channel));
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const change = changeOf(form, channel);
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (change) onSave(change);
  }
  return (
    <dialog
      ref={dialog}
      onClose={onClose}
      aria-labelledby="channel-run-title"
      className="m-auto w-full max-w-md rounded-2xl border border-line bg-surface p-0 text-ink shadow-high backdrop:bg-black/40"
    >
      <form onSubmit={submit} className="grid gap-4 p-6">
        <h2 id="channel-run-title" className="text-base">
          {t("channel_run.title", { name: channel.title ?? channel.youtube_channel_id })}
        </h2>
        <p className="text-soft">{t("channel_run.hint")}</p>
        <label className="grid gap-1.5 font-medium">
          {t("new.workflow")}
          <select
            className="field"
            value={form.workflow}
            onChange={(event) => setForm({ ...form, workflow: event.target.value })}
          >
            <option value="">{t("channel_run.nothing")}</option>
            {(workflows.data ?? [])
              .filter((each) => each.mode === "device")
              .map((each) => (
                <option key={each.workflow_id} value={each.name}>
                  {recipeOf(each).title}
                </option>
              ))}
          </select>
        </label>
        {form.workflow !== "" && (
          <>
            <label className="grid gap-1.5 font-medium">
              {t("channel_run.devices")}
              <input
                className="field"
                value={form.devices}
                placeholder={t("target.all")}
                onChange={(event) => setForm({ ...form, devices: event.target.value })}
              />
              <span className="text-xs font-normal text-faint">{t("target.numbers_hint")}</span>
            </label>
            <label className="grid gap-1.5 font-medium">
              {t("channel_run.cap")}
              <input
                type="number"
                min={1}
                max={1000}
                required
                className="field"
                value={form.cap}
                onChange={(event) => setForm({ ...form, cap: event.target.value })}
              />
            </label>
            {!change && <p className="text-xs text-warn">{t("target.numbers_wrong")}</p>}
          </>
        )}
        <Refusal error={error} />
        <div className="flex justify-end gap-2">
          <Button onClick={() => dialog.current?.close()}>{t("ask.no")}</Button>
          <Button type="submit" look="primary" disabled={!change || isPending}>
            {t("edit.save")}
          </Button>
        </div>
      </form>
    </dialog>
  );
}
