import type { Case } from "../../../api/schema";
import { useWords } from "../../../i18n/text";
import { splitClass } from "./cases";

/** A test's name, and what is odd about it: that it is flaky, that phones differ. */
export function CaseName({ of, onOpen }: { of: Case; onOpen: () => void }) {
  const { t } = useWords();
  const { scope, short } = splitClass(of.class_name);
  return (
    <>
      <button
        type="button"
        onClick={onOpen}
        className="block max-w-full truncate text-left font-medium hover:text-accent"
        title={of.name}
      >
        {of.name}
      </button>
      <span className="flex min-w-0 items-center gap-1.5 text-xs">
        <span className="min-w-0 truncate text-faint" title={of.class_name}>
          <span className="max-md:hidden">{scope}</span>
          <span className="text-soft">{short}</span>
        </span>
        {of.is_flaky && <Note text={t("tests.is_flaky")} />}
        {of.differs && <Note text={t("tests.is_differing")} />}
      </span>
    </>
  );
}

function Note({ text }: { text: string }) {
  return <span className="shrink-0 rounded-full bg-warn-soft px-1.5 font-medium text-warn">{text}</span>;
}
