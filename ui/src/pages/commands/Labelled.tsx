import { type ReactNode, useId } from "react";

export interface FieldAttributes {
  id: string;
  "aria-invalid": boolean;
  "aria-describedby": string | undefined;
}

interface LabelledProps {
  label: ReactNode;
  /** A word beside the label, such as that it is needed. */
  note?: string | undefined;
  hint?: ReactNode;
  /** What the server says of it. */
  problems?: readonly string[];
  children: (attributes: FieldAttributes) => ReactNode;
}

/** A field with its label, what helps to fill it in, and what is wrong with it, tied together for screen readers. */
export function Labelled({ label, note, hint, problems = [], children }: LabelledProps) {
  const id = useId();
  const described = [problems.length > 0 && `${id}-problem`, hint && `${id}-hint`].filter(Boolean).join(" ");
  return (
    <div className="stack content-start gap-1.5">
      <label htmlFor={id} className="font-medium">
        {label}
        {note && <span className="ml-2 text-xs font-normal text-faint">{note}</span>}
      </label>
      {children({ id, "aria-invalid": problems.length > 0, "aria-describedby": described || undefined })}
      <Wrong id={`${id}-problem`} problems={problems} />
      {hint && (
        <span id={`${id}-hint`} className="text-xs text-soft">
          {hint}
        </span>
      )}
    </div>
  );
}

export function Wrong({ id, problems }: { id?: string; problems: readonly string[] }) {
  if (problems.length === 0) return null;
  return (
    <span id={id} className="text-xs font-medium break-words text-danger">
      {[...new Set(problems)].join(" · ")}
    </span>
  );
}
