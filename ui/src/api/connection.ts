/** Whether the server answers, and when it last did: one fact for the whole page. */

import { useSyncExternalStore } from "react";

export interface Connection {
  isAway: boolean;
  lastAnswerAt: number;
}

let state: Connection = { isAway: false, lastAnswerAt: Date.now() };
const listeners = new Set<() => void>();

export function noteAnswer(): void {
  const wasAway = state.isAway;
  state = { isAway: false, lastAnswerAt: Date.now() };
  if (wasAway) tell();
}

export function noteSilence(): void {
  if (state.isAway) return;
  state = { ...state, isAway: true };
  tell();
}

export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, () => state);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell(): void {
  for (const listener of listeners) listener();
}
