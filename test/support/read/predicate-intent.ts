// Random conditions on fields. Most are valid for the shape and use values of existing records.
import { WHERE_OPS, type WhereOp } from '@cairn/protocol/read';
import type { RecordItem } from '@cairn/protocol/record';
import fc from 'fast-check';
import type { FieldType } from './field.ts';
import { isObject, pointerOf, referenceAt, stepsOf, valueAt } from './path.ts';
import { declaredType, OPS } from './predicate.ts';
import type { WorldReader } from './reader.ts';
import type { SentPredicate } from './request.ts';
import { NUMBERS, TEXTS } from './value.ts';

export interface PredicateIntent {
  readonly path: number;
  readonly op: number;
  readonly values: readonly number[];
  /** 0 to 2: a mistake in the path, the operator or the value. 3 or more: no mistake. */
  readonly slip: number;
  readonly isPooled: boolean;
  readonly isShort: boolean;
}

const nat = fc.noBias(fc.nat(10_000));

export const predicateIntents: fc.Arbitrary<PredicateIntent> = fc.record({
  path: nat,
  op: nat,
  values: fc.array(nat, { minLength: 1, maxLength: 3 }),
  slip: fc.noBias(fc.nat(60)),
  isPooled: fc.integer({ min: 0, max: 3 }).map((dice) => dice === 0),
  isShort: fc.boolean(),
});

export interface PredicateSource {
  readonly owner: WorldReader;
  readonly view: readonly RecordItem[];
  readonly shape: { readonly name: string; readonly item: RecordItem | undefined };
  readonly mayLeave: boolean;
}

export function writePredicate(intent: PredicateIntent, source: PredicateSource): SentPredicate {
  const { item } = source.shape;
  const paths = item === undefined ? [] : pathsIn(item.data);
  const path = paths.length === 0 || intent.slip === 0 ? 'nothing' : at(paths, intent.path);
  const type = declaredType(item?.data, path) ?? 'string';
  const op = intent.slip === 1 ? at(WHERE_OPS, intent.op) : at(OPS[type], intent.op);
  const rhs = rhsOf(op, intent, { ...source, path, type: intent.slip === 2 ? 'json' : type });
  const predicate = { fieldPath: path, op, ...(rhs !== undefined && { rhs }) };
  return { ...predicate, form: intent.isShort && canBeShort(predicate, type) ? 'short' : 'json' };
}

function pathsIn(shapeData: unknown): string[] {
  const fields = isObject(shapeData) && isObject(shapeData.fields) ? shapeData.fields : {};
  return Object.entries(fields).flatMap(([key, definition]) => {
    const name = key.replace(/\?$/, '');
    const isNested = isObject(definition) && typeof definition.type !== 'string';
    const nested = isNested ? Object.keys(definition).map((inner) => [name, inner.replace(/\?$/, '')]) : [];
    return [[name], ...nested].flatMap((steps) => {
      const dotted = steps.some((step) => step.includes('.') || step.startsWith('/')) ? [] : [steps.join('.')];
      return [pointerOf(steps), ...dotted];
    });
  });
}

interface ValueSource extends PredicateSource {
  readonly path: string;
  readonly type: FieldType;
}

function rhsOf(op: WhereOp, { values, isPooled }: PredicateIntent, source: ValueSource): unknown {
  const [first = 0] = values;
  if (op === 'exists') return at([undefined, true, false], first);
  const pool = isPooled ? [] : valuesAt(source);
  const one = (pick: number) => (pool.length === 0 ? pooled(source, pick) : at(pool, pick));
  if (op === 'in') return values.map(one);
  const value = one(first);
  return op === 'prefix' && typeof value === 'string' ? [...value].slice(0, first % 300).join('') : value;
}

function valuesAt({ view, shape, path, type }: ValueSource): unknown[] {
  const steps = stepsOf(path);
  const items = view.filter(({ shapeName }) => shapeName === shape.name);
  if (type === 'wref') return items.flatMap((item) => wrefsOf(item, steps));
  return items.map(({ data }) => valueAt(data, steps)).filter((value) => typeof value === type);
}

function wrefsOf(item: RecordItem, steps: readonly string[]): string[] {
  const reference = referenceAt(item, steps);
  if (reference === undefined) return [];
  const text = String(valueAt(item.data, steps));
  // References to other repositories can only be compared in reads without a sequence.
  if (text.startsWith('wh:')) return [];
  const { durableId, version } = reference;
  return [text, text.replace(/@v\d+$/, ''), durableId, `${durableId}@v${version}`, `${durableId}@ALL`];
}

function pooled({ owner, view, type, mayLeave }: ValueSource, pick: number): unknown {
  switch (type) {
    case 'string':
      return at(TEXTS, pick);
    case 'number':
      return at(NUMBERS, pick);
    case 'boolean':
      return pick % 2 === 0;
    case 'wref':
      return mayLeave && pick % 3 === 0
        ? at(owner.world.elsewhere, pick)
        : (view[pick % view.length]?.name ?? 'Alpha/a');
    default:
      return at([{}, null, [1], true, 'text', 3], pick);
  }
}

/** Short text is parsed as the field's type, and a list is split at its commas. */
function canBeShort({ op, rhs }: { op: WhereOp; rhs?: unknown }, type: FieldType): boolean {
  if (op === 'exists') return true;
  const fits = (value: unknown) => typeof value === (type === 'wref' ? 'string' : type) && !Object.is(value, -0);
  if (op !== 'in') return fits(rhs);
  const isOne = (value: unknown) => fits(value) && value !== '' && !String(value).includes(',');
  return Array.isArray(rhs) && rhs.every(isOne);
}

export function at<Item>(items: readonly Item[], pick: number): Item {
  const item = items[pick % items.length];
  if (item === undefined && !items.includes(item as Item)) throw new Error('there is nothing to pick from');
  return item as Item;
}
