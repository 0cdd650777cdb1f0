// A store of the tab, readable at once and saved for its owner.
import { type Entries, keep, keptAt, type Move, movedAlong } from './kept.ts';

interface State<Value> {
  readonly entries: Entries<Value>;
  readonly isKept: boolean;
}

interface TabStore<Value> {
  readonly state: () => State<Value>;
  readonly set: (name: string, value: Value | undefined) => void;
  readonly move: (move: Move) => void;
  /** Called whenever the viewer is known: restores their entries, and drops those of others. */
  readonly open: (handle: string) => void;
  readonly subscribe: (listener: () => void) => () => void;
}

const tabStorage = () => window.sessionStorage;

export function tabStore<Value>(key: string): TabStore<Value> {
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
    set: (name, value) => {
      const next = new Map(state.entries);
      if (value === undefined) next.delete(name);
      else next.set(name, value);
      become(next);
    },
    move: (move) => become(movedAlong(state.entries, move)),
    open: (handle) => {
      if (handle === who) return;
      const begun: Entries<Value> = who === undefined ? state.entries : new Map();
      who = handle;
      become(new Map([...keptAt<Value>({ open: tabStorage, key, who }), ...begun]));
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
