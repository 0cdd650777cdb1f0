// What is begun in this tab, by name. It is known to the pages at once, and kept for who began it.
import { type Entries, keep, keptAt, type Move, movedAlong } from './kept.ts';

interface State<Value> {
  readonly entries: Entries<Value>;
  /** Whether they would be there again if the page were loaded anew. */
  readonly isKept: boolean;
}

export interface TabStore<Value> {
  readonly state: () => State<Value>;
  /** `undefined` leaves it out. */
  readonly set: (name: string, value: Value | undefined) => void;
  /** Told when what they are about has another name. */
  readonly move: (move: Move) => void;
  /** Told whenever it is found out who looks: what was kept for them is there again, and what is somebody else's is dropped. */
  readonly open: (handle: string) => void;
  readonly subscribe: (listener: () => void) => () => void;
}

const tabStorage = () => window.sessionStorage;

export function tabStore<Value>(key: string): TabStore<Value> {
  /** Whose they are: a handle, or nothing for nobody. Not known until the server has said so. */
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
