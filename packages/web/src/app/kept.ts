// Drafts survive a reload in the tab's session storage, for the person who wrote them alone.

export type Entries<Value> = ReadonlyMap<string, Value>;

export interface StorageKey {
  /** Some browsers throw on access to the storage itself. */
  readonly open: () => Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  readonly key: string;
  readonly who: string;
}

interface Kept<Value> {
  readonly who: string;
  readonly entries: readonly [string, Value][];
}

export interface Move {
  readonly from: string;
  readonly to: string;
}

export function movedAlong<Value>(entries: Entries<Value>, { from, to }: Move): Entries<Value> {
  const isOf = (name: string) => name.startsWith(from) && ['', '/', ' '].includes(name.charAt(from.length));
  return new Map([...entries].map(([name, value]) => [isOf(name) ? to + name.slice(from.length) : name, value]));
}

export function keep<Value>({ open, key, who }: StorageKey, entries: Entries<Value>): boolean {
  try {
    const storage = open();
    // If the new text does not fit, the old one must not come back in its place.
    storage.removeItem(key);
    const kept: Kept<Value> = { who, entries: [...entries] };
    if (entries.size > 0) storage.setItem(key, JSON.stringify(kept));
    return true;
  } catch {
    return false;
  }
}

export function keptAt<Value>({ open, key, who }: StorageKey): Entries<Value> {
  try {
    const storage = open();
    const kept = JSON.parse(storage.getItem(key) ?? 'null') as Kept<Value> | null;
    if (kept?.who === who) return new Map(kept.entries);
    storage.removeItem(key);
  } catch {}
  return new Map();
}
