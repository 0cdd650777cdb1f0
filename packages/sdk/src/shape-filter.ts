// Conditions on the fields of a shape, as types: which paths there are, and what each can be asked for. The rules are those of
// the server (docs/reading.md): arrays, objects and `json` can be asked for `exists` alone, and items of arrays not at all.
import type { WherePredicate } from '@cairn/protocol/read';
import type { FieldName, FieldValue, TypeOf } from './shape-data.ts';

/** A place in the data: its path, the type there, and what it can be compared with. */
interface Place<Path extends string = string, Type extends string = string, Compared = unknown> {
  readonly path: Path;
  readonly type: Type;
  readonly compared: Compared;
}

/** Every place that fields declare. A name that has a dot of its own is reached by JSON pointer alone, which is not typed.
 * Of fields that are not known there may be any. */
type PlaceIn<Fields, Prefix extends string = ''> = string extends keyof Fields
  ? Place
  : { [Key in keyof Fields & string]: PlaceNamed<FieldName<Key>, Fields[Key], Prefix> }[keyof Fields & string];

type PlaceNamed<Name, Definition, Prefix extends string> = Name extends `${string}.${string}`
  ? never
  : Name extends string
    ? PlaceOf<Definition, `${Prefix}${Name}`>
    : never;

type PlaceOf<Definition, Path extends string> = Definition extends string
  ? Place<Path, TypeOf<Definition>, FieldValue<Definition>>
  : Definition extends readonly unknown[]
    ? Place<Path, 'array'>
    : Definition extends { readonly type: infer Text extends string }
      ? Place<Path, TypeOf<Text>, FieldValue<Definition>>
      : Place<Path, 'object'> | PlaceIn<Definition, `${Path}.`>;

/** The paths of a shape's fields, such as `position.x`. */
export type FieldPath<Fields> = PathAt<PlaceIn<Fields>>;

type PathAt<At> = At extends Place<infer Path> ? Path : never;

/** A condition on a field of a shape: `x:gte:3`, or `{ fieldPath: 'x', op: 'gte', rhs: 3 }`. */
export type FieldCondition<Fields> = string extends keyof Fields
  ? string | WherePredicate
  : ConditionAt<PlaceIn<Fields>>;

type Equal = 'eq' | 'ne';
type Ordered = 'gt' | 'gte' | 'lt' | 'lte';

type ConditionAt<At> =
  At extends Place<infer Path, infer Type, infer Compared>
    ? Existence<Path> | (Type extends keyof OpsOf ? Comparison<Path, OpsOf[Type], Compared> : never)
    : never;

/** What can be asked of each type, beside `exists` and `in`. */
interface OpsOf {
  string: Equal | Ordered | 'prefix';
  number: Equal | Ordered;
  boolean: Equal;
  wref: Equal;
}

type Existence<Path extends string> =
  | `${Path}:exists`
  | `${Path}:exists:${boolean}`
  | { readonly fieldPath: Path; readonly op: 'exists'; readonly rhs?: boolean };

type Comparison<Path extends string, Op extends string, Compared> =
  | `${Path}:${Exclude<Op, 'prefix'>}:${TextOf<Compared>}`
  | `${Path}:${Op & 'prefix'}:${string}`
  | `${Path}:in:${string}`
  | { readonly fieldPath: Path; readonly op: Exclude<Op, 'prefix'>; readonly rhs: Compared }
  | { readonly fieldPath: Path; readonly op: Op & 'prefix'; readonly rhs: string }
  | { readonly fieldPath: Path; readonly op: 'in'; readonly rhs: readonly Compared[] };

type TextOf<Compared> = Compared extends string | number | boolean ? `${Compared}` : never;
