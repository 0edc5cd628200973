/** Every playbook: which version it has, whether a command of it was changed since, and running it. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Play, Trash2 } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/client";
import { playbooksQuery } from "../../api/queries";
import type { Playbook } from "../../api/schema";
import { Ask } from "../../components/Ask";
import { Empty, Failed, Loading } from "../../components/Notices";
import { useMayOperate } from "../../components/useMayOperate";
import { useNow } from "../../components/useNow";
import { useTitle } from "../../components/useTitle";
import { useWords } from "../../i18n/text";
import { Tabs } from "./Tabs";

export function PlaybooksPage() {
  const { t } = useWords();
  const { data, error, refetch } = useQuery(playbooksQuery);
  useTitle(t("playbooks.title"));
  return (
    <div className="stack gap-5">
      <Tabs of="playbooks" />
      {!data ? (
        error ? (
          <Failed error={error} onRetry={() => void refetch()} />
        ) : (
          <Loading />
        )
      ) : (
        <div className="card relative overflow-x-auto">
          {data.length === 0 ? (
            <Empty title={t("playbooks.none")}>{t("playbooks.none_hint")}</Empty>
          ) : (
            <PlaybookTable playbooks={data} />
          )}
        </div>
      )}
    </div>
  );
}

function PlaybookTable({ playbooks }: { playbooks: readonly Playbook[] }) {
  const words = useWords();
  const { t } = words;
  const now = useNow(5000);
  return (
    <table className="w-full text-left sm:min-w-[640px]">
      <thead className="text-xs text-faint">
        <tr className="border-b border-line">
          <th className="px-4 py-2.5 font-medium">{t("commands.name")}</th>
          <th className="py-2.5 font-medium">{t("playbooks.version")}</th>
          <th className="px-4 py-2.5 font-medium max-sm:hidden">{t("builder.steps")}</th>
          <th className="py-2.5 font-medium max-sm:hidden">{t("playbooks.saved")}</th>
          <th className="px-4 py-2.5">
            <span className="sr-only">{t("runs.actions")}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {playbooks.map((playbook) => (
          <tr key={playbook.playbook_id} className="border-b border-line last:border-0 hover:bg-raised">
            <td className="max-w-44 px-4 py-3 sm:max-w-80">
              <Link
                to="/commands/playbook/$name"
                params={{ name: playbook.name }}
                className="block truncate font-medium hover:text-accent"
              >
                {playbook.title || playbook.name}
              </Link>
              <span className="block truncate text-xs text-faint">{playbook.title && playbook.name}</span>
            </td>
            <td className="py-3 tabular-nums">
              {t("run.version", { version: playbook.workflow_version })}
              {playbook.is_outdated && (
                <span
                  className="ml-2 rounded-md bg-warn-soft px-1.5 py-0.5 text-xs text-warn"
                  title={t("playbooks.outdated_hint")}
                >
                  {t("playbooks.outdated")}
                </span>
              )}
            </td>
            <td className="px-4 py-3 text-soft tabular-nums max-sm:hidden">{words.number(playbook.steps.length)}</td>
            <td className="py-3 whitespace-nowrap text-soft max-sm:hidden">{words.ago(playbook.updated_at, now)}</td>
            <td className="px-4 py-3">
              <RowActions playbook={playbook} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function RowActions({ playbook }: { playbook: Playbook }) {
  const { t } = useWords();
  const client = useQueryClient();
  const mayOperate = useMayOperate();
  const [isAsked, setIsAsked] = useState(false);
  const remove = useMutation({
    mutationFn: () => call("delete", "/api/playbooks/{playbook_id}", { path: { playbook_id: playbook.playbook_id } }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: playbooksQuery.queryKey });
      await client.invalidateQueries({ queryKey: ["commands"] });
    },
  });
  const look = "grid size-8 place-items-center rounded-lg text-faint hover:bg-line hover:text-ink disabled:opacity-40";
  return (
    <div className="flex justify-end gap-0.5">
      <Link
        to="/runs/new"
        search={{ workflow: playbook.name }}
        className={look}
        title={t("builder.run")}
        aria-label={`${t("builder.run")}: ${playbook.name}`}
      >
        <Play size={15} aria-hidden="true" />
      </Link>
      <button
        type="button"
        className={look}
        disabled={!mayOperate}
        title={t("playbooks.delete")}
        aria-label={`${t("playbooks.delete")}: ${playbook.name}`}
        onClick={() => setIsAsked(true)}
      >
        <Trash2 size={15} aria-hidden="true" />
      </button>
      {isAsked && (
        <Ask
          title={t("playbooks.delete_title", { name: playbook.name })}
          confirm={t("playbooks.delete")}
          isDangerous
          isPending={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={() => setIsAsked(false)}
        >
          {t("playbooks.delete_detail")}
        </Ask>
      )}
    </div>
  );
}
