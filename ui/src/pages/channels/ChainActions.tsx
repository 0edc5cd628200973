/** What a person may do to a chain: set it aside, let it go on, delete it. */

import { Lock, LockOpen, Trash2 } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/client";
import type { Chain } from "../../api/schema";
import { Ask } from "../../components/Ask";
import { useMayOperate } from "../../components/useMayOperate";
import { useWords } from "../../i18n/text";
import { useAct } from "./useAct";

type Act = "lock" | "unlock" | "delete";

export function ChainActions({ chain }: { chain: Chain }) {
  const { t } = useWords();
  const mayOperate = useMayOperate();
  const [isAsked, setIsAsked] = useState(false);
  const act = useAct(
    (what: Act) => {
      const path = { chain_id: chain.id };
      if (what === "delete") return call("delete", "/v1/chains/{chain_id}", { path });
      return call("put", "/v1/chains/{chain_id}", { path, body: { status: what === "lock" ? "locked" : "queued" } });
    },
    () => setIsAsked(false),
  );
  const look = "grid size-7 place-items-center rounded-lg text-faint hover:bg-line hover:text-ink disabled:opacity-40";
  const isLocked = chain.status === "locked";
  const isOver = chain.status === "done" || chain.status === "failed";
  const lockLabel = t(isLocked ? "channels.unlock_chain" : "channels.lock_chain");
  return (
    <>
      {!isOver && (
        <button
          type="button"
          className={look}
          disabled={!mayOperate || act.isPending}
          title={lockLabel}
          aria-label={`${lockLabel}: ${chain.name}`}
          onClick={() => act.mutate(isLocked ? "unlock" : "lock")}
        >
          {isLocked ? <LockOpen size={14} aria-hidden="true" /> : <Lock size={14} aria-hidden="true" />}
        </button>
      )}
      <button
        type="button"
        className={look}
        disabled={!mayOperate || act.isPending}
        title={t("channels.delete_chain")}
        aria-label={`${t("channels.delete_chain")}: ${chain.name}`}
        onClick={() => setIsAsked(true)}
      >
        <Trash2 size={14} aria-hidden="true" />
      </button>
      {isAsked && (
        <Ask
          title={t("channels.delete_title", { name: chain.name })}
          confirm={t("channels.delete_chain")}
          isDangerous
          isPending={act.isPending}
          error={act.error}
          onConfirm={() => act.mutate("delete")}
          onClose={() => setIsAsked(false)}
        >
          {t("channels.delete_hint")}
        </Ask>
      )}
    </>
  );
}
