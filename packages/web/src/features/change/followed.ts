// What a draft names has another name by now, given by somebody else or in the draft: which name that is, and the draft with it.

import { membersOf } from '../record/collection-member.ts';
import { valueAt } from '../record/target.ts';
import { NAME_MOST, placeOf } from '../record/wref.ts';
import { type Added, type Change, isNamed, keyOf, withChange } from './change.ts';
import type { Refusal } from './refusal.ts';
import { isDetail } from './refusal-text.ts';

/** The name under which the server has found nothing; `undefined` where it was refused for something else. */
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
  typeof wref === 'string' && placeOf(wref).orgName === undefined ? placeOf(wref).name : undefined;

/** How the server says so among other mistakes. */
const NO_RECORD = /^There is no record /;

/** What the server has not found may only be called otherwise by now: to add it would be to have it twice. */
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
      return { ...detail, message: `${missing} was renamed: it is called ${present} now.` };
    }),
  );
  return { ...refusal, details: told };
}

export interface Rename {
  readonly from: string;
  readonly to: string;
  /** The key of a change whose data refers to it. */
  readonly referredBy?: string;
}

/** Whether it is the data that names what the server has not found. */
export const isReferred = ({ code, details }: Refusal): boolean =>
  code === 'TARGET_NOT_FOUND' &&
  Array.isArray(details) &&
  isDetail(details[0]) &&
  !['/name', '/about'].includes(details[0].path);

/** Under the present name. Where that is of a shape, all records of it have another name too. */
export function withFollowed(changes: readonly Change[], rename: Rename): readonly Change[] {
  const shape = shapeRename(rename);
  const called = (name: string) => {
    if (name === rename.from) return rename.to;
    return name.startsWith(`${shape.from}/`) ? `${shape.to}${name.slice(shape.from.length)}` : name;
  };
  // Texts that are the very name; what only begins like it may be anything. That of a shape is more often a word.
  const inData = (change: Change) => (data: unknown) => {
    if (kindOf(change) === 'shape') return withTargets(data, called);
    const isMeant = rename.from.includes('/') || rename.referredBy === keyOf(change);
    return isMeant ? withReferences(data, (name) => (name === rename.from ? rename.to : name)) : data;
  };
  return changes.map((change) => withNames(change, called, inData(change))).reduce(withChange, [] as readonly Change[]);
}

/**
 * In place of one whose name was only drafted. What is drafted with it follows to another name: of a shape, its records, and what
 * refers to them.
 */
export function withReplaced(changes: readonly Change[], kept: Added, change: Change): readonly Change[] {
  const others = changes.filter((one) => keyOf(one) !== keyOf(kept));
  const { name: from } = kept;
  const { name: to } = change;
  const ofShape = others.filter(({ name }) => kept.kind === 'shape' && name.startsWith(`${from}/`));
  const names = new Map(ofShape.map(({ name }) => [name, `${to}${name.slice(from.length)}`]));
  if (isNamed(kept)) names.set(from, to);
  const called = (name: string) => names.get(name) ?? name;
  return changes.map((one) => {
    if (keyOf(one) === keyOf(kept)) return change;
    return withNames(one, called, (data) =>
      kindOf(one) === 'shape'
        ? withTargets(data, called)
        : // A text that is the name of a shape is more often a word.
          withReferences(data, (name) => (name.includes('/') ? called(name) : name)),
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

/** Of a record that is called otherwise only because its shape is: what became of that. */
function shapeRename({ from, to }: Rename): Rename {
  const [fromShape = '', ...fromOwn] = from.split('/');
  const [toShape = '', ...toOwn] = to.split('/');
  return fromShape !== toShape && fromOwn.join('/') === toOwn.join('/')
    ? { from: fromShape, to: toShape }
    : { from, to };
}

const atPresent = (wref: string, called: Called): string => {
  const { orgName, name } = placeOf(wref);
  return orgName === undefined ? `${called(name)}${wref.slice(name.length)}` : wref;
};

const withReferences = (data: unknown, meant: Called): unknown =>
  mapped(data, (part) => (typeof part === 'string' && part.length <= NAME_MOST ? atPresent(part, meant) : part));

/** Of a shape: what its fields may refer to. */
const withTargets = (data: unknown, called: Called): unknown =>
  mapped(data, (part, key) =>
    key === 'shape' ? mapped(part, (name) => (typeof name === 'string' ? called(name) : name)) : part,
  );

/** All within it, by what stands for each part. */
function mapped(data: unknown, each: (part: unknown, key: string) => unknown, key = ''): unknown {
  const part = each(data, key);
  if (Array.isArray(part)) return part.map((one) => mapped(one, each));
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(Object.entries(part).map(([name, one]) => [name, mapped(one, each, name)]));
}
