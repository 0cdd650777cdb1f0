// Where in data the fields of a kind are: wrefs, which are resolved and pinned, and indexed fields.
import { pointerTo } from './json-pointer.ts';
import { isJsonObject, ownValue } from './json-value.ts';
import type { Field, Fields, Shape } from './shape.ts';

/** A step of a path that stands for every item of an array. */
export const EACH_ITEM = Symbol('each item');
export type PathStep = string | typeof EACH_ITEM;

export interface WrefPath {
  readonly steps: readonly PathStep[];
  /** The shapes that a target may have; undefined means any. */
  readonly shapes: readonly string[] | undefined;
}

export interface IndexedField {
  /** A JSON pointer: no indexed field is inside an array. */
  readonly path: string;
  readonly type: 'string' | 'number' | 'boolean' | 'wref';
}

export interface FoundValue {
  readonly path: string;
  readonly value: unknown;
}

interface PlacedField {
  readonly steps: readonly PathStep[];
  readonly field: Field;
}

export function wrefPaths(shape: Shape): WrefPath[] {
  return placedFields(shape.fields, []).flatMap(({ steps, field }) =>
    field.type === 'wref' ? [{ steps, shapes: field.shapes }] : [],
  );
}

export function indexedFields(shape: Shape): IndexedField[] {
  return placedFields(shape.fields, []).flatMap(({ steps, field }) =>
    'indexed' in field && field.indexed
      ? [{ path: steps.map(String).reduce<string>(pointerTo, ''), type: field.type }]
      : [],
  );
}

function placedFields(fields: Fields, steps: readonly PathStep[]): PlacedField[] {
  return [...fields].flatMap(([name, field]) => withMembers({ steps: [...steps, name], field }));
}

function withMembers(placed: PlacedField): PlacedField[] {
  const { steps, field } = placed;
  if (field.type === 'object') return [placed, ...placedFields(field.fields, steps)];
  if (field.type !== 'array' || field.items === undefined) return [placed];
  return [placed, ...withMembers({ steps: [...steps, EACH_ITEM], field: field.items })];
}

/** Every value at a path, with the pointer to it. Absent and null ones are left out. */
export function valuesAlong(data: unknown, steps: readonly PathStep[]): FoundValue[] {
  let found: FoundValue[] = [{ path: '', value: data }];
  for (const step of steps) found = found.flatMap((parent) => membersOf(parent, step));
  return found.filter(({ value }) => value !== undefined && value !== null);
}

function membersOf({ path, value }: FoundValue, step: PathStep): FoundValue[] {
  if (step === EACH_ITEM) {
    return Array.isArray(value) ? value.map((item, index) => ({ path: pointerTo(path, index), value: item })) : [];
  }
  return isJsonObject(value) ? [{ path: pointerTo(path, step), value: ownValue(value, step) }] : [];
}
