import { type CollectionType, memberFields, placedMembers } from '@cairn/model/collection';
import { valueAt } from '@cairn/model/json';
import { unpinWref } from '@cairn/model/wref';
import type { RecordItem } from '@cairn/sdk';

export const NAME_MOST = 1_000;

const isHere = (wref: unknown): boolean => typeof wref === 'string' && !wref.startsWith('wh:');

export const targetHere = (wref: unknown, durableId: string | undefined): string | undefined =>
  durableId !== undefined && isHere(wref) ? unpinWref(durableId) : undefined;

export function targetsOf({
  data,
  refs = [],
  aboutWref,
  aboutDurableId,
}: Pick<RecordItem, 'data' | 'refs' | 'aboutWref' | 'aboutDurableId'>): string[] {
  const inData = refs.filter(([pointer]) => isHere(valueAt(data, pointer))).map(([, id]) => id);
  const about = aboutDurableId !== undefined && isHere(aboutWref) ? [aboutDurableId] : [];
  return [...new Set([...about, ...inData].map(unpinWref))];
}

export const membersOf = (type: CollectionType, data: unknown): readonly unknown[] =>
  placedMembers(type, data).map(({ member }) => member);

interface SaidOf {
  readonly path: string;
  readonly isUnchosen: boolean;
}

export function memberPaths(type: CollectionType, data: unknown, place?: number): readonly SaidOf[] {
  const placed = placedMembers(type, data);
  const one = place === undefined ? undefined : placed[place];
  if (one !== undefined) return [{ path: one.path, isUnchosen: false }];
  const empty = memberFields(type).filter((field) => placed.every((other) => other.field !== field));
  const told = empty.length > 0 ? empty : memberFields(type).slice(-1);
  return told.map((path) => ({ path, isUnchosen: empty.length > 0 && memberFields(type).length > 1 }));
}

export const isContainer = (data: unknown): data is object => typeof data === 'object' && data !== null;

export const entriesOf = (data: unknown): readonly (readonly [string, unknown])[] =>
  isContainer(data) ? Object.entries(data) : [];

export function sizeOf(data: unknown): number {
  if (Array.isArray(data)) return data.length;
  return isContainer(data) ? Object.keys(data).length : 0;
}

export function sizeWords(data: unknown): string {
  const size = sizeOf(data);
  const what = Array.isArray(data) ? 'item' : 'field';
  return `${size.toLocaleString('en')} ${what}${size === 1 ? '' : 's'}`;
}

const OPEN_DEPTH = 3;
const OPEN_ENTRIES = 20;

export const isOpenAtFirst = (data: unknown, depth: number): boolean =>
  depth < OPEN_DEPTH && sizeOf(data) <= OPEN_ENTRIES;
