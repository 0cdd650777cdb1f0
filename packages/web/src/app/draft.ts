// Changes that were decided and not committed yet, for each repository. They live as long as the explorer is open in its tab;
// who would close it is asked first.
import { useMemo, useSyncExternalStore } from 'react';
import { type Change, withChange, withoutChange } from '../data/change.ts';
import type { Sight } from './sight.ts';

type Named = Pick<Sight, 'orgName' | 'repoName'>;

const NONE: readonly Change[] = [];
let drafts: ReadonlyMap<string, readonly Change[]> = new Map();
const listeners = new Set<() => void>();

const nameOf = ({ orgName, repoName }: Named): string => `${orgName}/${repoName}`;
const warn = (event: BeforeUnloadEvent) => event.preventDefault();

function set(repository: Named, changes: readonly Change[]) {
  const next = new Map(drafts);
  if (changes.length === 0) next.delete(nameOf(repository));
  else next.set(nameOf(repository), changes);
  drafts = next;
  if (drafts.size === 0) window.removeEventListener('beforeunload', warn);
  else window.addEventListener('beforeunload', warn);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export interface Draft {
  readonly changes: readonly Change[];
  /** In place of what was to be done to the same record. */
  readonly put: (change: Change) => void;
  readonly drop: (key: string) => void;
  readonly clear: () => void;
}

export function useDraft({ orgName, repoName }: Named): Draft {
  const name = nameOf({ orgName, repoName });
  const changes = useSyncExternalStore(subscribe, () => drafts.get(name) ?? NONE);
  return useMemo(() => {
    const repository = { orgName, repoName };
    const now = () => drafts.get(nameOf(repository)) ?? NONE;
    return {
      changes,
      put: (change) => set(repository, withChange(now(), change)),
      drop: (key) => set(repository, withoutChange(now(), key)),
      clear: () => set(repository, NONE),
    };
  }, [changes, orgName, repoName]);
}
