// The orders that lists can have, in words.
import type { Order } from '@cairn/protocol/vocabulary';

export const ORDER_WORDS: Readonly<Record<Order, string>> = {
  created: 'Oldest first',
  '-created': 'Newest first',
  updated: 'Longest unchanged first',
  '-updated': 'Latest changes first',
  name: 'By name',
};

/** What is found by words comes in the order of how well it fits, unless another is chosen. */
export const BEST_FIRST = 'Best match first';
export const DEFAULT_ORDER: Order = 'created';

/** The order in which the records of a search stand. */
export function orderWords({ order, q }: { readonly order?: Order; readonly q?: string }): string {
  if (order !== undefined) return ORDER_WORDS[order];
  return q === undefined ? ORDER_WORDS[DEFAULT_ORDER] : BEST_FIRST;
}
