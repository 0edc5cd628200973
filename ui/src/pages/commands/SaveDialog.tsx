/** What saving will change, line by line, before it does. */

import { useEffect, useMemo, useRef } from "react";
import type { PlaybookCheck } from "../../api/schema";
import { Button } from "../../components/Button";
import { Refusal } from "../../components/Notices";
import { useWords } from "../../i18n/text";
import { type DiffLine, diffLines, withContext } from "./diff";
import { Scroller } from "./Scroller";

interface SaveDialogProps {
  name: string;
  check: PlaybookCheck;
  /** Whether the stored workflow of this name is this playbook's. */
  isOwn: boolean;
  isPending: boolean;
  error: Error | null;
  onConfirm: () => void;
  onClose: () => void;
}

export function SaveDialog({ name, check, isOwn, isPending, error, onConfirm, onClose }: SaveDialogProps) {
  const { t } = useWords();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const before = check.saved_version ?? 0;
  const isSame = check.saved_text === check.text;
  const title = isSame ? t("save.same", { version: before }) : t("save.title", { name, version: before + 1 });
  return (
    <dialog
      ref={dialog}
      onClose={onClose}
      aria-labelledby="save-title"
      className="m-auto w-full max-w-2xl rounded-2xl border border-line bg-surface p-0 text-ink shadow-high backdrop:bg-black/40"
    >
      <div className="stack max-h-[86dvh] gap-4 p-6">
        <h2 id="save-title" className="text-base">
          {title}
        </h2>
        {!isOwn && before > 0 && (
          <p className="rounded-lg bg-warn-soft px-3 py-2 text-warn">{t("save.other", { name, version: before })}</p>
        )}
        {!isSame && (
          <>
            <p className="text-soft">{t(before > 0 ? "save.against" : "save.first", { version: before })}</p>
            <Diff before={check.saved_text ?? ""} after={check.text ?? ""} />
          </>
        )}
        <Refusal error={error} />
        <div className="flex justify-end gap-2">
          <Button onClick={() => dialog.current?.close()}>{t("ask.no")}</Button>
          <Button look="primary" disabled={isPending} onClick={onConfirm}>
            {isSame ? t("save.confirm_same") : t("save.confirm", { version: before + 1 })}
          </Button>
        </div>
      </div>
    </dialog>
  );
}

const SIGNS = { same: " ", added: "+", removed: "−" };
const LOOKS = { same: "text-soft", added: "bg-good-soft", removed: "bg-danger-soft" };

export function Diff({ before, after }: { before: string; after: string }) {
  const { t } = useWords();
  const lines = useMemo(() => withContext(diffLines(before, after)), [before, after]);
  const name = (line: DiffLine) => (line.kind === "same" ? null : t(`save.${line.kind}`));
  return (
    <Scroller
      label={t("save.diff")}
      data-testid="diff"
      className="min-h-0 overflow-auto rounded-lg border border-line font-mono text-xs leading-relaxed"
    >
      {lines.map((line, at) =>
        line === null ? (
          <div key={`gap-${lines[at + 1]?.at}`} className="bg-raised px-3 text-faint">
            ⋯
          </div>
        ) : (
          <div key={line.at} data-kind={line.kind} className={`px-3 whitespace-pre ${LOOKS[line.kind]}`}>
            <span aria-hidden="true" className="mr-2 inline-block w-2 select-none">
              {SIGNS[line.kind]}
            </span>
            {name(line) && <span className="sr-only">{name(line)} </span>}
            {line.text}
          </div>
        ),
      )}
    </Scroller>
  );
}
