// Shapes that a program knows: what their records hold is inferred from their fields, for reads, writes and filters.

import type { Operation } from '@cairn/protocol/commit';
import { fail } from '@cairn/protocol/errors';
import { SHAPE_NAME } from '@cairn/protocol/names';
import type { CheckedFields, GivenFields, PartialData, ReadData, ShapeFields, WriteData } from './shape-fields.ts';
import type { FieldPath } from './shape-filter.ts';

const RULE = 'A name of a shape is a letter, then up to 127 letters, digits, _, - and dots';

/** The name, where it can be one; else what a name is, which the compiler then says. */
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

/** Refuses what the server would refuse, before anything is built on it. */
function checkShapeName(name: string): void {
  if (SHAPE_NAME.test(name)) return;
  throw fail('VALIDATION_ERROR', { message: `${JSON.stringify(name)} names no shape. ${RULE}, such as Location.` });
}

declare const SHAPE: unique symbol;

/** The wref of a record whose shape is known: text, from which reads infer the data. `Sensor.wref('roof')` makes one. */
export type Wref<Shape extends AnyShape> = string & { readonly [SHAPE]: Shape };

/** Any shape that `defineShape` made, as far as what it says. */
export interface AnyShape {
  readonly name: string;
  readonly fields: ShapeFields;
  readonly description?: string;
}

/** What adding a record can be told, beside its data. */
export interface AddOptions {
  /** The wref of what it is about: that makes it an assertion. */
  readonly about?: string | undefined;
  /** A record that exists is left as it is, instead of refused. */
  readonly skipExisting?: boolean | undefined;
}

/** What changing a record can be told. */
export interface ChangeOptions {
  /** Refuses the change when the record is at another version. */
  readonly expectedVersion?: number | undefined;
}

/** A shape that a program knows: its name, its fields, and what follows from them. */
export interface DefinedShape<Name extends string, Fields extends ShapeFields> extends AnyShape {
  readonly name: Name;
  readonly fields: Fields;
  /** The wref of a record of this shape, or of one version of it. */
  wref(recordName: string, version?: number): Wref<DefinedShape<Name, Fields>>;
  /** The operation that adds a record. `$1` in its name asks the server for a unique value; `#1` then is its wref. */
  add(recordName: string, data: WriteData<Fields>, options?: AddOptions): Operation;
  /** The operation that gives a record new data, as a whole. */
  revise(recordName: string, data: WriteData<Fields>, options?: ChangeOptions): Operation;
}

/** The data of a record of the shape, as it is read. */
export type DataOf<Shape extends AnyShape> = ReadData<Shape['fields']>;

/** The data of a record of the shape, as it is written. */
export type InputOf<Shape extends AnyShape> = WriteData<Shape['fields']>;

/** The same where only some paths of it were asked for. */
export type SomeDataOf<Shape extends AnyShape> = PartialData<DataOf<Shape>>;

/** The paths that filters and `fields` can name. */
export type PathOf<Shape extends AnyShape> = FieldPath<Shape['fields']>;

/**
 * Defines a shape, from which the types of its records are inferred. `repo.shapes.ensure` brings it into a repository. A name
 * that no shape can have is refused at once.
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
    // What is no name was refused.
    name: name as Name,
    // What does not fit did not compile, and the server checks it again.
    fields: fields as unknown as Known,
    ...(description !== undefined && { description }),
    wref: (recordName, version) =>
      `${nameOf(recordName)}${version === undefined ? '' : `@v${version}`}` as Wref<DefinedShape<Name, Known>>,
    add: (recordName, data, options) => ({ operation: 'add', name: nameOf(recordName), data, ...options }),
    revise: (recordName, data, options) => ({ operation: 'revise', name: nameOf(recordName), data, ...options }),
  };
}
