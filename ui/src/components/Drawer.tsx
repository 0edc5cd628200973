/** A panel from the right about one thing of the page; Escape closes it, and the page beside it stays usable. */

import { X } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { useWords } from "../i18n/text";

interface DrawerProps {
  title: ReactNode;
  label: string;
  onClose: () => void;
  children: ReactNode;
}

export function Drawer({ title, label, onClose, children }: DrawerProps) {
  const { t } = useWords();
  const panel = useRef<HTMLElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    const before = document.activeElement;
    panel.current?.focus({ preventScroll: true });
    function onKey(event: KeyboardEvent): void {
      if (event.key === "Escape" && !document.querySelector("dialog[open]")) close.current();
    }
    window.addEventListener("keydown", onKey);
    return () => {
      window.removeEventListener("keydown", onKey);
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  return (
    <aside
      ref={panel}
      tabIndex={-1}
      aria-label={label}
      className="fixed inset-y-0 right-0 z-40 flex w-full flex-col border-l border-line bg-surface shadow-high outline-none sm:w-[440px] xl:sticky xl:top-[64px] xl:z-10 xl:max-h-[calc(100dvh-84px)] xl:w-[420px] xl:shrink-0 xl:self-start xl:rounded-xl xl:border xl:shadow-card"
    >
      <header className="flex items-start gap-3 border-b border-line px-5 py-4">
        <div className="min-w-0 flex-1">{title}</div>
        <button
          type="button"
          onClick={onClose}
          aria-label={t("drawer.close")}
          className="grid size-8 shrink-0 place-items-center rounded-lg text-faint hover:bg-raised hover:text-ink"
        >
          <X size={18} aria-hidden="true" />
        </button>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="relative flex-1 overflow-y-auto px-5 py-4" tabIndex={0} aria-label={label}>
        {children}
      </section>
    </aside>
  );
}
