// Drafts by repository, kept as long as the tab.
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { isLeaving } from '../../app/begun.ts';
import type { RepositoryName } from '../../app/sight.ts';
import { tabStore } from '../../app/tab-store.ts';
import { type Added, type Change, withChange, withoutChanges, withRestored } from './change.ts';
import { type Rename, withFollowed, withReplaced } from './followed.ts';

const NO_CHANGES: readonly Change[] = [];
export const drafts = tabStore<readonly Change[]>('cairn-drafts');

/** Creation times identify the repositories of drafts across renames. */
export const draftOrigins = tabStore<number>('cairn-draft-origins');

const formatRepositoryName = ({ orgName, repoName }: RepositoryName): string => `${orgName}/${repoName}`;
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
  readonly put: (...changes: readonly Change[]) => void;
  readonly replace: (kept: Added, change: Change) => void;
  readonly follow: (rename: Rename) => void;
  readonly drop: (dropped: readonly Change[]) => void;
  /** Returns what was restored; newer changes of the same records win. */
  readonly restore: (dropped: readonly Change[], before: readonly Change[]) => readonly Change[];
  readonly clear: () => void;
}

export function useDraft({ orgName, repoName }: RepositoryName): Draft {
  const name = formatRepositoryName({ orgName, repoName });
  const changes = useSyncExternalStore(drafts.subscribe, () => drafts.state().entries.get(name) ?? NO_CHANGES);
  const isKept = useSyncExternalStore(drafts.subscribe, () => drafts.state().isKept);
  return useMemo(() => {
    const now = () => drafts.state().entries.get(name) ?? NO_CHANGES;
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
  const name = formatRepositoryName(named);
  const hasDraft = useDraft(named).changes.length > 0;
  const known = useSyncExternalStore(draftOrigins.subscribe, () => draftOrigins.state().entries.get(name));
  const noted = hasDraft ? (known ?? createdAt) : undefined;
  useEffect(() => {
    if (createdAt !== undefined && noted !== known) draftOrigins.set(name, noted);
  }, [createdAt, noted, known, name]);
  return noted;
}
