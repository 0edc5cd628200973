/** Every channel with how much of its work is where; one can be chosen, and its chains alone are shown then. */

import { Link } from "@tanstack/react-router";
import type { Channel } from "../../api/schema";
import { StateBar } from "../../components/StateBar";
import { useWords } from "../../i18n/text";

export function Queues({ channels, chosen }: { channels: readonly Channel[]; chosen: string | undefined }) {
  const { t, number } = useWords();
  return (
    <nav
      aria-label={t("channels.queues")}
      className="grid grid-cols-[repeat(auto-fill,minmax(min(17rem,100%),1fr))] gap-3"
    >
      {channels.map((channel) => {
        const counts = [
          { label: t("channels.waiting"), count: channel.waiting },
          { label: t("channels.in_progress"), count: channel.in_progress },
          { label: t("channels.done"), count: channel.done },
          { label: t("channels.failed"), count: channel.failed },
        ];
        return (
          <Link
            key={channel.id}
            to="/channels"
            search={channel.id === chosen ? {} : { channel: channel.id }}
            aria-current={channel.id === chosen ? "true" : undefined}
            className="card grid gap-3 p-4 hover:border-line-strong aria-[current=true]:border-accent aria-[current=true]:bg-accent-soft"
          >
            <div className="min-w-0">
              <div className="truncate font-semibold">{channel.name}</div>
              <div className="truncate text-xs text-faint">{channel.description || " "}</div>
            </div>
            <StateBar
              counts={{
                waiting: channel.waiting,
                running: channel.in_progress,
                done: channel.done,
                error: channel.failed,
              }}
            />
            <dl className="grid grid-cols-4 gap-1 text-xs">
              {counts.map(({ label, count }) => (
                <div key={label} className="flex min-w-0 flex-col-reverse">
                  <dt className="truncate text-faint" title={label}>
                    {label}
                  </dt>
                  <dd className="text-base font-semibold tabular-nums">{number(count)}</dd>
                </div>
              ))}
            </dl>
          </Link>
        );
      })}
    </nav>
  );
}
