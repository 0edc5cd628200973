/** The frame around every page: where one can go, how the farm is, who one is. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import {
  Activity,
  Bell,
  CalendarClock,
  Clapperboard,
  Compass,
  LayoutDashboard,
  ListChecks,
  ListOrdered,
  LogOut,
  type LucideIcon,
  Monitor,
  Moon,
  Smartphone,
  Sun,
} from "lucide-react";
import { type RefObject, useEffect, useRef } from "react";
import { call } from "../api/client";
import { dashboardQuery, sessionQuery } from "../api/queries";
import mark from "../assets/mark.svg";
import type { MessageKey } from "../i18n/en";
import { useWords } from "../i18n/text";
import { setTheme, type Theme, useTheme } from "../theme";
import { AwayBanner } from "./Banner";

const PLACES: { to: string; key: MessageKey; icon: LucideIcon; exact?: boolean }[] = [
  { to: "/", key: "nav.dashboard", icon: LayoutDashboard, exact: true },
  { to: "/runs", key: "nav.runs", icon: Activity },
  { to: "/devices", key: "nav.devices", icon: Smartphone },
  { to: "/commands", key: "nav.commands", icon: ListChecks },
  { to: "/channels", key: "nav.channels", icon: ListOrdered },
  { to: "/content", key: "nav.content", icon: Clapperboard },
  { to: "/schedules", key: "nav.schedules", icon: CalendarClock },
  { to: "/settings/notifications", key: "nav.notifications", icon: Bell },
  { to: "/onboarding", key: "nav.onboarding", icon: Compass },
];

export function Shell() {
  const { t } = useWords();
  const places = useRef<HTMLElement>(null);
  useShownPlace(places);
  return (
    <div className="flex min-h-dvh flex-col md:flex-row">
      <a href="#main" className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-surface focus:p-3">
        {t("nav.skip")}
      </a>
      <aside className="flex shrink-0 items-center gap-1 border-b border-line bg-surface px-3 md:sticky md:top-0 md:h-dvh md:w-52 md:flex-col md:items-stretch md:border-r md:border-b-0 md:px-3 md:py-4">
        <Link
          to="/"
          className="mr-2 flex shrink-0 items-center gap-2.5 px-1 py-2 text-[15px] font-semibold tracking-tight md:mb-4 md:px-2"
        >
          <img src={mark} alt="" width={24} height={24} />
          <span className="max-sm:sr-only">Corral</span>
        </Link>
        <nav ref={places} aria-label={t("nav.label")} className="flex gap-0.5 overflow-x-auto md:flex-col">
          {PLACES.map(({ to, key, icon: Icon, exact }) => (
            <Link
              key={to}
              to={to}
              activeOptions={{ exact: exact ?? false }}
              className="flex items-center gap-2.5 rounded-lg px-2.5 py-2 font-medium whitespace-nowrap text-soft hover:bg-raised hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:text-ink"
            >
              <Icon size={16} aria-hidden="true" className="max-sm:hidden" />
              {t(key)}
            </Link>
          ))}
        </nav>
        <div className="mt-auto hidden md:block">
          <Caller />
        </div>
      </aside>
      <div className="flex min-w-0 flex-1 flex-col">
        <header className="flex flex-wrap items-center gap-x-5 gap-y-1 border-b border-line bg-surface/80 px-4 py-2 backdrop-blur sm:px-6 md:sticky md:top-0 md:z-30">
          <FarmState />
          <div className="ml-auto flex items-center gap-1.5">
            <LanguageSwitch />
            <ThemeSwitch />
          </div>
        </header>
        <AwayBanner />
        <main id="main" className="mx-auto w-full max-w-[1480px] flex-1 px-4 py-6 sm:px-6">
          <Outlet />
        </main>
      </div>
    </div>
  );
}

/** On a narrow screen the places scroll: the one that we are at is brought into view. */
function useShownPlace(places: RefObject<HTMLElement | null>) {
  const path = useRouterState({ select: (state) => state.location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the page is another
  useEffect(() => {
    const here = places.current?.querySelector<HTMLElement>("[aria-current=page]");
    if (places.current && here) places.current.scrollLeft = here.offsetLeft - places.current.offsetLeft - 16;
  }, [path, places]);
}

function FarmState() {
  const words = useWords();
  const { data } = useQuery(dashboardQuery("24h"));
  if (!data) return <div className="h-5" />;
  const { kpis } = data;
  const facts = [
    {
      text: words.t("farm.nodes", { online: kpis.nodes_online, total: kpis.nodes_online + kpis.nodes_offline }),
      isFine: kpis.nodes_offline === 0,
    },
    {
      text: words.t("farm.devices", { online: kpis.devices_online, total: kpis.devices_online + kpis.devices_offline }),
      isFine: kpis.devices_offline === 0,
    },
    { text: words.t("farm.runs", { count: kpis.runs_going }), isFine: true },
  ];
  return (
    <ul aria-label={words.t("farm.label")} className="flex flex-wrap gap-x-4 text-xs text-soft">
      {facts.map(({ text, isFine }) => (
        <li key={text} className="flex items-center gap-1.5 tabular-nums">
          <span
            aria-hidden="true"
            className={isFine ? "size-1.5 rounded-full bg-state-done" : "size-1.5 rotate-45 bg-state-quarantined"}
          />
          {text}
        </li>
      ))}
    </ul>
  );
}

function LanguageSwitch() {
  const { language, setLanguage, t } = useWords();
  return (
    <select
      aria-label={t("language.label")}
      value={language}
      onChange={(event) => setLanguage(event.target.value === "ko" ? "ko" : "en")}
      className="h-7 rounded-md border border-line bg-surface px-1.5 text-xs text-soft"
    >
      <option value="en">English</option>
      <option value="ko">한국어</option>
    </select>
  );
}

const THEMES: { theme: Theme; icon: LucideIcon; key: MessageKey }[] = [
  { theme: "light", icon: Sun, key: "theme.light" },
  { theme: "system", icon: Monitor, key: "theme.system" },
  { theme: "dark", icon: Moon, key: "theme.dark" },
];

function ThemeSwitch() {
  const { t } = useWords();
  const chosen = useTheme();
  return (
    <fieldset className="flex rounded-md border border-line p-0.5">
      <legend className="sr-only">{t("theme.label")}</legend>
      {THEMES.map(({ theme, icon: Icon, key }) => (
        <button
          key={theme}
          type="button"
          title={t(key)}
          aria-label={t(key)}
          aria-pressed={chosen === theme}
          onClick={() => setTheme(theme)}
          className="grid h-6 w-7 place-items-center rounded text-faint hover:text-ink aria-pressed:bg-raised aria-pressed:text-ink"
        >
          <Icon size={14} aria-hidden="true" />
        </button>
      ))}
    </fieldset>
  );
}

function Caller() {
  const { t } = useWords();
  const client = useQueryClient();
  const { data: session } = useQuery(sessionQuery);
  if (!session) return null;
  async function signOut(): Promise<void> {
    await call("delete", "/api/session");
    client.setQueryData(sessionQuery.queryKey, null);
    // The next one to sign in must not see for a moment what this one saw.
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] });
  }
  return (
    <div className="flex items-center gap-2 border-t border-line px-2 pt-3 text-xs">
      <div className="min-w-0">
        <div className="truncate font-medium">{session.actor || t("session.local")}</div>
        <div className="text-faint">{t(`role.${session.role}`)}</div>
      </div>
      {session.expires_at && (
        <button
          type="button"
          onClick={() => void signOut()}
          title={t("session.sign_out")}
          aria-label={t("session.sign_out")}
          className="ml-auto grid size-7 place-items-center rounded-md text-faint hover:bg-raised hover:text-ink"
        >
          <LogOut size={14} aria-hidden="true" />
        </button>
      )}
    </div>
  );
}
