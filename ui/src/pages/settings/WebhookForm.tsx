/** A webhook, new or changed: its name, where it leads, and what it is told of. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { ApiError, call } from "../../api/client";
import type { NewWebhook, Webhook, WebhookKind } from "../../api/schema";
import { Button } from "../../components/Button";
import { Refusal } from "../../components/Notices";
import { useWords } from "../../i18n/text";

export const EVENTS = [
  "run.failed",
  "run.finished",
  "device.quarantined",
  "node.offline",
  "node.online",
  "nodes.silent",
  "schedule.failed",
] as const satisfies readonly NewWebhook["events"][number][];
type Event = (typeof EVENTS)[number];

interface WebhookFormProps {
  webhook?: Webhook;
  onClose: () => void;
  /** With the secret that was made, if one was. */
  onSaved: (secret: string | null) => void;
}

export function WebhookForm({ webhook, onClose, onSaved }: WebhookFormProps) {
  const { t } = useWords();
  const client = useQueryClient();
  const first = useRef<HTMLInputElement>(null);
  const [name, setName] = useState(webhook?.name ?? "");
  // Slack's URLs are not told again: an empty field leaves it as it is.
  const [url, setUrl] = useState(webhook && webhook.kind === "json" ? webhook.url : "");
  const [kind, setKind] = useState<WebhookKind>(webhook?.kind ?? "json");
  const [events, setEvents] = useState<readonly Event[]>(
    webhook ? EVENTS.filter((each) => webhook.events.includes(each)) : ["run.failed", "node.offline", "nodes.silent"],
  );
  useEffect(() => first.current?.focus(), []);
  const save = useMutation({
    mutationFn: async (): Promise<string | null> => {
      const told = { name: name.trim(), events: [...events], ...(url.trim() ? { url: url.trim() } : {}) };
      if (!webhook) {
        const made = await call("post", "/api/webhooks", { body: { ...told, url: url.trim(), kind } });
        return made.secret;
      }
      await call("patch", "/api/webhooks/{webhook_id}", { path: { webhook_id: webhook.webhook_id }, body: told });
      return null;
    },
    onSuccess: async (secret) => {
      await client.invalidateQueries({ queryKey: ["webhooks"] });
      onSaved(secret);
    },
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    save.mutate();
  }
  const refused = save.error instanceof ApiError ? save.error.path : null;
  const title = t(webhook ? "webhook.edit" : "webhook.new");
  return (
    <form onSubmit={submit} className="card stack gap-4 p-5" aria-label={title}>
      <h2>{title}</h2>
      <div className="grid gap-4 sm:grid-cols-2">
        <label className="stack content-start gap-1.5">
          <span className="font-medium">{t("webhook.name")}</span>
          <input
            ref={first}
            className="field"
            required
            maxLength={200}
            value={name}
            aria-invalid={refused === "name"}
            onChange={(event) => setName(event.target.value)}
          />
        </label>
        <label className="stack content-start gap-1.5">
          <span className="font-medium">{t("webhook.kind")}</span>
          <select
            className="field"
            value={kind}
            disabled={webhook !== undefined}
            onChange={(event) => setKind(event.target.value === "slack" ? "slack" : "json")}
          >
            <option value="json">{t("webhook.kind.json")}</option>
            <option value="slack">{t("webhook.kind.slack")}</option>
          </select>
        </label>
      </div>
      <label className="stack gap-1.5">
        <span className="font-medium">{t("webhook.url")}</span>
        <input
          className="field"
          type="url"
          required={!webhook}
          maxLength={2000}
          value={url}
          autoComplete="off"
          placeholder={webhook?.kind === "slack" ? webhook.url : "https://"}
          aria-invalid={refused === "url"}
          onChange={(event) => setUrl(event.target.value)}
        />
        <span className="text-xs text-soft">{t("webhook.url_hint")}</span>
      </label>
      <fieldset className="grid gap-2 sm:grid-cols-2">
        <legend className="mb-1.5 font-medium">{t("webhook.events")}</legend>
        {EVENTS.map((each) => (
          <label key={each} className="flex items-start gap-2">
            <input
              type="checkbox"
              className="mt-0.5 size-4 accent-accent"
              checked={events.includes(each)}
              onChange={(event) =>
                setEvents(event.target.checked ? [...events, each] : events.filter((other) => other !== each))
              }
            />
            <span>{t(`event.${each}`)}</span>
          </label>
        ))}
      </fieldset>
      <Refusal error={save.error} />
      <div className="flex gap-2">
        <Button look="primary" type="submit" disabled={events.length === 0 || save.isPending}>
          {t("webhook.save")}
        </Button>
        <Button onClick={onClose}>{t("ask.no")}</Button>
      </div>
    </form>
  );
}
