// A shape once it has been read: complete, and known to be sound. shape-definition.rule.ts makes one out of JSON,
// shape-validator.rule.ts checks data with one.
import { pointerTokens } from '@cairn/protocol/json-pointer';
import { isArrayIndex } from '../model/json-pointer.ts';

export interface Shape {
  readonly description: string | undefined;
  readonly fields: Fields;
}

/** A map, not an object: a field may be called `__proto__`. */
export type Fields = ReadonlyMap<string, Field>;

export type Field = StringField | NumberField | BooleanField | WrefField | ArrayField | JsonField | ObjectField;

/** The types that a definition can name; nested objects have no name. */
export const TYPE_NAMES = ['string', 'number', 'boolean', 'wref', 'array', 'json'] as const;
export type TypeName = (typeof TYPE_NAMES)[number];

/** What every field has. An optional one may be absent or null. */
export interface FieldBase {
  readonly optional: boolean;
  readonly description: string | undefined;
}

export interface StringField extends FieldBase {
  readonly type: 'string';
  readonly enum: readonly string[] | undefined;
  readonly pattern: string | undefined;
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  readonly indexed: boolean;
}

export interface NumberField extends FieldBase {
  readonly type: 'number';
  readonly enum: readonly number[] | undefined;
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  readonly integer: boolean;
  readonly indexed: boolean;
}

export interface BooleanField extends FieldBase {
  readonly type: 'boolean';
  readonly enum: readonly boolean[] | undefined;
  readonly indexed: boolean;
}

export interface WrefField extends FieldBase {
  readonly type: 'wref';
  /** The shapes that a target may have; undefined means any. */
  readonly shapes: readonly string[] | undefined;
  readonly indexed: boolean;
}

export interface ArrayField extends FieldBase {
  readonly type: 'array';
  /** What each item must be; undefined means anything. */
  readonly items: Field | undefined;
  readonly minItems: number | undefined;
  readonly maxItems: number | undefined;
}

export interface JsonField extends FieldBase {
  readonly type: 'json';
}

export interface ObjectField extends FieldBase {
  readonly type: 'object';
  readonly fields: Fields;
}

/**
 * The field that a shape declares at a place in data: a JSON pointer (`/position/x`, `/tags/0`) or a dotted path
 * (`position.x`). Every dot separates, so a name that has a dot of its own is reached by pointer alone.
 */
export function declaredField(shape: Shape, path: string): Field | undefined {
  const [first, ...rest] = path.startsWith('/') ? pointerTokens(path) : path.split('.');
  let field = shape.fields.get(first ?? '');
  for (const token of rest) field = field && declaredMember(field, token);
  return field;
}

function declaredMember(field: Field, token: string): Field | undefined {
  if (field.type === 'object') return field.fields.get(token);
  return field.type === 'array' && isArrayIndex(token) ? field.items : undefined;
}
