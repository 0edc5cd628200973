/** Dark or light: the system's wish until somebody chooses. */

import { useSyncExternalStore } from "react";

export type Theme = "system" | "light" | "dark";

const KEY = "corral.theme";
const systemIsDark = window.matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();
let chosen: Theme = readChoice();

export function setTheme(theme: Theme): void {
  chosen = theme;
  localStorage.setItem(KEY, theme);
  apply();
}

/** What was chosen. */
export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, () => chosen);
}

/** What is shown; a component that paints by itself repaints when it changes. */
export function useIsDark(): boolean {
  return useSyncExternalStore(subscribe, isDark);
}

export function startTheme(): void {
  systemIsDark.addEventListener("change", apply);
  apply();
}

function apply(): void {
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
  for (const listener of listeners) listener();
}

function isDark(): boolean {
  return chosen === "dark" || (chosen === "system" && systemIsDark.matches);
}

function readChoice(): Theme {
  const stored = localStorage.getItem(KEY);
  return stored === "light" || stored === "dark" ? stored : "system";
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
