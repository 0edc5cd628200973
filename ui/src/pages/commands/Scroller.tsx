import type { ReactNode } from "react";

interface ScrollerProps {
  label: string;
  className: string;
  "data-testid": string;
  children: ReactNode;
}

/** What scrolls by itself, by keyboard as well. */
export function Scroller({ label, ...rest }: ScrollerProps) {
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
  return <section tabIndex={0} aria-label={label} {...rest} />;
}
