/** How often to ask: as told while somebody looks, seldom in a hidden tab, ever less often while nobody answers. */

const HIDDEN_FACTOR = 10;
const LONGEST_MS = 10_000;

interface Asked {
  dataUpdatedAt: number;
  errorUpdatedAt: number;
}

export function pollEvery(interval: number) {
  return {
    refetchInterval: (query: { state: Asked }) => nextPoll(interval, query.state),
    refetchIntervalInBackground: true,
    staleTime: interval / 2,
    retry: false,
  } as const;
}

/** The pause before the next question, in milliseconds. */
export function nextPoll(interval: number, asked: Asked): number {
  if (asked.errorUpdatedAt > asked.dataUpdatedAt) {
    const silentFor = asked.dataUpdatedAt === 0 ? 0 : asked.errorUpdatedAt - asked.dataUpdatedAt;
    return Math.min(LONGEST_MS, Math.max(interval, silentFor / 4));
  }
  return document.hidden ? interval * HIDDEN_FACTOR : interval;
}
