import { Link } from "@tanstack/react-router";
import { Empty } from "../components/Notices";
import { useWords } from "../i18n/text";

export function NotFound() {
  const { t } = useWords();
  return (
    <div className="card">
      <h1 className="sr-only">{t("not_found.title")}</h1>
      <Empty title={t("not_found.title")}>
        <Link to="/" search={{}} className="text-accent hover:underline">
          {t("not_found.home")}
        </Link>
      </Empty>
    </div>
  );
}
