// Somebody has renamed what a draft names: which name that is, and the draft with the present one.
import { type Change, withChange } from './change.ts';
import type { Refusal } from './refusal.ts';
import { valueAt } from './target.ts';
import { placeOf } from './wref.ts';

/** The name under which the server has found nothing; `undefined` where it was refused for something else. */
export function missingNameOf(change: Change, { code, details }: Refusal): string | undefined {
  if (code === 'NOT_FOUND' && change.step !== 'add') return change.name;
  if (code !== 'TARGET_NOT_FOUND' || !Array.isArray(details)) return undefined;
  const path: unknown = details[0]?.path;
  if (typeof path !== 'string') return undefined;
  if (path === '/name') return change.name.split('/')[0];
  const isAbout = path === '/about' && change.step === 'add' && change.about !== undefined;
  const wref = isAbout ? change.about : 'data' in change ? valueAt(change.data, path) : undefined;
  return typeof wref === 'string' && placeOf(wref).orgName === undefined ? placeOf(wref).name : undefined;
}

export interface Rename {
  readonly from: string;
  readonly to: string;
}

/** Under the present name. Where that is of a shape, all records of it have another name too. */
export function withFollowed(changes: readonly Change[], rename: Rename): readonly Change[] {
  const shape = shapeRename(rename);
  const called = (name: string) => {
    if (name === rename.from) return rename.to;
    return name.startsWith(`${shape.from}/`) ? `${shape.to}${name.slice(shape.from.length)}` : name;
  };
  return changes
    .map((change): Change => {
      const name = called(change.name);
      const data = 'data' in change ? { data: withReferences(change.data, rename) } : {};
      if (change.step === 'add') {
        return {
          ...change,
          ...data,
          name,
          ...(change.about !== undefined && { about: atPresent(change.about, called) }),
        };
      }
      const base = { ...change.base, data: withReferences(change.base.data, rename) };
      const newName = change.step === 'rename' ? { newName: called(change.newName) } : {};
      return { ...change, ...data, ...newName, base, name };
    })
    .reduce(withChange, [] as readonly Change[]);
}

/** Of a record that is called otherwise only because its shape is: what became of that. */
function shapeRename({ from, to }: Rename): Rename {
  const [fromShape = '', ...fromOwn] = from.split('/');
  const [toShape = '', ...toOwn] = to.split('/');
  return fromShape !== toShape && fromOwn.join('/') === toOwn.join('/')
    ? { from: fromShape, to: toShape }
    : { from, to };
}

const atPresent = (wref: string, called: (name: string) => string): string => {
  const { orgName, name } = placeOf(wref);
  return orgName === undefined ? `${called(name)}${wref.slice(name.length)}` : wref;
};

/** Texts that are the very name; what only begins like it may be anything. */
function withReferences(data: unknown, { from, to }: Rename): unknown {
  const called = (name: string) => (name === from ? to : name);
  if (typeof data === 'string') return data.startsWith(from) ? atPresent(data, called) : data;
  if (Array.isArray(data)) return data.map((part) => withReferences(part, { from, to }));
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(Object.entries(data).map(([key, part]) => [key, withReferences(part, { from, to })]));
}
