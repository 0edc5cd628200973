/** Asks before changes are lost: by going elsewhere, by closing the tab, by loading the page anew. */

import { useBlocker } from "@tanstack/react-router";
import { Ask } from "../../components/Ask";
import { useWords } from "../../i18n/text";

export function LeaveGuard({ isDirty }: { isDirty: boolean }) {
  const { t } = useWords();
  const blocker = useBlocker({
    shouldBlockFn: () => isDirty,
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  });
  if (blocker.status !== "blocked") return null;
  return (
    <Ask
      key={`${blocker.action} ${blocker.next.pathname}`}
      title={t("leave.title")}
      confirm={t("leave.confirm")}
      isDangerous
      isPending={false}
      error={null}
      onConfirm={() => blocker.proceed()}
      onClose={() => blocker.reset()}
    >
      {t("leave.detail")}
    </Ask>
  );
}
