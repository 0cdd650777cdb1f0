// Until when somebody has looked at what failed, in this browser: what they know already is not counted again. Each who signs
// in there knows what they have looked at themselves.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { organization, repository, whoami } from './queries.ts';
import type { Home } from './sight.ts';

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

/** By when it was made, which stays when it is renamed or moved. Undefined while that is not known. */
function useKey({ orgName, repoName }: Home): string | undefined {
  const { data: person } = useQuery(whoami);
  const ofRepository = useQuery({ ...repository({ orgName, repoName: repoName ?? '' }), enabled: repoName !== null });
  const ofOrganization = useQuery({ ...organization(orgName), enabled: repoName === null });
  const { createdAt } = (repoName === null ? ofOrganization : ofRepository).data ?? {};
  const who = person !== undefined && 'handle' in person ? person.handle : '';
  if (createdAt === undefined) return undefined;
  return `cairn-seen ${who} ${repoName === null ? 'organization' : 'repository'} ${createdAt}`;
}

/** Looked at until then, in milliseconds as the server counts them; nothing is noted while it is not known. */
export function useNoteSeen(home: Home, until: number | undefined): void {
  const key = useKey(home);
  useEffect(() => {
    if (key !== undefined && until !== undefined) noteSeen(key, until);
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

/** Nothing counts as new while it is not known. */
export function useSeenUntil(home: Home): number {
  const key = useKey(home);
  return useSyncExternalStore(subscribe, () => (key === undefined ? Number.POSITIVE_INFINITY : seenUntil(key)));
}

function stored<Result>(use: () => Result): Result | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}
