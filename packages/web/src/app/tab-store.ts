// A store of the tab, readable at once and saved for its owner.
import { type Entries, keep, keptAt, type Move, movedAlong } from './kept.ts';

interface State<Value> {
  readonly entries: Entries<Value>;
  readonly isKept: boolean;
}

const tabStorage = () => window.sessionStorage;

export function tabStore<Value>(key: string) {
  /** A handle, or '' for nobody; undefined until the server has said so. */
  let who: string | undefined;
  let state: State<Value> = { entries: new Map(), isKept: true };
  const listeners = new Set<() => void>();
  const become = (entries: Entries<Value>) => {
    state = { entries, isKept: who !== undefined && keep({ open: tabStorage, key, who }, entries) };
    for (const listener of listeners) listener();
  };
  return {
    state: () => state,
    set: (name: string, value: Value | undefined) => {
      const next = new Map(state.entries);
      if (value === undefined) next.delete(name);
      else next.set(name, value);
      become(next);
    },
    move: (move: Move) => become(movedAlong(state.entries, move)),
    /** Called whenever the viewer is known: restores their entries, and drops those of others. */
    open: (handle: string) => {
      if (handle === who) return;
      const begun: Entries<Value> = who === undefined ? state.entries : new Map();
      who = handle;
      become(new Map([...keptAt<Value>({ open: tabStorage, key, who }), ...begun]));
    },
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
