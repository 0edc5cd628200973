/** What a webhook was told, how that went, and a way to tell it again. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ChevronRight } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/client";
import { deliveriesQuery, deliveryQuery } from "../../api/schedules";
import type { Delivery, DeliveryStatus } from "../../api/schema";
import { Button } from "../../components/Button";
import type { TileState } from "../../components/heatmap/states";
import { Empty, Failed, Loading, Refusal } from "../../components/Notices";
import { StateMark } from "../../components/StateMark";
import { useNow } from "../../components/useNow";
import { useWords } from "../../i18n/text";

const PAGE = 20;
const MOST = 500;

export function deliveryState(status: DeliveryStatus): TileState {
  return status === "delivered" ? "done" : status === "failed" ? "error" : "waiting";
}

export function Deliveries({ webhookId }: { webhookId: string }) {
  const { t } = useWords();
  const [limit, setLimit] = useState(PAGE);
  const { data, error } = useQuery(deliveriesQuery(webhookId, limit));
  const now = useNow(5000);
  if (!data) return error ? <Failed error={error} /> : <Loading />;
  return (
    <section className="border-t border-line pt-3" aria-label={t("webhook.deliveries")}>
      {data.deliveries.length === 0 ? (
        <Empty title={t("delivery.none")}>{t("delivery.none_hint")}</Empty>
      ) : (
        <ul className="divide-y divide-line">
          {data.deliveries.map((delivery) => (
            <Line key={delivery.delivery_id} delivery={delivery} now={now} />
          ))}
        </ul>
      )}
      {data.next && limit < MOST && (
        <Button size="small" onClick={() => setLimit(Math.min(MOST, limit * 2))}>
          {t("runs.more")}
        </Button>
      )}
    </section>
  );
}

function Line({ delivery, now }: { delivery: Delivery; now: number }) {
  const words = useWords();
  const { t } = words;
  const [isOpen, setOpen] = useState(false);
  return (
    <li className="py-2.5">
      <details className="group" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-lg">
          <ChevronRight size={14} className="text-faint group-open:rotate-90" aria-hidden="true" />
          <StateMark state={deliveryState(delivery.status)} />
          <span className="font-medium">{t(`delivery.${delivery.status}`)}</span>
          <code className="text-xs">{delivery.type}</code>
          <span className="text-xs text-soft tabular-nums">
            {t("delivery.attempts", { count: delivery.attempts.length })}
            {delivery.last_status_code !== null && ` · ${delivery.last_status_code}`}
            {delivery.last_latency_ms !== null && ` · ${delivery.last_latency_ms} ms`}
          </span>
          <span className="ml-auto text-xs text-faint">{words.ago(delivery.created_at, now)}</span>
          {delivery.last_error && <span className="w-full text-xs break-words text-danger">{delivery.last_error}</span>}
        </summary>
        {isOpen && <Detail delivery={delivery} />}
      </details>
    </li>
  );
}

function Detail({ delivery }: { delivery: Delivery }) {
  const words = useWords();
  const { t } = words;
  const client = useQueryClient();
  const { data, error } = useQuery(deliveryQuery(delivery.webhook_id, delivery.delivery_id));
  const again = useMutation({
    mutationFn: () =>
      call("post", "/api/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver", {
        path: { webhook_id: delivery.webhook_id, delivery_id: delivery.delivery_id },
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["webhooks"] }),
  });
  return (
    <div className="stack gap-3 pt-3 pl-7">
      <ol className="grid gap-1 text-xs text-soft tabular-nums">
        {delivery.attempts.map((attempt) => (
          <li key={attempt.at}>
            {words.dateTime(attempt.at)} · {attempt.status_code ?? "–"} · {attempt.latency_ms} ms
            {attempt.error && ` · ${attempt.error}`}
          </li>
        ))}
      </ol>
      {delivery.next_attempt_at && (
        <p className="text-xs text-soft">{t("delivery.next", { at: words.time(delivery.next_attempt_at) })}</p>
      )}
      <Refusal error={error ?? again.error} />
      {data && (
        // What scrolls must be reachable by keyboard, and a field is.
        <textarea
          readOnly
          rows={10}
          className="field font-mono text-xs"
          aria-label={t("delivery.body")}
          value={JSON.stringify(JSON.parse(data.body), null, 2)}
        />
      )}
      <Button size="small" className="justify-self-start" disabled={again.isPending} onClick={() => again.mutate()}>
        {t("delivery.again")}
      </Button>
    </div>
  );
}
