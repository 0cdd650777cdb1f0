// Changes that were decided and not committed yet, for each repository. They live as long as the tab, also when the page is
// loaded anew; who would leave is asked first, since a closed tab takes them along.
import { useMemo, useSyncExternalStore } from 'react';
import { type Added, type Change, withChange, withoutChange, withReplaced } from '../data/change.ts';
import { type Rename, withFollowed } from '../data/followed.ts';
import { isLeaving } from './leaving.ts';
import type { Sight } from './sight.ts';
import { tabStore } from './tab-store.ts';

type Named = Pick<Sight, 'orgName' | 'repoName'>;

const NONE: readonly Change[] = [];
/** By the full name of a repository. */
export const drafts = tabStore<readonly Change[]>('cairn-drafts');

const nameOf = ({ orgName, repoName }: Named): string => `${orgName}/${repoName}`;
const warn = (event: BeforeUnloadEvent) => {
  if (!isLeaving()) event.preventDefault();
};

drafts.subscribe(() => {
  if (drafts.state().entries.size === 0) window.removeEventListener('beforeunload', warn);
  else window.addEventListener('beforeunload', warn);
});

const set = (name: string, changes: readonly Change[]) => drafts.set(name, changes.length === 0 ? undefined : changes);

export interface Draft {
  readonly changes: readonly Change[];
  readonly isKept: boolean;
  /** In place of what was to be done to the same records. */
  readonly put: (...changes: readonly Change[]) => void;
  /** In place of what was to be added, under whatever name. */
  readonly replace: (kept: Added, change: Change) => void;
  /** What somebody has renamed, under its present name. */
  readonly follow: (rename: Rename) => void;
  readonly drop: (key: string) => void;
  readonly clear: () => void;
}

export function useDraft({ orgName, repoName }: Named): Draft {
  const name = nameOf({ orgName, repoName });
  const changes = useSyncExternalStore(drafts.subscribe, () => drafts.state().entries.get(name) ?? NONE);
  const isKept = useSyncExternalStore(drafts.subscribe, () => drafts.state().isKept);
  return useMemo(() => {
    const now = () => drafts.state().entries.get(name) ?? NONE;
    return {
      changes,
      isKept,
      put: (...more) => set(name, more.reduce(withChange, now())),
      replace: (kept, change) => set(name, withReplaced(now(), kept, change)),
      follow: (rename) => set(name, withFollowed(now(), rename)),
      drop: (key) => set(name, withoutChange(now(), key)),
      clear: () => set(name, NONE),
    };
  }, [changes, isKept, name]);
}
