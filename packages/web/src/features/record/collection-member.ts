// The members of a collection: fields of a form, and one list for the server.
import type { RecordItem } from '@cairn/sdk';
import { isObject } from '../shape/declaration.ts';

export type CollectionType = NonNullable<RecordItem['collection']>;

/** Where the data of a collection has its members, in order. */
const PLACES: Readonly<Record<CollectionType, readonly string[]>> = {
  arc: ['from', 'to'],
  bond: ['ends'],
  set: ['members'],
  list: ['items'],
  pair: ['first', 'second'],
};

/** Each member with its field, and where it has several, with its place there. */
function placedOf(type: CollectionType, data: unknown) {
  const fields = isObject(data) ? data : {};
  return PLACES[type].flatMap((field) => {
    const value = fields[field] ?? [];
    if (!Array.isArray(value)) return [{ field, path: field, member: value }];
    return value.map((member: unknown, index) => ({ field, path: `${field}/${index}`, member }));
  });
}

export const membersOf = (type: CollectionType, data: unknown): readonly unknown[] =>
  placedOf(type, data).map(({ member }) => member);

interface SaidOf {
  readonly path: string;
  /** Whether nothing is chosen there, and one is to be. */
  readonly isUnchosen: boolean;
}

/** What something is said of: one member by its place, or else the fields that have none. */
export function memberPaths(type: CollectionType, data: unknown, place?: number): readonly SaidOf[] {
  const placed = placedOf(type, data);
  const one = place === undefined ? undefined : placed[place];
  if (one !== undefined) return [{ path: one.path, isUnchosen: false }];
  const empty = PLACES[type].filter((field) => placed.every((other) => other.field !== field));
  const told = empty.length > 0 ? empty : PLACES[type].slice(-1);
  return told.map((path) => ({ path, isUnchosen: empty.length > 0 && PLACES[type].length > 1 }));
}
