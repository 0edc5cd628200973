import type { ButtonHTMLAttributes } from "react";

const LOOKS = {
  primary: "bg-accent text-on-accent hover:bg-accent-strong",
  plain: "border border-line-strong bg-surface text-ink hover:bg-raised",
  danger: "border border-line-strong bg-surface text-danger hover:bg-danger-soft",
  quiet: "text-soft hover:bg-raised hover:text-ink",
};
const SIZES = { normal: "h-9 px-3.5 text-sm", small: "h-7 px-2.5 text-xs" };

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: keyof typeof LOOKS;
  size?: keyof typeof SIZES;
}

/** The look of a button, for links that act as one. */
export function buttonLook(look: keyof typeof LOOKS = "plain", size: keyof typeof SIZES = "normal"): string {
  return `inline-flex items-center justify-center gap-1.5 rounded-lg font-medium whitespace-nowrap transition-colors disabled:cursor-not-allowed disabled:opacity-50 ${LOOKS[look]} ${SIZES[size]}`;
}

export function Button({ look = "plain", size = "normal", className = "", ...rest }: ButtonProps) {
  return <button type="button" {...rest} className={`${buttonLook(look, size)} ${className}`} />;
}
