// Collections in the model: their permitted members and their data.
import type { ModelRef } from './state.ts';

export type CollectionType = 'arc' | 'bond' | 'set' | 'list' | 'pair';

interface CollectionRule {
  readonly shapeName: string;
  readonly places: readonly string[];
  readonly size?: number;
  readonly isOrdered: boolean;
}

export const COLLECTION_RULES: Readonly<Record<CollectionType, CollectionRule>> = {
  arc: { shapeName: 'Arc', places: ['from', 'to'], size: 2, isOrdered: true },
  bond: { shapeName: 'Bond', places: ['ends'], size: 2, isOrdered: false },
  set: { shapeName: 'Set', places: ['members'], isOrdered: false },
  list: { shapeName: 'List', places: ['items'], isOrdered: true },
  pair: { shapeName: 'Pair', places: ['first', 'second'], size: 2, isOrdered: true },
};

export function collectionTypeOf(shapeName: string): CollectionType | undefined {
  const types = Object.keys(COLLECTION_RULES) as CollectionType[];
  return types.find((type) => COLLECTION_RULES[type].shapeName === shapeName);
}

/** Sorts the members of a collection whose order has no meaning. */
export function arranged(type: CollectionType, members: readonly ModelRef[]): readonly ModelRef[] {
  return COLLECTION_RULES[type].isOrdered ? members : members.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

export function isAllowed(type: CollectionType, members: readonly ModelRef[]): boolean {
  const { size, isOrdered } = COLLECTION_RULES[type];
  const isUnique = new Set(members.map(keyOf)).size === members.length;
  return (size === undefined || members.length === size) && (isOrdered || isUnique);
}

export function collectionData(type: CollectionType, members: readonly unknown[]): Readonly<Record<string, unknown>> {
  const [first = '', second] = COLLECTION_RULES[type].places;
  return second === undefined ? { [first]: members } : { [first]: members[0], [second]: members[1] };
}

export function derivedKey(type: CollectionType, members: readonly ModelRef[]): string {
  return `${type} ${arranged(type, members).map(keyOf).join(' ')}`;
}

const keyOf = ({ repo, id }: ModelRef) => `${repo}${id}`;
