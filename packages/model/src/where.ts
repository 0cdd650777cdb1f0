// Conditions on fields: the operators, the short form `path:op:value`, and the operators that each type of field takes.
import { pointerTo } from '@cairn/model/json-pointer';
import type { WherePredicate } from '@cairn/protocol/read';
import { WHERE_OPS, type WhereOp } from '@cairn/protocol/vocabulary';

const SHORT_FORM = new RegExp(`^(.+?):(${WHERE_OPS.join('|')})(?::(.*))?$`, 's');

export interface ShortCondition {
  readonly fieldPath: string;
  readonly op: WhereOp;
  /** Commas separate several values of `in`. */
  readonly rhs: string | undefined;
}

export function parseShortCondition(text: string): ShortCondition | undefined {
  const [, fieldPath, op, rhs] = SHORT_FORM.exec(text) ?? [];
  return fieldPath === undefined || op === undefined ? undefined : { fieldPath, op: op as WhereOp, rhs };
}

/** The conditions of a JSON list, unchecked; `undefined` if the text is no such list. */
export function parseJsonConditions(text: string): WherePredicate[] | undefined {
  if (!text.startsWith('[')) return undefined;
  try {
    return JSON.parse(text) as WherePredicate[];
  } catch {
    return undefined;
  }
}

export function isPredicate(value: unknown): value is WherePredicate {
  if (typeof value !== 'object' || value === null) return false;
  const { fieldPath, op } = value as Partial<WherePredicate>;
  return typeof fieldPath === 'string' && fieldPath !== '' && WHERE_OPS.some((known) => known === op);
}

/** The short form, or a JSON list of one condition if the short form would mean something else. */
export function formatPredicate(predicate: WherePredicate): string {
  const { fieldPath, op, rhs } = predicate;
  const written = Array.isArray(rhs) && op === 'in' ? listText(rhs) : scalarText(rhs);
  if (written === undefined) return JSON.stringify([predicate]);
  // The server treats spaces as part of the values.
  const value = op === 'in' ? written.replace(/\s*,\s*/g, ',').trim() : written;
  const text = op === 'exists' && value !== 'false' ? `${fieldPath}:exists` : `${fieldPath}:${op}:${value}`;
  const again = text.startsWith('[') ? undefined : parseShortCondition(text);
  return again?.fieldPath === fieldPath && again.op === op ? text : JSON.stringify([{ fieldPath, op, rhs: value }]);
}

function listText(values: readonly unknown[]): string | undefined {
  const texts = values.map(scalarText);
  const fit = texts.length > 0 && texts.every((text) => text !== undefined && !text.includes(','));
  return fit ? texts.join(',') : undefined;
}

function scalarText(value: unknown): string | undefined {
  if (value === undefined) return '';
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined;
}

const ORDERED: readonly WhereOp[] = ['gt', 'gte', 'lt', 'lte'];
const OPS: Readonly<Record<string, readonly WhereOp[]>> = {
  number: ['eq', 'ne', ...ORDERED, 'in', 'exists'],
  string: ['eq', 'ne', ...ORDERED, 'prefix', 'in', 'exists'],
  boolean: ['eq', 'ne', 'in', 'exists'],
  wref: ['eq', 'ne', 'in', 'exists'],
};

/** A field of any other type supports only `exists`. */
export function whereOpsOf(type: string): readonly WhereOp[] {
  return OPS[type] ?? ['exists'];
}

/** A dotted path, or a JSON pointer if a name contains a dot. */
export function formatFieldPath(steps: readonly string[]): string {
  return steps.some((step) => step.includes('.')) || steps[0]?.startsWith('/')
    ? steps.reduce<string>(pointerTo, '')
    : steps.join('.');
}
