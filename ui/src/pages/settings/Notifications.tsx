/** Who is told of what happens: webhooks, how they went, and a form for more. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { ApiError, call } from "../../api/client";
import { webhooksQuery } from "../../api/schedules";
import type { Webhook } from "../../api/schema";
import { Ask } from "../../components/Ask";
import { Button } from "../../components/Button";
import { Empty, Failed, Loading } from "../../components/Notices";
import { StateMark } from "../../components/StateMark";
import { useNow } from "../../components/useNow";
import { useTitle } from "../../components/useTitle";
import { useWords } from "../../i18n/text";
import { Deliveries, deliveryState } from "./Deliveries";
import { SecretOnce } from "./SecretOnce";
import { WebhookForm } from "./WebhookForm";

export function NotificationsPage() {
  const { t } = useWords();
  const { data, error, refetch } = useQuery(webhooksQuery);
  const [edited, setEdited] = useState<Webhook | "new" | null>(null);
  const [open, setOpen] = useState<string | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  useTitle(t("nav.notifications"));
  const isForbidden = error instanceof ApiError && error.status === 403;
  return (
    <div className="stack gap-5">
      <div className="flex flex-wrap items-center gap-3">
        <h1>{t("nav.notifications")}</h1>
        <Button look="primary" className="ml-auto" disabled={!data} onClick={() => setEdited("new")}>
          <Plus size={16} aria-hidden="true" />
          {t("webhook.new")}
        </Button>
      </div>
      <p className="max-w-2xl text-soft">{t("webhook.intro")}</p>
      {secret && <SecretOnce secret={secret} onClose={() => setSecret(null)} />}
      {edited && (
        <WebhookForm
          key={edited === "new" ? "new" : edited.webhook_id}
          {...(edited === "new" ? {} : { webhook: edited })}
          onClose={() => setEdited(null)}
          onSaved={(made) => {
            setEdited(null);
            setSecret(made);
          }}
        />
      )}
      {!data ? (
        isForbidden ? (
          <div className="card">
            <Empty title={t("webhook.admins_only")} />
          </div>
        ) : error ? (
          <Failed error={error} onRetry={() => void refetch()} />
        ) : (
          <Loading />
        )
      ) : data.webhooks.length === 0 ? (
        <div className="card">
          <Empty title={t("webhook.none")}>{t("webhook.none_hint")}</Empty>
        </div>
      ) : (
        <ul className="stack gap-4">
          {data.webhooks.map((webhook) => (
            <li key={webhook.webhook_id} className="card stack gap-4 p-5">
              <Heading webhook={webhook} />
              <Actions
                webhook={webhook}
                isOpen={open === webhook.webhook_id}
                onOpen={(isOpen) => setOpen(isOpen ? webhook.webhook_id : null)}
                onEdit={() => setEdited(webhook)}
                onSecret={setSecret}
              />
              {open === webhook.webhook_id && <Deliveries webhookId={webhook.webhook_id} />}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Heading({ webhook }: { webhook: Webhook }) {
  const words = useWords();
  const { t } = words;
  const now = useNow(5000);
  return (
    <div className="min-w-0">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className="text-sm break-words">{webhook.name}</h2>
        <span className="rounded-full border border-line px-2 py-0.5 text-xs text-soft">
          {t(`webhook.kind.${webhook.kind}`)}
        </span>
        {!webhook.is_enabled && (
          <span className="rounded-full bg-warn-soft px-2.5 py-0.5 text-xs font-medium text-warn">
            {t("webhook.disabled")}
          </span>
        )}
        {webhook.last_status && webhook.last_at && (
          <span className="flex items-center gap-1.5 text-xs text-soft">
            <StateMark state={deliveryState(webhook.last_status)} size={14} />
            {t(`delivery.${webhook.last_status}`)} · {words.ago(webhook.last_at, now)}
          </span>
        )}
      </div>
      <code className="mt-1 block text-xs break-all text-soft">{webhook.url}</code>
      <p className="mt-1.5 text-xs text-faint">
        {webhook.events.map((event) => (event === "ping" ? event : t(`event.${event}`))).join(" · ")}
      </p>
    </div>
  );
}

interface ActionsProps {
  webhook: Webhook;
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
  onEdit: () => void;
  onSecret: (secret: string | null) => void;
}

function Actions({ webhook, isOpen, onOpen, onEdit, onSecret }: ActionsProps) {
  const { t } = useWords();
  const client = useQueryClient();
  const [asked, setAsked] = useState<"delete" | "rotate" | null>(null);
  const path = { webhook_id: webhook.webhook_id };
  const refresh = () => client.invalidateQueries({ queryKey: ["webhooks"] });
  const ping = useMutation({
    mutationFn: () => call("post", "/api/webhooks/{webhook_id}/ping", { path }),
    onSuccess: async () => {
      onOpen(true);
      await refresh();
    },
  });
  const turn = useMutation({
    mutationFn: () => call("patch", "/api/webhooks/{webhook_id}", { path, body: { is_enabled: !webhook.is_enabled } }),
    onSettled: refresh,
  });
  const act = useMutation({
    mutationFn: async (what: "delete" | "rotate") => {
      if (what === "rotate") return (await call("post", "/api/webhooks/{webhook_id}/secret", { path })).secret;
      await call("delete", "/api/webhooks/{webhook_id}", { path });
      return null;
    },
    onSuccess: async (secret) => {
      setAsked(null);
      onSecret(secret);
      await refresh();
    },
  });
  const named = (label: string) => ({ "aria-label": `${label}: ${webhook.name}` });
  return (
    <div className="flex flex-wrap gap-2">
      <Button size="small" disabled={ping.isPending} onClick={() => ping.mutate()} {...named(t("webhook.ping"))}>
        {t("webhook.ping")}
      </Button>
      <Button size="small" aria-expanded={isOpen} onClick={() => onOpen(!isOpen)} {...named(t("webhook.deliveries"))}>
        {t("webhook.deliveries")}
      </Button>
      <Button size="small" onClick={onEdit} {...named(t("webhook.edit"))}>
        {t("webhook.edit")}
      </Button>
      <Button size="small" disabled={turn.isPending} onClick={() => turn.mutate()}>
        {t(webhook.is_enabled ? "webhook.disable" : "webhook.enable")}
      </Button>
      {webhook.kind === "json" && (
        <Button size="small" onClick={() => setAsked("rotate")}>
          {t("webhook.rotate")}
        </Button>
      )}
      <Button size="small" look="danger" onClick={() => setAsked("delete")} {...named(t("webhook.delete"))}>
        {t("webhook.delete")}
      </Button>
      {asked && (
        <Ask
          title={`${t(asked === "delete" ? "webhook.delete" : "webhook.rotate")}: ${webhook.name}`}
          confirm={t(asked === "delete" ? "webhook.delete" : "webhook.rotate")}
          isDangerous
          isPending={act.isPending}
          error={act.error}
          onConfirm={() => act.mutate(asked)}
          onClose={() => setAsked(null)}
        >
          {t(asked === "delete" ? "webhook.delete_detail" : "webhook.rotate_detail")}
        </Ask>
      )}
    </div>
  );
}
