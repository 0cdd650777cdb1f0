// A field in long form, an object with a `type`: its keywords, their valid types and their valid values.
import { pointerTo } from '@cairn/model/json-pointer';
import { SHAPE_NAME } from '@cairn/protocol/names';
import { codePointLength, counted, isJsonObject, type JsonObject, ownValue, showValue } from './json.ts';
import type { PatternAllowance } from './pattern.ts';
import type { Field, FieldBase, Fields, Shape, TypeName, WrefField } from './shape.ts';

export interface Place {
  readonly path: string;
  readonly depth: number;
  readonly insideArray: boolean;
  readonly optional: boolean;
}

export interface ShapeReading {
  readonly patterns: PatternAllowance;
  refuse(path: string, message: string): void;
  readItems(source: unknown, array: Place, token: string | number): Field | undefined;
}

const DESCRIPTION_CHARACTERS_MAX = 2_000;
const WREF_PATH_BYTES_MAX = 512;
const SHAPES_MAX = 100;

const SCALAR_KEYWORDS = ['type', 'description', 'indexed'] as const;
const KEYWORDS = {
  string: [...SCALAR_KEYWORDS, 'enum', 'pattern', 'minLength', 'maxLength'],
  number: [...SCALAR_KEYWORDS, 'enum', 'minimum', 'maximum', 'integer'],
  boolean: [...SCALAR_KEYWORDS, 'enum'],
  // No enum: a target can be renamed, and the list would then match no record.
  wref: [...SCALAR_KEYWORDS, 'shape'],
  array: ['type', 'description', 'items', 'minItems', 'maxItems'],
  json: ['type', 'description'],
} as const satisfies Record<TypeName, readonly string[]>;
type Keyword = (typeof KEYWORDS)[TypeName][number];
const ALL_KEYWORDS: ReadonlySet<string> = new Set(Object.values(KEYWORDS).flat());

interface Rule<Value> {
  readonly expected: string;
  accepts(value: unknown): value is Value;
}

const TEXT: Rule<string> = { expected: 'a string', accepts: (value) => typeof value === 'string' };
const NUMBER: Rule<number> = { expected: 'a number', accepts: (value): value is number => Number.isFinite(value) };
const BOOLEAN: Rule<boolean> = { expected: 'true or false', accepts: (value) => typeof value === 'boolean' };
const COUNT: Rule<number> = {
  expected: 'a whole number, 0 or more',
  accepts: (value): value is number => Number.isSafeInteger(value) && Number(value) >= 0,
};
const CHOICES: Rule<readonly unknown[]> = {
  expected: 'a list of at least one value',
  accepts: (value): value is readonly unknown[] => Array.isArray(value) && value.length > 0,
};
const SHAPE: Rule<string> = {
  expected: 'a shape name',
  accepts: (value): value is string => typeof value === 'string' && SHAPE_NAME.test(value),
};
export const DESCRIPTION: Rule<string> = {
  expected: `a string of at most ${counted(DESCRIPTION_CHARACTERS_MAX, 'character')}`,
  accepts: (value): value is string =>
    typeof value === 'string' && codePointLength(value) <= DESCRIPTION_CHARACTERS_MAX,
};

export function readFieldDefinition(
  source: JsonObject,
  { type, place }: { type: TypeName; place: Place },
  reading: ShapeReading,
): Field {
  const definition = new Definition(source, place, reading);
  definition.refuseKeysOtherThan(KEYWORDS[type], type);
  return readTyped(definition, type, {
    optional: place.optional,
    description: definition.read('description', DESCRIPTION),
  });
}

function readTyped(definition: Definition, type: TypeName, base: FieldBase): Field {
  switch (type) {
    case 'string':
      return {
        ...base,
        type,
        enum: definition.readChoices('enum', TEXT),
        pattern: definition.readPattern(),
        ...definition.readBounds('minLength', 'maxLength', COUNT),
        indexed: definition.readIndexed(),
      };
    case 'number':
      return {
        ...base,
        type,
        enum: definition.readChoices('enum', NUMBER),
        ...definition.readBounds('minimum', 'maximum', NUMBER),
        integer: definition.read('integer', BOOLEAN) ?? false,
        indexed: definition.readIndexed(),
      };
    case 'boolean':
      return { ...base, type, enum: definition.readChoices('enum', BOOLEAN), indexed: definition.readIndexed() };
    case 'wref':
      definition.refusePlaceOfWref();
      return { ...base, type, shapes: definition.readShapes(), indexed: definition.readIndexed() };
    case 'array':
      return { ...base, type, items: definition.readItems(), ...definition.readBounds('minItems', 'maxItems', COUNT) };
    case 'json':
      return { ...base, type };
  }
}

/** Reads keyword by keyword. Invalid values are reported to the reading, and count as absent. */
class Definition {
  readonly #source: JsonObject;
  readonly #place: Place;
  readonly #reading: ShapeReading;

  constructor(source: JsonObject, place: Place, reading: ShapeReading) {
    this.#source = source;
    this.#place = place;
    this.#reading = reading;
  }

  refuseKeysOtherThan(keywords: readonly string[], type: TypeName): void {
    for (const key of Object.keys(this.#source)) {
      if (keywords.includes(key)) continue;
      const what = ALL_KEYWORDS.has(key)
        ? `${key} is not allowed with ${type}`
        : `unknown key ${showValue(key)} of a ${type}`;
      this.#refuse(key, `${what}, which takes ${keywords.join(', ')}`);
    }
  }

  read<Value>(keyword: Keyword, rule: Rule<Value>): Value | undefined {
    const value = ownValue(this.#source, keyword);
    return value !== undefined && this.#fits(value, rule, this.#pathOf(keyword)) ? value : undefined;
  }

  readBounds<Low extends Keyword, High extends Keyword>(low: Low, high: High, rule: Rule<number>) {
    const least = this.read(low, rule);
    const most = this.read(high, rule);
    if (least !== undefined && most !== undefined && least > most) {
      this.#refuse(low, `${low} ${least} is greater than ${high} ${most}`);
    }
    return { [low]: least, [high]: most } as Record<Low | High, number | undefined>;
  }

  readChoices<Value>(keyword: Keyword, rule: Rule<Value>): Value[] | undefined {
    const path = this.#pathOf(keyword);
    return this.read(keyword, CHOICES)?.filter((choice, index): choice is Value =>
      this.#fits(choice, rule, pointerTo(path, index)),
    );
  }

  readPattern(): string | undefined {
    const pattern = this.read('pattern', TEXT);
    const problem = pattern === undefined ? undefined : this.#reading.patterns.problemWith(pattern);
    if (problem !== undefined) this.#refuse('pattern', problem);
    return pattern;
  }

  readShapes(): string[] | undefined {
    const given = ownValue(this.#source, 'shape');
    if (Array.isArray(given) && given.length > SHAPES_MAX) {
      this.#refuse('shape', `expected at most ${counted(SHAPES_MAX, 'shape')}`);
      return undefined;
    }
    if (Array.isArray(given)) return this.readChoices('shape', SHAPE);
    const shape = this.read('shape', SHAPE);
    return shape === undefined ? undefined : [shape];
  }

  readIndexed(): boolean {
    const indexed = this.read('indexed', BOOLEAN) ?? false;
    // An index holds one value per record, but an array has many.
    if (indexed && this.#place.insideArray) this.#refuse('indexed', 'a field inside an array cannot be indexed');
    // PostgreSQL stores no U+0000 in text, and the index is listed by path.
    if (indexed && this.#place.path.includes('\0'))
      this.#refuse('indexed', 'a field with U+0000 in its name cannot be indexed');
    return indexed;
  }

  /**
   * The path of a reference is part of a key of the reference index, which is limited in length and cannot hold U+0000.
   */
  refusePlaceOfWref(): void {
    const { path } = this.#place;
    if (Buffer.byteLength(path) <= WREF_PATH_BYTES_MAX && !path.includes('\0')) return;
    const most = counted(WREF_PATH_BYTES_MAX, 'byte');
    this.#reading.refuse(path.slice(0, 80), `the path of a wref field must have at most ${most}, without U+0000`);
  }

  readItems(): Field | undefined {
    const items = ownValue(this.#source, 'items');
    return items === undefined ? undefined : this.#reading.readItems(items, this.#place, 'items');
  }

  #fits<Value>(value: unknown, rule: Rule<Value>, path: string): value is Value {
    if (rule.accepts(value)) return true;
    this.#reading.refuse(path, `expected ${rule.expected}, got ${showValue(value)}`);
    return false;
  }

  #refuse(key: string, message: string): void {
    this.#reading.refuse(this.#pathOf(key), message);
  }

  #pathOf(key: string): string {
    return pointerTo(this.#place.path, key);
  }
}

export interface IndexedField {
  /** A JSON pointer: no indexed field is inside an array. */
  readonly path: string;
  readonly type: 'string' | 'number' | 'boolean' | 'wref';
}

export function indexedFields(shape: Shape): IndexedField[] {
  return placedFields(shape.fields, '').flatMap(({ path, field }) =>
    'indexed' in field && field.indexed ? [{ path, type: field.type }] : [],
  );
}

/** A wref field outside any array. */
export interface WrefPlace {
  readonly path: string;
  readonly field: WrefField;
}

export function wrefPlaces(shape: Shape): WrefPlace[] {
  return placedFields(shape.fields, '').flatMap(({ path, field }) => (field.type === 'wref' ? [{ path, field }] : []));
}

function placedFields(fields: Fields, parent: string): { readonly path: string; readonly field: Field }[] {
  return [...fields].flatMap(([name, field]) => {
    const placed = { path: pointerTo(parent, name), field };
    return field.type === 'object' ? [placed, ...placedFields(field.fields, placed.path)] : [placed];
  });
}

interface Restriction {
  readonly path: string;
  readonly shapeName: string;
}

export function restrictionsIn(definition: unknown): Restriction[] {
  const fields = isJsonObject(definition) ? ownValue(definition, 'fields') : undefined;
  return isJsonObject(fields) ? inMembers(fields, '/fields') : [];
}

function inMembers(fields: object, path: string): Restriction[] {
  return Object.entries(fields).flatMap(([name, field]) => inField(field, pointerTo(path, name)));
}

function inField(field: unknown, path: string): Restriction[] {
  if (Array.isArray(field)) return field.flatMap((item, index) => inField(item, pointerTo(path, index)));
  if (!isJsonObject(field)) return [];
  const { type, shape, items } = field;
  // An object without a type holds fields of its own.
  if (typeof type !== 'string') return inMembers(field, path);
  const names = Array.isArray(shape) ? shape.map((name, index) => [index, name]) : [[undefined, shape]];
  const here = names.flatMap(([index, shapeName]): Restriction[] => {
    const place = pointerTo(path, 'shape');
    if (typeof shapeName !== 'string') return [];
    return [{ path: index === undefined ? place : pointerTo(place, Number(index)), shapeName }];
  });
  return [...here, ...inField(items, pointerTo(path, 'items'))];
}
