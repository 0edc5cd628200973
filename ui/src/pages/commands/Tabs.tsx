import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { buttonLook } from "../../components/Button";
import { useMayOperate } from "../../components/useMayOperate";
import { useWords } from "../../i18n/text";

const LOOK =
  "rounded-full border border-line bg-surface px-3 py-1 text-xs font-medium text-soft hover:border-line-strong aria-[current=page]:border-accent aria-[current=page]:bg-accent-soft aria-[current=page]:text-ink";

/** The head of both lists: command assets, and the playbooks that are made of them. */
export function Tabs({ of }: { of: "commands" | "playbooks" }) {
  const { t } = useWords();
  const mayOperate = useMayOperate();
  const isPlaybooks = of === "playbooks";
  return (
    <>
      <div className="flex flex-wrap items-center gap-3">
        <h1>{t(isPlaybooks ? "playbooks.title" : "commands.title")}</h1>
        {mayOperate && (
          <Link
            to={isPlaybooks ? "/commands/playbooks/new" : "/commands/new"}
            className={`${buttonLook("primary")} ml-auto`}
          >
            <Plus size={16} aria-hidden="true" />
            {t(isPlaybooks ? "playbooks.new" : "commands.new")}
          </Link>
        )}
      </div>
      <nav aria-label={t("commands.parts")} className="flex flex-wrap gap-1.5">
        <Link to="/commands" search={{}} activeOptions={{ exact: true, includeSearch: false }} className={LOOK}>
          {t("commands.title")}
        </Link>
        <Link to="/commands/playbooks" activeOptions={{ exact: true }} className={LOOK}>
          {t("playbooks.title")}
        </Link>
      </nav>
    </>
  );
}
