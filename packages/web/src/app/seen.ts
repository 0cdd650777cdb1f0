// Until when somebody has looked at what failed, in this browser: what they know already is not counted again.
import { useSyncExternalStore } from 'react';
import { type Home, homeName } from './home.ts';

const listeners = new Set<() => void>();
/** Also for browsers that keep nothing. */
const seen = new Map<string, number>();

const keyOf = (home: Home) => `cairn-seen ${homeName(home)}`;

function seenUntil(home: Home): number {
  const key = keyOf(home);
  return Math.max(seen.get(key) ?? 0, Number(stored(() => window.localStorage.getItem(key)) ?? 0));
}

/** In milliseconds, as the server counts them. */
export function noteSeen(home: Home, until: number): void {
  if (until <= seenUntil(home)) return;
  seen.set(keyOf(home), until);
  stored(() => window.localStorage.setItem(keyOf(home), String(until)));
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  // Another tab may have looked.
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}

export const useSeenUntil = (home: Home): number => useSyncExternalStore(subscribe, () => seenUntil(home));

function stored<Result>(use: () => Result): Result | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}
