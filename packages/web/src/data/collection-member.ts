// The members of a collection: fields of a form, and one list for the server.
import type { RecordItem } from '@cairn/sdk';
import { isObject } from './declaration.ts';

export type CollectionType = NonNullable<RecordItem['collection']>;

/** Where the data of a collection has its members, in order. */
const PLACES: Readonly<Record<CollectionType, readonly string[]>> = {
  arc: ['from', 'to'],
  bond: ['ends'],
  set: ['members'],
  list: ['items'],
  pair: ['first', 'second'],
};

/** Each member with its field. */
function placedOf(type: CollectionType, data: unknown) {
  const fields = isObject(data) ? data : {};
  return PLACES[type].flatMap((field) => [fields[field] ?? []].flat().map((member) => ({ field, member })));
}

export const membersOf = (type: CollectionType, data: unknown): readonly unknown[] =>
  placedOf(type, data).map(({ member }) => member);

/** The fields that something is said of: those of one member by its place, or else those that have none. */
export function memberFields(type: CollectionType, data: unknown, place?: number): readonly string[] {
  const placed = placedOf(type, data);
  const one = place === undefined ? undefined : placed[place];
  if (one !== undefined) return [one.field];
  const empty = PLACES[type].filter((field) => placed.every((other) => other.field !== field));
  return empty.length > 0 ? empty : PLACES[type].slice(-1);
}
