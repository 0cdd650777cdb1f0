// Changes that were decided and not committed yet, for each repository. They live as long as the tab, also when the page is
// loaded anew; who would leave is asked first, since a closed tab takes them along.
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { isLeaving } from '../../app/begun.ts';
import type { Sight } from '../../app/sight.ts';
import { tabStore } from '../../app/tab-store.ts';
import { type Added, type Change, withChange, withoutChanges, withRestored } from './change.ts';
import { type Rename, withFollowed, withReplaced } from './followed.ts';

type Named = Pick<Sight, 'orgName' | 'repoName'>;

const NONE: readonly Change[] = [];
/** By the full name of a repository. */
export const drafts = tabStore<readonly Change[]>('cairn-drafts');

/** When the repository of a draft was made: that stays, whatever it is called. By the full name that it had. */
export const draftOrigins = tabStore<number>('cairn-draft-origins');

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
  readonly drop: (dropped: readonly Change[]) => void;
  /** What was dropped from among `before`; gives what is there again, without that whose place is taken. */
  readonly restore: (dropped: readonly Change[], before: readonly Change[]) => readonly Change[];
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
      drop: (dropped) => set(name, withoutChanges(now(), dropped)),
      restore: (dropped, before) => {
        set(name, withRestored(now(), dropped, before));
        return dropped.filter((one) => now().includes(one));
      },
      clear: () => set(name, NONE),
    };
  }, [changes, isKept, name]);
}

/** Of each repository that has one. */
export function useDraftedNames(): readonly Named[] {
  const { entries } = useSyncExternalStore(drafts.subscribe, drafts.state);
  return useMemo(
    () =>
      [...entries.keys()].map((name) => {
        const [orgName = '', repoName = ''] = name.split('/');
        return { orgName, repoName };
      }),
    [entries],
  );
}

/**
 * When the repository was made that the draft is of. It is noted with the first that is found under the name: one that is found
 * there later may be another.
 */
export function useDraftOrigin(named: Named, createdAt?: number): number | undefined {
  const name = nameOf(named);
  const hasDraft = useDraft(named).changes.length > 0;
  const known = useSyncExternalStore(draftOrigins.subscribe, () => draftOrigins.state().entries.get(name));
  const noted = hasDraft ? (known ?? createdAt) : undefined;
  useEffect(() => {
    if (createdAt !== undefined && noted !== known) draftOrigins.set(name, noted);
  }, [createdAt, noted, known, name]);
  return noted;
}
