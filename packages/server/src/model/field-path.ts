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
  const found: FoundValue[] = [];
  visitAlong(data, steps, (value, tokens) => {
    found.push({ path: tokens.reduce<string>(pointerTo, ''), value });
  });
  return found;
}

type VisitValue = (value: unknown, tokens: readonly (string | number)[]) => void;

/** The same without making anything for values that are not there: most records have few references, or none. */
export function visitAlong(data: unknown, steps: readonly PathStep[], visit: VisitValue): void {
  walk(data, { steps, visit, tokens: [] });
}

interface Walk {
  readonly steps: readonly PathStep[];
  readonly visit: VisitValue;
  /** How the walk has come here. */
  readonly tokens: (string | number)[];
}

function walk(value: unknown, path: Walk): void {
  if (value === undefined || value === null) return;
  const { steps, visit, tokens } = path;
  const step = steps[tokens.length];
  if (step === undefined) visit(value, tokens);
  else if (step !== EACH_ITEM) enter(isJsonObject(value) ? ownValue(value, step) : undefined, step, path);
  else if (Array.isArray(value)) for (let index = 0; index < value.length; index++) enter(value[index], index, path);
}

function enter(value: unknown, token: string | number, path: Walk): void {
  path.tokens.push(token);
  walk(value, path);
  path.tokens.pop();
}
