// Drafts by repository, kept as long as the tab.
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { isLeaving } from '../../app/begun.ts';
import { homeName, type RepositoryName } from '../../app/sight.ts';
import { tabStore } from '../../app/tab-store.ts';
import { type Added, type Change, withChange, withoutChanges, withRestored } from './change.ts';
import { type Rename, withFollowed, withReplaced } from './followed.ts';

const NO_CHANGES: readonly Change[] = [];
export const drafts = tabStore<readonly Change[]>('cairn-drafts');

/** Creation times identify the repositories of drafts across renames. */
export const draftOrigins = tabStore<number>('cairn-draft-origins');

const warn = (event: BeforeUnloadEvent) => {
  if (!isLeaving()) event.preventDefault();
};

drafts.subscribe(() => {
  if (drafts.state().entries.size === 0) window.removeEventListener('beforeunload', warn);
  else window.addEventListener('beforeunload', warn);
});

const set = (name: string, changes: readonly Change[]) => drafts.set(name, changes.length === 0 ? undefined : changes);

export type Draft = ReturnType<typeof useDraft>;

export function useDraft(named: RepositoryName) {
  const name = homeName(named);
  const changes = useSyncExternalStore(drafts.subscribe, () => drafts.state().entries.get(name) ?? NO_CHANGES);
  const isKept = useSyncExternalStore(drafts.subscribe, () => drafts.state().isKept);
  return useMemo(() => {
    const now = () => drafts.state().entries.get(name) ?? NO_CHANGES;
    return {
      changes,
      isKept,
      put: (...more: readonly Change[]) => set(name, more.reduce(withChange, now())),
      replace: (kept: Added, change: Change) => set(name, withReplaced(now(), kept, change)),
      follow: (rename: Rename) => set(name, withFollowed(now(), rename)),
      drop: (dropped: readonly Change[]) => set(name, withoutChanges(now(), dropped)),
      /** Returns what was restored; newer changes of the same records win. */
      restore: (dropped: readonly Change[], before: readonly Change[]) => {
        set(name, withRestored(now(), dropped, before));
        return dropped.filter((one) => now().includes(one));
      },
      clear: () => set(name, NO_CHANGES),
    };
  }, [changes, isKept, name]);
}

export function useDraftedNames(): readonly RepositoryName[] {
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

/** Noted on first use, because another repository may take the name later. */
export function useDraftOrigin(named: RepositoryName, createdAt?: number): number | undefined {
  const name = homeName(named);
  const hasDraft = useDraft(named).changes.length > 0;
  const known = useSyncExternalStore(draftOrigins.subscribe, () => draftOrigins.state().entries.get(name));
  const noted = hasDraft ? (known ?? createdAt) : undefined;
  useEffect(() => {
    if (createdAt !== undefined && noted !== known) draftOrigins.set(name, noted);
  }, [createdAt, noted, known, name]);
  return noted;
}
