// Follows renames within a draft, and merges concurrent edits.
import { isJsonObject, type JsonObject, valueAt } from '@cairn/model/json';
import { findDifferences } from '@cairn/model/json-pointer';
import { splitWref } from '@cairn/model/wref';
import { isDetail } from '../../ui/refusal-text.ts';
import { membersOf, NAME_MOST } from '../record/wref.ts';
import { type Added, type Change, changeKey, isNamed, withChange } from './change.ts';
import type { Refusal } from './refusal.ts';

/** `undefined` if the refusal has another reason. */
export function missingNameOf(change: Change, { code, details }: Refusal): string | undefined {
  if (code === 'NOT_FOUND' && change.step !== 'add') return change.name;
  if (code !== 'TARGET_NOT_FOUND' || !Array.isArray(details) || !isDetail(details[0])) return undefined;
  const { path } = details[0];
  if (path === '/name') return change.name.split('/')[0];
  if (path === '/about' && change.step === 'add' && change.about !== undefined) return nameIn(change.about);
  return nameAt(change, path);
}

function nameAt(change: Change, path: string): string | undefined {
  if (!('data' in change)) return undefined;
  const [, member] = /^\/members\/(\d+)$/.exec(path) ?? [];
  const isMember = change.step === 'add' && change.collection !== undefined && member !== undefined;
  return nameIn(isMember ? membersOf(change.collection, change.data)[Number(member)] : valueAt(change.data, path));
}

const nameIn = (wref: unknown): string | undefined =>
  typeof wref === 'string' && splitWref(wref).orgName === undefined ? splitWref(wref).name : undefined;

const NO_RECORD = /^There is no record /;

/** Explains refusals by renames: adding the record again would duplicate it. */
export async function withPresentNames(
  change: Change,
  refusal: Refusal,
  presentNameOf: (name: string) => Promise<string | undefined>,
): Promise<Refusal> {
  const { code, details } = refusal;
  if (!Array.isArray(details)) return refusal;
  const told = await Promise.all(
    details.filter(isDetail).map(async (detail) => {
      const isAmongOthers = code === 'SHAPE_MISMATCH' && NO_RECORD.test(detail.message);
      const missing = isAmongOthers
        ? nameAt(change, detail.path)
        : missingNameOf(change, { ...refusal, details: [detail] });
      const present = missing === undefined ? undefined : await presentNameOf(missing);
      if (present === undefined || present === missing) return detail;
      return { ...detail, message: `${missing} was renamed to ${present}.` };
    }),
  );
  return { ...refusal, details: told };
}

export interface Rename {
  readonly from: string;
  readonly to: string;
  readonly referredBy?: string;
}

export const isReferred = ({ code, details }: Refusal): boolean =>
  code === 'TARGET_NOT_FOUND' &&
  Array.isArray(details) &&
  isDetail(details[0]) &&
  !['/name', '/about'].includes(details[0].path);

/** A renamed shape also renames its records. */
export function withFollowed(changes: readonly Change[], rename: Rename): readonly Change[] {
  const shape = shapeRename(rename);
  const called = (name: string) => {
    if (name === rename.from) return rename.to;
    return name.startsWith(`${shape.from}/`) ? `${shape.to}${name.slice(shape.from.length)}` : name;
  };
  // Only exact names are followed. A bare shape name is more often an ordinary word.
  const inData = (change: Change) => (data: unknown) => {
    if (kindOf(change) === 'shape') return withTargets(data, called);
    const isMeant = rename.from.includes('/') || rename.referredBy === changeKey(change);
    return isMeant ? withReferences(data, (name) => (name === rename.from ? rename.to : name)) : data;
  };
  return changes.map((change) => withNames(change, called, inData(change))).reduce(withChange, [] as readonly Change[]);
}

export function withReplaced(changes: readonly Change[], kept: Added, change: Change): readonly Change[] {
  const others = changes.filter((one) => changeKey(one) !== changeKey(kept));
  const { name: from } = kept;
  const { name: to } = change;
  const ofShape = others.filter(({ name }) => kept.kind === 'shape' && name.startsWith(`${from}/`));
  const names = new Map(ofShape.map(({ name }) => [name, `${to}${name.slice(from.length)}`]));
  if (isNamed(kept)) names.set(from, to);
  const called = (name: string) => names.get(name) ?? name;
  return changes.map((one) => {
    if (changeKey(one) === changeKey(kept)) return change;
    return withNames(one, called, (data) =>
      kindOf(one) === 'shape'
        ? withTargets(data, called)
        : withReferences(data, (name) => (name.includes('/') ? called(name) : name)),
    );
  });
}

const kindOf = (change: Change) => (change.step === 'add' ? change.kind : change.base.kind);
type Called = (name: string) => string;

function withNames(change: Change, called: Called, inData: (data: unknown) => unknown): Change {
  const name = called(change.name);
  const data = 'data' in change ? { data: inData(change.data) } : {};
  if (change.step === 'add') {
    const about = change.about === undefined ? {} : { about: atPresent(change.about, called) };
    return { ...change, ...data, ...about, name };
  }
  const base = { ...change.base, data: inData(change.base.data) };
  const newName = change.step === 'rename' ? { newName: called(change.newName) } : {};
  return { ...change, ...data, ...newName, base, name };
}

function shapeRename({ from, to }: Rename): Rename {
  const [fromShape = '', ...fromOwn] = from.split('/');
  const [toShape = '', ...toOwn] = to.split('/');
  return fromShape !== toShape && fromOwn.join('/') === toOwn.join('/')
    ? { from: fromShape, to: toShape }
    : { from, to };
}

const atPresent = (wref: string, called: Called): string => {
  const { orgName, name } = splitWref(wref);
  return orgName === undefined ? `${called(name)}${wref.slice(name.length)}` : wref;
};

const withReferences = (data: unknown, meant: Called): unknown =>
  mapped(data, (part) => (typeof part === 'string' && part.length <= NAME_MOST ? atPresent(part, meant) : part));

const withTargets = (data: unknown, called: Called): unknown =>
  mapped(data, (part, key) =>
    key === 'shape' ? mapped(part, (name) => (typeof name === 'string' ? called(name) : name)) : part,
  );

function mapped(data: unknown, each: (part: unknown, key: string) => unknown, key = ''): unknown {
  const part = each(data, key);
  if (Array.isArray(part)) return part.map((one) => mapped(one, each));
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(Object.entries(part).map(([name, one]) => [name, mapped(one, each, name)]));
}

export interface Contested {
  readonly name: string;
  readonly was: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
  readonly changedBy: 'me' | 'them' | 'both';
}

export type Side = 'mine' | 'theirs';

const fieldsOf = (data: unknown): JsonObject => (isJsonObject(data) ? data : {});
const isEqual = (one: unknown, other: unknown): boolean => findDifferences(one, other).length === 0;

export function contestedOf(was: unknown, mine: unknown, theirs: unknown): readonly Contested[] {
  const sides = [was, mine, theirs].map(fieldsOf) as [JsonObject, JsonObject, JsonObject];
  const names = new Set(sides.flatMap((side) => Object.keys(side)));
  return [...names].flatMap((name): Contested[] => {
    const [old, my, their] = sides.map((side) => side[name]);
    if (isEqual(my, their)) return [];
    const changedBy = isEqual(old, my) ? 'them' : isEqual(old, their) ? 'me' : 'both';
    return [{ name, was: old, mine: my, theirs: their, changedBy }];
  });
}

export const sidesAtFirst = (contested: readonly Contested[]): ReadonlyMap<string, Side> =>
  new Map(
    contested.flatMap(({ name, changedBy }): [string, Side][] =>
      changedBy === 'both' ? [] : [[name, changedBy === 'me' ? 'mine' : 'theirs']],
    ),
  );

export function merged(mine: unknown, theirs: unknown, sides: ReadonlyMap<string, Side>): unknown {
  const result: Record<string, unknown> = { ...fieldsOf(theirs) };
  const my = fieldsOf(mine);
  for (const [name, side] of sides) {
    if (side !== 'mine') continue;
    if (Object.hasOwn(my, name)) result[name] = my[name];
    else delete result[name];
  }
  return result;
}
