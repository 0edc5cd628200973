/** Every command asset: found by a word or a tag, with the playbooks that use it. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Search, Trash2 } from "lucide-react";
import { useMemo, useState } from "react";
import { call } from "../../api/client";
import { commandsQuery } from "../../api/queries";
import type { Command } from "../../api/schema";
import { Ask } from "../../components/Ask";
import { Empty, Failed, Loading } from "../../components/Notices";
import { useMayOperate } from "../../components/useMayOperate";
import { useTitle } from "../../components/useTitle";
import { useWords } from "../../i18n/text";
import { Tabs } from "./Tabs";

const route = getRouteApi("/commands");

export function CommandsPage() {
  const { t } = useWords();
  const { data, error, refetch } = useQuery(commandsQuery);
  useTitle(t("commands.title"));
  return (
    <div className="stack gap-5">
      <Tabs of="commands" />
      {data ? <Found commands={data} /> : error ? <Failed error={error} onRetry={() => void refetch()} /> : <Loading />}
    </div>
  );
}

/** Whether a command is meant by what is searched for: all words, in its name, title, action or tags. */
export function matches(command: Command, find: string): boolean {
  const text = [command.name, command.title, command.uses, ...command.tags].join(" ").toLowerCase();
  return find
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function Found({ commands }: { commands: readonly Command[] }) {
  const { t } = useWords();
  const navigate = useNavigate({ from: "/commands" });
  const { find = "", tag } = route.useSearch();
  const tags = useMemo(() => [...new Set(commands.flatMap((each) => each.tags))].sort(), [commands]);
  const found = commands.filter((each) => matches(each, find) && (!tag || each.tags.includes(tag)));
  const show = (next: { find?: string; tag?: string }) => void navigate({ search: next, replace: true });
  if (commands.length === 0) {
    return (
      <div className="card">
        <Empty title={t("commands.none")}>{t("commands.none_hint")}</Empty>
      </div>
    );
  }
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <label className="relative w-full max-w-72">
          <span className="sr-only">{t("commands.find")}</span>
          <Search size={14} aria-hidden="true" className="absolute top-1/2 left-3 -translate-y-1/2 text-faint" />
          <input
            type="search"
            className="field pl-8"
            placeholder={t("commands.find")}
            value={find}
            onChange={({ target }) =>
              show({ ...(target.value ? { find: target.value } : {}), ...(tag ? { tag } : {}) })
            }
          />
        </label>
        {tags.map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={each === tag}
            onClick={() => show({ ...(find ? { find } : {}), ...(each === tag ? {} : { tag: each }) })}
            className="rounded-full border border-line bg-surface px-2.5 py-1 text-xs text-soft hover:border-line-strong aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-ink"
          >
            {each}
          </button>
        ))}
      </div>
      <div className="card relative overflow-x-auto">
        {found.length === 0 ? <Empty title={t("commands.none_such")} /> : <CommandTable commands={found} />}
      </div>
    </>
  );
}

function CommandTable({ commands }: { commands: readonly Command[] }) {
  const { t } = useWords();
  return (
    <table className="w-full text-left sm:min-w-[720px]">
      <thead className="text-xs text-faint">
        <tr className="border-b border-line">
          <th className="px-4 py-2.5 font-medium">{t("commands.name")}</th>
          <th className="py-2.5 font-medium max-sm:hidden">{t("commands.action")}</th>
          <th className="px-4 py-2.5 font-medium max-sm:hidden">{t("commands.tags")}</th>
          <th className="py-2.5 font-medium">{t("commands.used_by")}</th>
          <th className="px-4 py-2.5">
            <span className="sr-only">{t("runs.actions")}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {commands.map((command) => (
          <tr key={command.command_id} className="border-b border-line last:border-0 hover:bg-raised">
            <td className="max-w-48 px-4 py-3 sm:max-w-72">
              <Link
                to="/commands/asset/$name"
                params={{ name: command.name }}
                className="block truncate font-medium hover:text-accent"
              >
                {command.name}
              </Link>
              <span className="block truncate text-xs text-faint">{command.title}</span>
              <span className="font-mono text-xs text-soft sm:hidden">{command.uses}</span>
            </td>
            <td className="py-3 font-mono text-[13px] text-soft max-sm:hidden">{command.uses}</td>
            <td className="px-4 py-3 max-sm:hidden">
              <ul className="flex flex-wrap gap-1">
                {command.tags.map((tag) => (
                  <li key={tag} className="rounded-md bg-raised px-1.5 py-0.5 text-xs text-soft">
                    {tag}
                  </li>
                ))}
              </ul>
            </td>
            <td className="max-w-56 py-3">
              <UsedBy command={command} />
            </td>
            <td className="px-4 py-3">
              <DeleteCommand command={command} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function UsedBy({ command }: { command: Command }) {
  const { t } = useWords();
  if (command.used_by.length === 0) return <span className="text-xs text-faint">{t("commands.unused")}</span>;
  return (
    <ul className="flex flex-wrap gap-x-3 gap-y-1">
      {command.used_by.map((name) => (
        <li key={name} className="min-w-0">
          <Link
            to="/commands/playbook/$name"
            params={{ name }}
            className="block truncate text-accent hover:underline"
            title={name}
          >
            {name}
          </Link>
        </li>
      ))}
    </ul>
  );
}

function DeleteCommand({ command }: { command: Command }) {
  const { t } = useWords();
  const client = useQueryClient();
  const mayOperate = useMayOperate();
  const [isAsked, setIsAsked] = useState(false);
  const remove = useMutation({
    mutationFn: () => call("delete", "/api/commands/{command_id}", { path: { command_id: command.command_id } }),
    onSuccess: () => client.invalidateQueries({ queryKey: commandsQuery.queryKey }),
  });
  const isUsed = command.used_by.length > 0;
  return (
    <>
      <button
        type="button"
        className="ml-auto grid size-8 place-items-center rounded-lg text-faint hover:bg-line hover:text-ink disabled:opacity-40"
        disabled={!mayOperate}
        title={t("commands.delete")}
        aria-label={`${t("commands.delete")}: ${command.name}`}
        onClick={() => setIsAsked(true)}
      >
        <Trash2 size={15} aria-hidden="true" />
      </button>
      {isAsked && (
        <Ask
          title={t(isUsed ? "commands.in_use" : "commands.delete_title", { name: command.name })}
          {...(isUsed ? {} : { confirm: t("commands.delete") })}
          isDangerous
          isPending={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={() => setIsAsked(false)}
        >
          {isUsed ? t("commands.in_use_detail", { names: command.used_by.join(", ") }) : t("commands.delete_detail")}
        </Ask>
      )}
    </>
  );
}
