/** Words in the reader's language. Keys are checked by the compiler; both catalogues have all of them. */

import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import { en, type MessageKey } from "./en";
import { ko } from "./ko";

export type Language = "en" | "ko";
export type Message = string | { one: string; other: string };
export type Values = Record<string, string | number>;

const KEY = "corral.language";
const CATALOGUES: Record<Language, Record<MessageKey, Message>> = { en, ko };

export interface Words {
  language: Language;
  setLanguage: (language: Language) => void;
  t: (key: MessageKey, values?: Values) => string;
  number: (value: number, options?: Intl.NumberFormatOptions) => string;
  percent: (value: number, digits?: number) => string;
  time: (at: string | number | Date) => string;
  dateTime: (at: string | number | Date) => string;
  date: (at: string | number | Date) => string;
  duration: (seconds: number) => string;
  ago: (at: string, now: number) => string;
}

const Context = createContext<Words | null>(null);

export function WordsProvider({ children, initial }: { children: ReactNode; initial?: Language }) {
  const [language, setLanguage] = useState<Language>(() => initial ?? readLanguage());
  useEffect(() => {
    document.documentElement.lang = language;
    localStorage.setItem(KEY, language);
  }, [language]);
  const words = useMemo(() => makeWords(language, setLanguage), [language]);
  return <Context value={words}>{children}</Context>;
}

export function useWords(): Words {
  const words = useContext(Context);
  if (!words) throw new Error("useWords needs a WordsProvider");
  return words;
}

export function makeWords(language: Language, setLanguage: (language: Language) => void = () => undefined): Words {
  const catalogue = CATALOGUES[language];
  const plural = new Intl.PluralRules(language);
  const clock = new Intl.DateTimeFormat(language, {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  });
  const calendar = new Intl.DateTimeFormat(language, {
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  const day = new Intl.DateTimeFormat(language, { year: "numeric", month: "short", day: "numeric" });
  const integer = new Intl.NumberFormat(language);
  const t = (key: MessageKey, values: Values = {}): string => {
    const message = catalogue[key];
    const text =
      typeof message === "string"
        ? message
        : message[plural.select(Number(values.count ?? 0)) === "one" ? "one" : "other"];
    return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
      const value = values[name];
      return value === undefined ? whole : typeof value === "number" ? integer.format(value) : value;
    });
  };
  const duration = (seconds: number): string => {
    if (seconds < 10 && !Number.isInteger(seconds))
      return t("unit.seconds", { n: seconds < 1 ? seconds.toFixed(2) : seconds.toFixed(1) });
    const whole = Math.round(seconds);
    if (whole < 60) return t("unit.seconds", { n: whole });
    if (whole < 3600) return t("unit.minutes", { m: Math.floor(whole / 60), s: whole % 60 });
    if (whole < 86_400) return t("unit.hours", { h: Math.floor(whole / 3600), m: Math.floor((whole % 3600) / 60) });
    return t("unit.days", { d: Math.floor(whole / 86_400), h: Math.floor((whole % 86_400) / 3600) });
  };
  return {
    language,
    setLanguage,
    t,
    number: (value, options) => (options ? new Intl.NumberFormat(language, options) : integer).format(value),
    percent: (value, digits = 0) =>
      new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: digits }).format(value),
    time: (at) => clock.format(new Date(at)),
    dateTime: (at) => calendar.format(new Date(at)),
    date: (at) => day.format(new Date(at)),
    duration,
    ago: (at, now) => {
      const seconds = Math.max(0, (now - Date.parse(at)) / 1000);
      if (seconds < 5) return t("ago.now");
      if (seconds >= 86_400 * 2) return calendar.format(new Date(at));
      const coarse = seconds < 60 ? Math.round(seconds) : Math.floor(seconds / 60) * 60;
      if (coarse < 60) return t("ago.seconds", { n: coarse });
      if (coarse < 3600) return t("ago.minutes", { n: coarse / 60 });
      return t("ago.hours", { n: Math.floor(coarse / 3600) });
    },
  };
}

function readLanguage(): Language {
  const stored = localStorage.getItem(KEY);
  if (stored === "en" || stored === "ko") return stored;
  return navigator.language.toLowerCase().startsWith("ko") ? "ko" : "en";
}
