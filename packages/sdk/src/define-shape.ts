// Shapes known at compile time. Reads, writes and filters infer record types from their fields.

import type { Operation } from '@cairn/protocol/commit';
import { fail } from '@cairn/protocol/errors';
import { SHAPE_NAME } from '@cairn/protocol/names';
import type { CheckedFields, GivenFields, PartialData, ReadData, ShapeFields, WriteData } from './shape-fields.ts';
import type { FieldPath } from './shape-filter.ts';

const RULE = 'A shape name is a letter followed by up to 127 letters, digits, _, - and dots, such as Location';

/** The name, if it is valid. Otherwise the naming rule, which the compiler then shows in its error. */
type SoundName<Name extends string> = string extends Name ? Name : IsName<Name> extends true ? Name : typeof RULE;

type Letter =
  | ('a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h' | 'i' | 'j' | 'k' | 'l' | 'm')
  | ('n' | 'o' | 'p' | 'q' | 'r' | 's' | 't' | 'u' | 'v' | 'w' | 'x' | 'y' | 'z');
type Digit = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9';

type IsName<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? Lowercase<First> extends Letter
    ? IsRest<Rest>
    : false
  : false;

type IsRest<Text extends string> = Text extends `${infer First}${infer Rest}`
  ? Lowercase<First> extends Letter | Digit | '_' | '-' | '.'
    ? IsRest<Rest>
    : false
  : true;

function checkShapeName(name: string): void {
  if (SHAPE_NAME.test(name)) return;
  throw fail('VALIDATION_ERROR', { message: `${JSON.stringify(name)} is not a shape name. ${RULE}.` });
}

declare const SHAPE: unique symbol;

/** The wref of a record with a known shape. Reads infer the data type from it. `Sensor.wref('roof')` creates one. */
export type Wref<Shape extends AnyShape> = string & { readonly [SHAPE]: Shape };

/** The definition of any shape from `defineShape`. */
export interface AnyShape {
  readonly name: string;
  readonly fields: ShapeFields;
  readonly description?: string;
}

/** Options for adding a record, besides its data. */
export interface AddOptions {
  /** Wref of the record that this one is about. It makes this record an assertion. */
  readonly about?: string | undefined;
  /** Leaves an existing record unchanged instead of refusing the operation. */
  readonly skipExisting?: boolean | undefined;
}

/** Options for changing a record. */
export interface ChangeOptions {
  /** Refuses the change if the record is at another version. */
  readonly expectedVersion?: number | undefined;
}

/** A shape known at compile time: its name, its fields, and helpers for its records. */
export interface DefinedShape<Name extends string, Fields extends ShapeFields> extends AnyShape {
  readonly name: Name;
  readonly fields: Fields;
  /** Returns the wref of a record of this shape, or of one version of it. */
  wref(recordName: string, version?: number): Wref<DefinedShape<Name, Fields>>;
  /**
   * Returns the operation that adds a record. A `$1` in the name is a placeholder: the server replaces it with a unique
   * value. `#1` then stands for its wref.
   */
  add(recordName: string, data: WriteData<Fields>, options?: AddOptions): Operation;
  /** Returns the operation that replaces the data of a record. */
  revise(recordName: string, data: WriteData<Fields>, options?: ChangeOptions): Operation;
}

/** Data of a record of the shape, as it is read. */
export type DataOf<Shape extends AnyShape> = ReadData<Shape['fields']>;

/** Data of a record of the shape, as it is written. */
export type InputOf<Shape extends AnyShape> = WriteData<Shape['fields']>;

/** Data of a record of the shape, if a read selects only some paths. */
export type SomeDataOf<Shape extends AnyShape> = PartialData<DataOf<Shape>>;

/** Paths that filters and `fields` can name. */
export type PathOf<Shape extends AnyShape> = FieldPath<Shape['fields']>;

/**
 * Defines a shape, from which the types of its records are inferred. `repo.shapes.ensure` creates or updates it in a
 * repository. An invalid name throws at once.
 *
 * @example
 * const Sensor = defineShape('Sensor', { x: 'number', 'label?': 'string', state: { type: 'string', enum: ['on', 'off'] } });
 * await repo.shapes.ensure(Sensor);
 * await repo.commit('The first sensor').add(Sensor.wref('roof'), { x: 3, state: 'on' }).submit();
 * const { data } = await repo.things.get(Sensor.wref('roof'));
 * console.log(data.x + 1, data.label?.length);
 * for await (const { name } of repo.things.query({ shape: Sensor, where: ['x:gte:3', 'state:eq:on'] })) console.log(name);
 */
export function defineShape<const Name extends string, const Fields extends GivenFields>(
  name: SoundName<Name>,
  fields: CheckedFields<Fields>,
  { description }: { readonly description?: string } = {},
): DefinedShape<Name, Fields extends ShapeFields ? Fields : ShapeFields> {
  checkShapeName(name);
  type Known = Fields extends ShapeFields ? Fields : ShapeFields;
  const nameOf = (recordName: string) => `${name}/${recordName}`;
  return {
    name: name as Name,
    // Invalid fields do not compile, and the server checks the fields again.
    fields: fields as unknown as Known,
    ...(description !== undefined && { description }),
    wref: (recordName, version) =>
      `${nameOf(recordName)}${version === undefined ? '' : `@v${version}`}` as Wref<DefinedShape<Name, Known>>,
    add: (recordName, data, options) => ({ operation: 'add', name: nameOf(recordName), data, ...options }),
    revise: (recordName, data, options) => ({ operation: 'revise', name: nameOf(recordName), data, ...options }),
  };
}
