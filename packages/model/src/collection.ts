// Collections: records that group others. Each type has a built-in shape that determines the fields of the members.

import { pointerTo } from '@cairn/model/json-pointer';
import { COLLECTION_TYPES } from '@cairn/protocol/vocabulary';
import { isJsonObject } from './json.ts';

export type CollectionType = (typeof COLLECTION_TYPES)[number];

interface CollectionRule {
  readonly shapeName: string;
  /** Two fields of one member each, or one field with all of them. */
  readonly places: readonly [string, string] | string;
  /** `undefined` means any number of members. */
  readonly size: number | undefined;
  readonly ordered: boolean;
  /** True if one record may be a member twice. */
  readonly repeats: boolean;
}

export const COLLECTIONS: Readonly<Record<CollectionType, CollectionRule>> = {
  arc: { shapeName: 'Arc', places: ['from', 'to'], size: 2, ordered: true, repeats: true },
  bond: { shapeName: 'Bond', places: 'ends', size: 2, ordered: false, repeats: false },
  set: { shapeName: 'Set', places: 'members', size: undefined, ordered: false, repeats: false },
  list: { shapeName: 'List', places: 'items', size: undefined, ordered: true, repeats: true },
  pair: { shapeName: 'Pair', places: ['first', 'second'], size: 2, ordered: true, repeats: true },
};

export const COLLECTION_TYPE_OF: ReadonlyMap<string, CollectionType> = new Map(
  COLLECTION_TYPES.map((type) => [COLLECTIONS[type].shapeName, type]),
);

export function collectionData(type: CollectionType, members: readonly string[]): Readonly<Record<string, unknown>> {
  const { places } = COLLECTIONS[type];
  if (typeof places === 'string') return { [places]: members };
  return Object.fromEntries(places.map((place, index) => [place, members[index]]));
}

export function memberPath(type: CollectionType, index: number): string {
  const { places } = COLLECTIONS[type];
  return typeof places === 'string' ? pointerTo(pointerTo('', places), index) : pointerTo('', places[index] ?? '');
}

/** The members in well-formed data, and the keys of all other fields. */
export function membersIn(type: CollectionType, data: Readonly<Record<string, unknown>>) {
  const fields = memberFields(type);
  const members = fields.flatMap((field) => data[field] as string | string[]);
  return { members, others: Object.keys(data).filter((key) => !fields.includes(key)) };
}

export function memberFields(type: CollectionType): readonly string[] {
  return [COLLECTIONS[type].places].flat();
}

interface PlacedMember {
  readonly field: string;
  /** Without a leading slash. */
  readonly path: string;
  readonly member: unknown;
}

/** The members in data that may be incomplete, in order and each with its location. */
export function placedMembers(type: CollectionType, data: unknown): PlacedMember[] {
  const fields = isJsonObject(data) ? data : {};
  return memberFields(type).flatMap((field): PlacedMember[] => {
    const value = fields[field] ?? [];
    if (!Array.isArray(value)) return [{ field, path: field, member: value }];
    return value.map((member: unknown, index) => ({ field, path: `${field}/${index}`, member }));
  });
}
