// A complete and valid shape. `parseShape` makes one from JSON; shape-validator.ts checks data with one.

import { pointerTo, pointerTokens } from '@cairn/model/json-pointer';
import { type CairnError, ended, fail } from '@cairn/protocol/errors';
import { BUILT_IN_SHAPES } from '@cairn/protocol/vocabulary';
import { DESCRIPTION, type Place, readFieldDefinition, type ShapeReading } from './field-definition.ts';
import { codePointLength, counted, isArrayIndex, isJsonObject, type JsonObject, ownValue, showValue } from './json.ts';
import { PatternAllowance } from './pattern.ts';
import type { Problem } from './problem.ts';

export interface Shape {
  readonly description: string | undefined;
  readonly fields: Fields;
}

/** A map, not an object, because a field may be called `__proto__`. */
export type Fields = ReadonlyMap<string, Field>;

export type Field = StringField | NumberField | BooleanField | WrefField | ArrayField | JsonField | ObjectField;

/** The types that a definition can name; nested objects have no name. */
const TYPE_NAMES = ['string', 'number', 'boolean', 'wref', 'array', 'json'] as const;
export type TypeName = (typeof TYPE_NAMES)[number];

/** An optional field may be absent or null. */
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
  /** The allowed shapes of a target; undefined means any. */
  readonly shapes: readonly string[] | undefined;
  readonly indexed: boolean;
}

export interface ArrayField extends FieldBase {
  readonly type: 'array';
  /** The field of each item; undefined means anything. */
  readonly items: Field | undefined;
  readonly minItems: number | undefined;
  readonly maxItems: number | undefined;
}

interface JsonField extends FieldBase {
  readonly type: 'json';
}

interface ObjectField extends FieldBase {
  readonly type: 'object';
  readonly fields: Fields;
}

/**
 * The field that a shape declares at a JSON pointer (`/position/x`, `/tags/0`) or a dotted path (`position.x`). Every
 * dot separates, so a name that contains a dot is reached by pointer only.
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

export const CONTENT_BYTES_MAX = 65_536;

export function isBuiltInShape(name: string): boolean {
  return Object.hasOwn(BUILT_IN_SHAPES, name);
}

/** Built-in shapes whose records commits cannot write, with their only writers. */
export const GUARDED_SHAPES: Readonly<Record<string, string>> = {
  ComponentInstall: 'component operations',
};

// Reads a shape's definition, `{ fields, description? }`, and names every problem in it. A field is one of:
//   a type name                     "string", "number?"      `?`, here or after the key, makes the field optional
//   an array of one field           ["string"]               an array of that field
//   an object whose `type` is text  { "type": "string", "maxLength": 12 }
//   any other object                { "x": "number", "y": "number" }      a nested object
// A `type` that is text decides: if it names no type, it is a mistake and not a nested object. A nested object with a
// field called `type` declares it in long form, { "type": { "type": "string" } }, or as optional, { "type?": "string" }.
// An optional item, ["string?"], may be null.

const FIELDS_MAX = 1_000;
const DEPTH_MAX = 16;
const NAME_CHARACTERS_MAX = 256;
// Enough to repair any definition that a person wrote; the rest of a broken megabyte is not worth sending back.
const PROBLEMS_MAX = 1_000;

export function parseShape(data: unknown): Shape {
  const reader = new ShapeReader();
  const shape = reader.readShape(data);
  if (reader.problems.length > 0) throw notAShape(reader.problems);
  return shape;
}

function notAShape(problems: readonly Problem[]): CairnError {
  const [first] = problems;
  const others = problems.length > 1 ? ` (and ${counted(problems.length - 1, 'more problem')})` : '';
  return fail('VALIDATION_ERROR', {
    message: ended(`This is not a shape: ${first?.path === '' ? '' : `${first?.path}: `}${first?.message}${others}`),
    details: problems,
  });
}

class ShapeReader implements ShapeReading {
  readonly problems: Problem[] = [];
  readonly patterns = new PatternAllowance();
  #fieldCount = 0;

  readShape(data: unknown): Shape {
    if (!isJsonObject(data)) {
      this.refuse('', `expected an object with fields, got ${showValue(data)}`);
      return { description: undefined, fields: new Map() };
    }
    for (const key of Object.keys(data)) {
      if (key !== 'fields' && key !== 'description') this.refuse(pointerTo('', key), `unknown key ${showValue(key)}`);
    }
    return { description: this.#readDescription(data), fields: this.#readTopFields(ownValue(data, 'fields')) };
  }

  refuse(path: string, message: string): void {
    if (this.problems.length < PROBLEMS_MAX) this.problems.push({ path, message });
  }

  readItems(source: unknown, array: Place, token: string | number): Field | undefined {
    return this.#readField(source, { ...within(array, token), insideArray: true });
  }

  #readDescription(data: JsonObject): string | undefined {
    const description = ownValue(data, 'description');
    if (description === undefined || DESCRIPTION.accepts(description)) return description;
    this.refuse('/description', `expected ${DESCRIPTION.expected}, got ${showValue(description)}`);
    return undefined;
  }

  #readTopFields(fields: unknown): Fields {
    const place = { path: '/fields', depth: 0, insideArray: false, optional: false };
    if (isJsonObject(fields)) return this.#readFields(fields, place);
    this.refuse(place.path, `expected an object of fields, got ${fields === undefined ? 'none' : showValue(fields)}`);
    return new Map();
  }

  #readFields(source: JsonObject, place: Place): Fields {
    const fields = new Map<string, Field>();
    for (const key of Object.keys(source)) {
      this.#fieldCount++;
      if (this.#fieldCount === FIELDS_MAX + 1)
        this.refuse('/fields', `expected at most ${counted(FIELDS_MAX, 'field')}`);
      if (this.#fieldCount > FIELDS_MAX) break;
      const optional = key.endsWith('?');
      const name = optional ? key.slice(0, -1) : key;
      if (!this.#acceptsName(name, place)) continue;
      const fieldPlace = { ...within(place, key), optional };
      if (optional && Object.hasOwn(source, name)) {
        this.refuse(fieldPlace.path, `${showValue(name)} is declared twice, with and without a ?`);
      }
      const field = this.#readField(source[key], fieldPlace);
      if (field !== undefined) fields.set(name, field);
    }
    return fields;
  }

  // Reported at the parent: a pointer to a name that is too long would be too long itself.
  #acceptsName(name: string, parent: Place): boolean {
    if (name !== '' && codePointLength(name) <= NAME_CHARACTERS_MAX) return true;
    const range = `1 to ${counted(NAME_CHARACTERS_MAX, 'character')}`;
    this.refuse(parent.path, `expected field names of ${range}, got ${showValue(name)}`);
    return false;
  }

  #readField(source: unknown, place: Place): Field | undefined {
    if (place.depth > DEPTH_MAX) {
      this.refuse(place.path, `expected at most ${DEPTH_MAX} levels of nested fields`);
      return undefined;
    }
    if (typeof source === 'string') return this.#readTyped({ type: source }, place, place.path);
    if (Array.isArray(source)) return this.#readArray(source, place);
    if (isJsonObject(source)) return this.#readObject(source, place);
    this.refuse(place.path, `expected a type, an array of one field or an object, got ${showValue(source)}`);
    return undefined;
  }

  #readTyped(source: TypedObject, place: Place, typePath: string): Field | undefined {
    const optional = source.type.endsWith('?');
    const type = optional ? source.type.slice(0, -1) : source.type;
    if (!isTypeName(type)) {
      // Its other keys are not checked, because their rules depend on the type.
      this.refuse(typePath, `expected one of ${TYPE_NAMES.join(', ')}, got ${showValue(source.type)}`);
      return undefined;
    }
    return readFieldDefinition(source, { type, place: { ...place, optional: place.optional || optional } }, this);
  }

  #readArray(source: readonly unknown[], place: Place): Field | undefined {
    if (source.length !== 1) {
      this.refuse(place.path, `expected an array of one field, got ${showValue(source)}`);
      return undefined;
    }
    const items = this.readItems(source[0], place, 0);
    return { ...untold(place), type: 'array', items, minItems: undefined, maxItems: undefined };
  }

  #readObject(source: JsonObject, place: Place): Field | undefined {
    if (isTypedObject(source)) return this.#readTyped(source, place, pointerTo(place.path, 'type'));
    return { ...untold(place), type: 'object', fields: this.#readFields(source, place) };
  }
}

/** The short forms have no room for a description. */
function untold({ optional }: Place): FieldBase {
  return { optional, description: undefined };
}

function within(parent: Place, token: string | number): Place {
  return { ...parent, path: pointerTo(parent.path, token), depth: parent.depth + 1, optional: false };
}

type TypedObject = JsonObject & { readonly type: string };

function isTypedObject(source: JsonObject): source is TypedObject {
  return typeof ownValue(source, 'type') === 'string';
}

function isTypeName(text: string): text is TypeName {
  return (TYPE_NAMES as readonly string[]).includes(text);
}
