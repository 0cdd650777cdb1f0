// Until when somebody has looked at what failed, in this browser: what they know already is not counted again. Each who signs
// in there knows what they have looked at themselves.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { whoami } from '../data/queries.ts';
import { type Home, homeName } from './home.ts';

const listeners = new Set<() => void>();
/** Also for browsers that keep nothing. */
const seen = new Map<string, number>();

function seenUntil(key: string): number {
  return Math.max(seen.get(key) ?? 0, Number(stored(() => window.localStorage.getItem(key)) ?? 0));
}

function noteSeen(key: string, until: number): void {
  if (until <= seenUntil(key)) return;
  seen.set(key, until);
  stored(() => window.localStorage.setItem(key, String(until)));
  for (const listener of listeners) listener();
}

function useKey(home: Home): string {
  const { data: person } = useQuery(whoami);
  const who = person !== undefined && 'handle' in person ? person.handle : '';
  return `cairn-seen ${who} ${homeName(home)}`;
}

/** Looked at until then, in milliseconds as the server counts them; nothing is noted while it is not known. */
export function useNoteSeen(home: Home, until: number | undefined): void {
  const key = useKey(home);
  useEffect(() => {
    if (until !== undefined) noteSeen(key, until);
  }, [key, until]);
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

export function useSeenUntil(home: Home): number {
  const key = useKey(home);
  return useSyncExternalStore(subscribe, () => seenUntil(key));
}

function stored<Result>(use: () => Result): Result | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}
