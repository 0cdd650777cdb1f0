// What is begun outlives the page in the storage of its tab: it is loaded anew without losing it. It is for who wrote it alone.

/** By name. */
export type Entries<Value> = ReadonlyMap<string, Value>;

export interface Place {
  /** Some browsers refuse even to give it. */
  readonly open: () => Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  readonly key: string;
  readonly who: string;
}

interface Kept<Value> {
  readonly who: string;
  readonly entries: readonly [string, Value][];
}

export interface Move {
  /** An organization, or a repository with its organization's name before it. */
  readonly from: string;
  readonly to: string;
}

/** Their names begin with that of a repository, and follow it to another. */
export function movedAlong<Value>(entries: Entries<Value>, { from, to }: Move): Entries<Value> {
  const isOf = (name: string) => name.startsWith(from) && ['', '/', ' '].includes(name.charAt(from.length));
  return new Map([...entries].map(([name, value]) => [isOf(name) ? to + name.slice(from.length) : name, value]));
}

/** Whether they are kept now: there is no room for what is large. */
export function keep<Value>({ open, key, who }: Place, entries: Entries<Value>): boolean {
  try {
    const storage = open();
    // What is too large must not leave older ones behind, which would come back in its place.
    storage.removeItem(key);
    const kept: Kept<Value> = { who, entries: [...entries] };
    if (entries.size > 0) storage.setItem(key, JSON.stringify(kept));
    return true;
  } catch {
    return false;
  }
}

/** Those of somebody else are dropped. */
export function keptAt<Value>({ open, key, who }: Place): Entries<Value> {
  try {
    const storage = open();
    const kept = JSON.parse(storage.getItem(key) ?? 'null') as Kept<Value> | null;
    if (kept?.who === who) return new Map(kept.entries);
    storage.removeItem(key);
  } catch {
    // Then there are none.
  }
  return new Map();
}
