/** A few fields to fill in, over the page. */

import { type FormEvent, type ReactNode, useEffect, useId, useRef } from "react";
import { useWords } from "../i18n/text";
import { Button } from "./Button";
import { Refusal } from "./Notices";

interface FormDialogProps {
  title: string;
  confirm: string;
  isPending: boolean;
  /** False while there is nothing to send yet. */
  isReady?: boolean;
  error: Error | null;
  children: ReactNode;
  /** Every field by its name; one that was left empty is not there. */
  onSubmit: (values: Record<string, string>) => void;
  onClose: () => void;
}

export function FormDialog(props: FormDialogProps) {
  const { t } = useWords();
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const given = [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value).trim()] as const);
    props.onSubmit(Object.fromEntries(given.filter(([, value]) => value !== "")));
  }
  return (
    <dialog
      ref={dialog}
      onClose={props.onClose}
      aria-labelledby={titleId}
      className="m-auto w-full max-w-md rounded-2xl border border-line bg-surface p-0 text-ink shadow-high backdrop:bg-black/40"
    >
      <form onSubmit={submit} className="grid gap-4 p-6">
        <h2 id={titleId} className="text-base">
          {props.title}
        </h2>
        {props.children}
        <Refusal error={props.error} />
        <div className="flex justify-end gap-2">
          <Button onClick={() => dialog.current?.close()}>{t("ask.no")}</Button>
          <Button type="submit" look="primary" disabled={props.isPending || props.isReady === false}>
            {props.confirm}
          </Button>
        </div>
      </form>
    </dialog>
  );
}

export function Field({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is the child
    <label className="grid gap-1.5 font-medium">
      {label}
      {children}
    </label>
  );
}
