// Conditions on fields: the operators, the short form `path:op:value`, and the operators that each type of field takes.
import { pointerTo, pointerTokens } from '@cairn/protocol/json-pointer';
import type { WhereOp } from '@cairn/protocol/read';

/** The same list as in the protocol, whose own brings zod with it. */
export const WHERE_OPS = [
  'eq',
  'ne',
  'gt',
  'gte',
  'lt',
  'lte',
  'prefix',
  'in',
  'exists',
] as const satisfies readonly WhereOp[];

const SHORT_FORM = new RegExp(`^(.+?):(${WHERE_OPS.join('|')})(?::(.*))?$`, 's');

export interface ShortCondition {
  readonly fieldPath: string;
  readonly op: WhereOp;
  /** Several values of `in` are separated by commas. */
  readonly rhs: string | undefined;
}

/** `undefined` for a text that is no condition in the short form. */
export function parseShortCondition(text: string): ShortCondition | undefined {
  const [, fieldPath, op, rhs] = SHORT_FORM.exec(text) ?? [];
  return fieldPath === undefined || op === undefined ? undefined : { fieldPath, op: op as WhereOp, rhs };
}

const ORDERED: readonly WhereOp[] = ['gt', 'gte', 'lt', 'lte'];
const OPS: Readonly<Record<string, readonly WhereOp[]>> = {
  number: ['eq', 'ne', ...ORDERED, 'in', 'exists'],
  string: ['eq', 'ne', ...ORDERED, 'prefix', 'in', 'exists'],
  boolean: ['eq', 'ne', 'in', 'exists'],
  wref: ['eq', 'ne', 'in', 'exists'],
};

/** What can be asked of a field: any other type than these can only exist. */
export function whereOpsOf(type: string): readonly WhereOp[] {
  return OPS[type] ?? ['exists'];
}

/** The steps of a field path, which is dotted or a JSON pointer. */
export function fieldPathSteps(path: string): string[] {
  return path.startsWith('/') ? pointerTokens(path) : path.split('.');
}

/** Dotted; a JSON pointer where a name has a dot of its own. */
export function formatFieldPath(steps: readonly string[]): string {
  return steps.some((step) => step.includes('.')) || steps[0]?.startsWith('/')
    ? steps.reduce<string>(pointerTo, '')
    : steps.join('.');
}
