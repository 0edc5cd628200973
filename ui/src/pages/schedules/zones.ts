/** Time zones: their names, and times as clocks there show them. */

import type { Language } from "../../i18n/text";

/** The names that the browser knows; the server may know more, and has the last word. */
export function zoneNames(): string[] {
  const known = typeof Intl.supportedValuesOf === "function" ? Intl.supportedValuesOf("timeZone") : [];
  return [...new Set(["UTC", ...known])].sort();
}

export function localZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
}

/** A time with its weekday, on the clocks of a zone; in UTC where the browser does not know the zone. */
export function zoneTime(language: Language, at: string, zone: string): string {
  const options: Intl.DateTimeFormatOptions = {
    weekday: "short",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZoneName: "short",
  };
  try {
    return new Intl.DateTimeFormat(language, { ...options, timeZone: zone }).format(new Date(at));
  } catch {
    return new Intl.DateTimeFormat(language, { ...options, timeZone: "UTC" }).format(new Date(at));
  }
}
