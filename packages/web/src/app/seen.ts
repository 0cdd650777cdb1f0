// When the viewer last looked at failures, per browser and account.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { handleOf, organization, repository, whoami } from './queries.ts';
import type { Home } from './sight.ts';

const listeners = new Set<() => void>();
/** A fallback for browsers without storage. */
const seen = new Map<string, number>();

const seenUntil = (key: string): number =>
  Math.max(seen.get(key) ?? 0, Number(stored(() => window.localStorage.getItem(key)) ?? 0));

function noteSeen(key: string, until: number): void {
  if (until <= seenUntil(key)) return;
  seen.set(key, until);
  stored(() => window.localStorage.setItem(key, String(until)));
  for (const listener of listeners) listener();
}

/** The creation time identifies a repository across renames. */
function useKey({ orgName, repoName }: Home): string | undefined {
  const { data: person } = useQuery(whoami);
  const ofRepository = useQuery({ ...repository({ orgName, repoName: repoName ?? '' }), enabled: repoName !== null });
  const ofOrganization = useQuery({ ...organization(orgName), enabled: repoName === null });
  const { createdAt } = (repoName === null ? ofOrganization : ofRepository).data ?? {};
  const who = handleOf(person) ?? '';
  if (createdAt === undefined) return undefined;
  return `cairn-seen ${who} ${repoName === null ? 'organization' : 'repository'} ${createdAt}`;
}

export function useNoteSeen(home: Home, until: number | undefined): void {
  const key = useKey(home);
  useEffect(() => {
    if (key !== undefined && until !== undefined) noteSeen(key, until);
  }, [key, until]);
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}

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
