// Conditions on fields as callers write them, read by what the shape declares.
import { type CairnError, fail } from '@cairn/protocol/errors';
import { pointerTo, pointerTokens } from '@cairn/protocol/json-pointer';
import { WHERE_OPS, type WhereOp, type WherePredicate } from '@cairn/protocol/read';
import { declaredField, type Field, type Shape } from '../shape/shape.rule.ts';
import type { FieldCondition, PointedRecord } from './list/list-request.sql.ts';

const VALUES_MAX = 100;
const SHORT_FORM = new RegExp(`^(.+?):(${WHERE_OPS.join('|')})(?::(.*))?$`, 's');
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** With the values as texts, which mean what the field's type makes of them, or as JSON. */
export interface Predicate {
  readonly fieldPath: string;
  readonly op: WhereOp;
  readonly rhs: unknown;
  readonly isText: boolean;
}

export function readPredicate(given: string | WherePredicate): Predicate {
  if (typeof given !== 'string') return { ...given, rhs: given.rhs, isText: false };
  const [, fieldPath, op, rhs] = SHORT_FORM.exec(given) ?? [];
  if (fieldPath === undefined || op === undefined) {
    throw refuse(
      `${shown(given)} is no condition. Write path:op:value, such as severity:gte:3; op is one of ${WHERE_OPS.join(', ')}.`,
    );
  }
  return { fieldPath, op: op as WhereOp, rhs, isText: true };
}

export function refuse(message: string): CairnError {
  return fail('VALIDATION_ERROR', { message: `where: ${message}`, details: [{ path: 'where', message }] });
}

const shown = (value: unknown) => {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
};

type Comparable = 'number' | 'string' | 'boolean' | 'wref';

const ORDERED: readonly WhereOp[] = ['gt', 'gte', 'lt', 'lte'];
const OPS: Readonly<Record<Comparable | 'any', readonly WhereOp[]>> = {
  number: ['eq', 'ne', ...ORDERED, 'in', 'exists'],
  string: ['eq', 'ne', ...ORDERED, 'prefix', 'in', 'exists'],
  boolean: ['eq', 'ne', 'in', 'exists'],
  wref: ['eq', 'ne', 'in', 'exists'],
  any: ['exists'],
};

/** Finds what wrefs mean; `undefined` for one that leads nowhere. */
export type ResolveWrefs = (texts: readonly string[]) => Promise<readonly (PointedRecord | undefined)[]>;

interface Reading {
  readonly shape: Shape;
  readonly shapeName: string;
  readonly resolveWrefs: ResolveWrefs;
}

export async function readCondition(predicate: Predicate, reading: Reading): Promise<FieldCondition> {
  const { fieldPath, op } = predicate;
  const { shape, shapeName } = reading;
  const field = fieldAt(shape, fieldPath);
  if (field === undefined) {
    throw refuse(`The shape ${shapeName} declares no field ${shown(fieldPath)}. It has ${fieldNames(shape)}.`);
  }
  const type = comparableType(field);
  if (!OPS[type].includes(op)) {
    throw refuse(
      `${op} cannot be asked of ${fieldPath}, which is of the type ${field.type}. Use ${OPS[type].join(', ')}.`,
    );
  }
  const place = { ...placeOf(fieldPath), op };
  if (op === 'exists' || type === 'any') return existence(place, type, wantsPresence(predicate));
  const values = operandsOf(predicate);
  if (type !== 'wref')
    return { ...place, type, values: values.map((value) => operandOf(value, type, predicate)) } as FieldCondition;
  const texts = values.map((value) => operandOf(value, 'string', predicate) as string);
  const found = await reading.resolveWrefs(texts);
  return { ...place, type, values: found.filter((target) => target !== undefined) };
}

function existence(
  place: ReturnType<typeof placeOf> & { op: WhereOp },
  type: Comparable | 'any',
  exists: boolean,
): FieldCondition {
  return type === 'wref' ? { ...place, type, values: [], exists } : { ...place, type: 'any', exists };
}

function comparableType({ type }: Field): Comparable | 'any' {
  return type === 'number' || type === 'string' || type === 'boolean' || type === 'wref' ? type : 'any';
}

function fieldNames({ fields }: Shape): string {
  const names = [...fields.keys()];
  return names.length === 0 ? 'none' : `${names.slice(0, 20).join(', ')}${names.length > 20 ? ', …' : ''}`;
}

/** The path as a pointer, and in steps. */
function placeOf(path: string): Pick<FieldCondition, 'pointer' | 'tokens'> {
  const tokens = stepsOf(path);
  return { pointer: tokens.reduce<string>(pointerTo, ''), tokens };
}

const stepsOf = (path: string) => (path.startsWith('/') ? pointerTokens(path) : path.split('.'));

/** Items of arrays have no place of their own: they move. */
function fieldAt(shape: Shape, path: string): Field | undefined {
  if (path.includes('\0')) throw refuse('A field whose name holds U+0000 cannot be asked for.');
  const field = declaredField(shape, path);
  const parents = stepsOf(path).slice(0, -1);
  const within = parents.map((_, index) => parents.slice(0, index + 1).reduce<string>(pointerTo, ''));
  return within.some((parent) => declaredField(shape, parent)?.type === 'array') ? undefined : field;
}

function wantsPresence({ rhs, fieldPath, isText }: Predicate): boolean {
  if (rhs === undefined || rhs === (isText ? 'true' : true)) return true;
  if (rhs === (isText ? 'false' : false)) return false;
  throw refuse(`exists takes true or false, and ${fieldPath}:exists has ${shown(rhs)}.`);
}

function operandsOf({ rhs, op, isText, fieldPath }: Predicate): readonly unknown[] {
  if (rhs === undefined)
    throw refuse(`${fieldPath}:${op} has nothing to compare with. Write ${fieldPath}:${op}:value.`);
  if (op !== 'in') return [rhs];
  const values = isText ? String(rhs).split(',') : rhs;
  if (!Array.isArray(values) || values.length === 0 || values.length > VALUES_MAX) {
    throw refuse(`${fieldPath}:in takes 1 to ${VALUES_MAX} values, separated by commas, or in a JSON list.`);
  }
  return values;
}

function operandOf(value: unknown, type: Exclude<Comparable, 'wref'>, { isText, fieldPath }: Predicate): unknown {
  if (isText && type === 'number' && JSON_NUMBER.test(String(value)) && Number.isFinite(Number(value)))
    return Number(value);
  if (isText && type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  // A lone surrogate is in no text that is stored.
  const fits =
    (!isText || type === 'string') && typeof value === type && (type !== 'string' || String(value).isWellFormed());
  if (!fits || (type === 'number' && !Number.isFinite(value))) {
    throw refuse(`${fieldPath} is of the type ${type}, and ${shown(value)} is not. Compare it with a ${type}.`);
  }
  return value;
}
