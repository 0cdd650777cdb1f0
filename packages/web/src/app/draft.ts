// Changes that were decided and not committed yet, for each repository. They live as long as the tab, also when the page is
// loaded anew; who would leave is asked first, since a closed tab takes them along.
import { useMemo, useSyncExternalStore } from 'react';
import { type Added, type Change, withChange, withoutChange, withReplaced } from '../data/change.ts';
import { type Drafts, keepDrafts, keptDrafts } from './kept-drafts.ts';
import type { Sight } from './sight.ts';

type Named = Pick<Sight, 'orgName' | 'repoName'>;

interface State {
  readonly drafts: Drafts;
  /** Whether they would be there again if the page were loaded anew. */
  readonly isKept: boolean;
}

const NONE: readonly Change[] = [];
/** Whose they are: a handle, or nothing for nobody. Not known until the server has said so. */
let who: string | undefined;
let state: State = { drafts: new Map(), isKept: true };
const listeners = new Set<() => void>();

const nameOf = ({ orgName, repoName }: Named): string => `${orgName}/${repoName}`;
const tabStorage = () => window.sessionStorage;
const warn = (event: BeforeUnloadEvent) => event.preventDefault();

function become(drafts: Drafts) {
  state = { drafts, isKept: who !== undefined && keepDrafts(tabStorage, who, drafts) };
  if (drafts.size === 0) window.removeEventListener('beforeunload', warn);
  else window.addEventListener('beforeunload', warn);
  for (const listener of listeners) listener();
}

function set(repository: Named, changes: readonly Change[]) {
  const next = new Map(state.drafts);
  if (changes.length === 0) next.delete(nameOf(repository));
  else next.set(nameOf(repository), changes);
  become(next);
}

/** Told whenever it is found out who looks: what was kept for them is there again, and what is somebody else's is dropped. */
export function openDrafts(handle: string): void {
  if (handle === who) return;
  const begun: Drafts = who === undefined ? state.drafts : new Map();
  who = handle;
  become(new Map([...keptDrafts(tabStorage, handle), ...begun]));
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export interface Draft {
  readonly changes: readonly Change[];
  readonly isKept: boolean;
  /** In place of what was to be done to the same records. */
  readonly put: (...changes: readonly Change[]) => void;
  /** In place of what was to be added, under whatever name. */
  readonly replace: (kept: Added, change: Change) => void;
  readonly drop: (key: string) => void;
  readonly clear: () => void;
}

export function useDraft({ orgName, repoName }: Named): Draft {
  const name = nameOf({ orgName, repoName });
  const changes = useSyncExternalStore(subscribe, () => state.drafts.get(name) ?? NONE);
  const isKept = useSyncExternalStore(subscribe, () => state.isKept);
  return useMemo(() => {
    const repository = { orgName, repoName };
    const now = () => state.drafts.get(nameOf(repository)) ?? NONE;
    return {
      changes,
      isKept,
      put: (...more) => set(repository, more.reduce(withChange, now())),
      replace: (kept, change) => set(repository, withReplaced(now(), kept, change)),
      drop: (key) => set(repository, withoutChange(now(), key)),
      clear: () => set(repository, NONE),
    };
  }, [changes, isKept, orgName, repoName]);
}
