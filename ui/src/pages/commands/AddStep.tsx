import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import type { Command } from "../../api/schema";
import { useWords } from "../../i18n/text";
import { matches } from "./Commands";

/** The commands to choose the next step from. */
export function AddStep({ commands, onAdd }: { commands: readonly Command[]; onAdd: (name: string) => void }) {
  const { t } = useWords();
  const [find, setFind] = useState("");
  const found = commands.filter((command) => matches(command, find));
  return (
    <section className="card stack gap-3 p-4">
      <div className="flex flex-wrap items-center gap-3">
        <h2>{t("builder.add")}</h2>
        {commands.length > 6 && (
          <input
            type="search"
            className="field ml-auto w-56"
            aria-label={t("commands.find")}
            placeholder={t("commands.find")}
            value={find}
            onChange={(event) => setFind(event.target.value)}
          />
        )}
      </div>
      {commands.length === 0 && (
        <p className="text-soft">
          {t("builder.no_commands")}{" "}
          <Link to="/commands/new" className="text-accent hover:underline">
            {t("commands.new")}
          </Link>
        </p>
      )}
      {commands.length > 0 && found.length === 0 && <p className="text-soft">{t("commands.none_such")}</p>}
      <ul className="grid max-h-72 gap-1.5 overflow-y-auto sm:grid-cols-2 xl:grid-cols-3">
        {found.map((command) => (
          <li key={command.command_id}>
            <button
              type="button"
              onClick={() => onAdd(command.name)}
              className="flex w-full items-center gap-2 rounded-lg border border-line px-3 py-2 text-left hover:border-accent hover:bg-accent-soft"
            >
              <Plus size={14} aria-hidden="true" className="shrink-0 text-accent" />
              <span className="sr-only">{t("builder.add")}: </span>
              <span className="min-w-0">
                <span className="block truncate font-medium">{command.title || command.name}</span>
                <span className="block truncate font-mono text-xs text-faint">{command.uses}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
