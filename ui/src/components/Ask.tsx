/** A question before something is done: what it means, and perhaps a word to give with it. */

import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { useWords } from "../i18n/text";
import { Button } from "./Button";
import { Refusal } from "./Notices";

interface AskProps {
  title: string;
  children?: ReactNode;
  /** The label of a text to give; without one, yes or no is all. */
  field?: string;
  initial?: string;
  isRequired?: boolean;
  /** What is agreed to; without it there is only something to know. */
  confirm?: string;
  isDangerous?: boolean;
  isPending: boolean;
  error: Error | null;
  onConfirm: (text: string) => void;
  onClose: () => void;
}

export function Ask(props: AskProps) {
  const { t } = useWords();
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState(props.initial ?? "");
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const isLeft = useRef(false);
  // A dialog tells that it closed a frame later; by then another question may stand here, which nobody answered yet.
  function leave(): void {
    if (isLeft.current) return;
    isLeft.current = true;
    dialog.current?.close();
    props.onClose();
  }
  function submit(event: FormEvent): void {
    event.preventDefault();
    props.onConfirm(text.trim());
  }
  return (
    <dialog
      ref={dialog}
      onClose={leave}
      aria-labelledby="ask-title"
      className="m-auto w-full max-w-md rounded-2xl border border-line bg-surface p-0 text-ink shadow-high backdrop:bg-black/40"
    >
      <form onSubmit={submit} className="grid gap-4 p-6">
        <h2 id="ask-title" className="text-base">
          {props.title}
        </h2>
        {props.children && <div className="text-soft">{props.children}</div>}
        {props.field && (
          <label className="grid gap-1.5 font-medium">
            {props.field}
            <input
              className="field"
              value={text}
              required={props.isRequired ?? false}
              onChange={(event) => setText(event.target.value)}
            />
          </label>
        )}
        <Refusal error={props.error} />
        <div className="flex justify-end gap-2">
          <Button onClick={leave}>{t("ask.no")}</Button>
          {props.confirm && (
            <Button type="submit" look={props.isDangerous ? "danger" : "primary"} disabled={props.isPending}>
              {props.confirm}
            </Button>
          )}
        </div>
      </form>
    </dialog>
  );
}
