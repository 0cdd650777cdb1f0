// Drafts outlive the page in the storage of their tab: it is loaded anew without losing them. They are for who wrote them alone.
import type { Change } from '../data/change.ts';

/** By the full name of a repository. */
export type Drafts = ReadonlyMap<string, readonly Change[]>;

/** Some browsers refuse even to give it. */
type OpenStorage = () => Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const KEY = 'cairn-drafts';

interface Kept {
  readonly who: string;
  readonly drafts: readonly [string, readonly Change[]][];
}

/** Whether they are kept now: there is no room for what is large. */
export function keepDrafts(open: OpenStorage, who: string, drafts: Drafts): boolean {
  try {
    const storage = open();
    // What is too large must not leave an older draft behind, which would come back in its place.
    storage.removeItem(KEY);
    const kept: Kept = { who, drafts: [...drafts] };
    if (drafts.size > 0) storage.setItem(KEY, JSON.stringify(kept));
    return true;
  } catch {
    return false;
  }
}

/** Those of somebody else are dropped. */
export function keptDrafts(open: OpenStorage, who: string): Drafts {
  try {
    const storage = open();
    const kept = JSON.parse(storage.getItem(KEY) ?? 'null') as Kept | null;
    if (kept?.who === who) return new Map(kept.drafts);
    storage.removeItem(KEY);
  } catch {
    // Then there are none.
  }
  return new Map();
}
