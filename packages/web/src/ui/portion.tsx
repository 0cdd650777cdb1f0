// Lists of any length are shown by portions: what is not asked for is not drawn.
import { useState } from 'react';

const PORTION = 100;

export interface Portion<Item> {
  readonly shown: readonly Item[];
  /** How many are not shown yet. */
  readonly left: number;
  readonly more: () => void;
}

/** The first of the items, and another portion each time that more is asked for. */
export function usePortion<Item>(items: readonly Item[], size = PORTION): Portion<Item> {
  const [most, setMost] = useState(size);
  return {
    shown: items.length > most ? items.slice(0, most) : items,
    left: Math.max(0, items.length - most),
    more: () => setMost((before) => before + size),
  };
}

/** Nothing, when nothing is left. */
export function ShowMore({ left, more, what }: { left: number; more: () => void; what: string }) {
  if (left === 0) return null;
  return (
    <button type="button" className="small" onClick={more}>
      Show more: {left.toLocaleString('en')} {what} left
    </button>
  );
}
