/** The coordinator's queues: what waits in which channel, the chains in their order, and the agents at work. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Plus, Radio, RefreshCw } from "lucide-react";
import { useState } from "react";
import { overviewQuery, useNews } from "../../api/coordinator";
import { Button } from "../../components/Button";
import { Empty, Failed, Loading } from "../../components/Notices";
import { useMayOperate } from "../../components/useMayOperate";
import { useTitle } from "../../components/useTitle";
import { useWords } from "../../i18n/text";
import { Agents } from "./Agents";
import { Chains } from "./Chains";
import { NewWork, type Work } from "./NewWork";
import { Queues } from "./Queues";

const route = getRouteApi("/channels");

export function ChannelsPage() {
  const { t } = useWords();
  const { channel } = route.useSearch();
  const isLive = useNews();
  const mayOperate = useMayOperate();
  const { data, error, refetch } = useQuery(overviewQuery(isLive));
  const [making, setMaking] = useState<Work | null>(null);
  useTitle(t("nav.channels"));
  if (!data) return error ? <Failed error={error} onRetry={() => void refetch()} /> : <Loading />;
  const chosen = data.channels.find(({ id }) => id === channel);
  const isIn = ({ channel_id }: { channel_id: string }) => !chosen || channel_id === chosen.id;
  return (
    <div className="stack gap-6">
      <div className="flex flex-wrap items-center gap-3">
        <h1>{t("nav.channels")}</h1>
        <span role="status" className="flex items-center gap-1.5 text-xs text-soft">
          {isLive ? <Radio size={13} aria-hidden="true" /> : <RefreshCw size={13} aria-hidden="true" />}
          {t(isLive ? "channels.live" : "channels.polling")}
        </span>
        <div className="grid w-full grid-cols-3 gap-2 sm:ml-auto sm:flex sm:w-auto">
          <Button disabled={!mayOperate} onClick={() => setMaking({ kind: "channel" })}>
            <Plus size={16} aria-hidden="true" className="max-sm:hidden" />
            {t("channels.new_channel")}
          </Button>
          <Button disabled={!mayOperate || data.channels.length === 0} onClick={() => setMaking({ kind: "chain" })}>
            <Plus size={16} aria-hidden="true" className="max-sm:hidden" />
            {t("channels.new_chain")}
          </Button>
          <Button
            look="primary"
            disabled={!mayOperate || data.channels.length === 0}
            onClick={() => setMaking({ kind: "task" })}
          >
            <Plus size={16} aria-hidden="true" className="max-sm:hidden" />
            {t("channels.new_task")}
          </Button>
        </div>
      </div>
      {data.channels.length === 0 ? (
        <div className="card">
          <Empty title={t("channels.none")}>{t("channels.none_hint")}</Empty>
        </div>
      ) : (
        <Queues channels={data.channels} chosen={chosen?.id} />
      )}
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 xl:grid-cols-[minmax(0,1fr)_22rem]">
        <Chains
          chains={data.chains.filter(isIn)}
          tasks={data.tasks.filter(isIn)}
          agents={data.agents}
          title={chosen ? t("channels.chains_of", { name: chosen.name }) : t("channels.chains")}
          onAppend={(chain) => setMaking({ kind: "task", chain })}
        />
        <Agents agents={data.agents} tasks={data.tasks} events={data.events} />
      </div>
      {making && (
        <NewWork
          work={making}
          channels={data.channels}
          chains={data.chains}
          channel={chosen?.id}
          onClose={() => setMaking(null)}
        />
      )}
    </div>
  );
}
