// Types of the conditions on a shape's fields: the paths, and the operators of each. They follow the rules of the
// server (docs/reading.md): arrays, objects and `json` only have `exists`, and items of arrays have no operator.
import type { WherePredicate } from '@cairn/protocol/read';
import type { FieldName, FieldValue, TypeOf } from './shape-fields.ts';

/** A position in the data: its path, its type, and the type of values to compare it with. */
interface Place<Path extends string = string, Type extends string = string, Compared = unknown> {
  readonly path: Path;
  readonly type: Type;
  readonly compared: Compared;
}

/**
 * Every position that the fields declare. A name that contains a dot is reachable only by JSON pointer, which is not
 * typed. Unknown fields may have any position.
 */
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

/** Paths of a shape's fields, such as `position.x`. */
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

/** Operators of each type, besides `exists` and `in`. */
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

interface NamedFields {
  readonly name: string;
  readonly fields: object;
}

/**
 * The given conditions, if they fit the shape. Each invalid one becomes a valid form or an error message. The compiler
 * compares the given conditions with this type, so its error shows the problem.
 */
export type CheckedConditions<Shape extends NamedFields, Conditions> = {
  readonly [Index in keyof Conditions]: CheckedCondition<Shape, Conditions[Index]>;
};

type CheckedCondition<Shape extends NamedFields, Condition> =
  Condition extends FieldCondition<Shape['fields']>
    ? Condition
    : Condition extends { readonly fieldPath: infer Path extends string; readonly op: infer Op extends string }
      ? FittingPredicate<Shape, Path, Op>
      : FittingText<Shape, Condition>;

type FittingText<Shape extends NamedFields, Condition> = Condition extends `${infer Path}:${infer Rest}`
  ? Rest extends `${infer Op}:${string}`
    ? FittingTextAt<Shape, Path, Op>
    : FittingTextAt<Shape, Path, Rest>
  : 'A condition is a field, an operator and a value, such as x:gte:3';

type FittingTextAt<Shape extends NamedFields, Path extends string, Op extends string> = [PlaceAt<Shape, Path>] extends [
  never,
]
  ? Undeclared<Shape, Path>
  : Op extends OpAt<PlaceAt<Shape, Path>>
    ? TextAt<PlaceAt<Shape, Path>, Op>
    : Inapplicable<PlaceAt<Shape, Path>, Op>;

/** Puts the error message on the property that is wrong. */
type FittingPredicate<Shape extends NamedFields, Path extends string, Op extends string> = [
  PlaceAt<Shape, Path>,
] extends [never]
  ? { readonly fieldPath: Undeclared<Shape, Path>; readonly op: Op; readonly rhs?: unknown }
  : Op extends OpAt<PlaceAt<Shape, Path>>
    ? { readonly fieldPath: Path; readonly op: Op; readonly rhs: ComparedAt<PlaceAt<Shape, Path>, Op> }
    : { readonly fieldPath: Path; readonly op: Inapplicable<PlaceAt<Shape, Path>, Op>; readonly rhs?: unknown };

type PlaceAt<Shape extends NamedFields, Path extends string> = Extract<
  PlaceIn<Shape['fields']>,
  { readonly path: Path }
>;

type OpAt<At> =
  At extends Place<string, infer Type> ? 'exists' | (Type extends keyof OpsOf ? OpsOf[Type] | 'in' : never) : never;

type ComparedAt<At, Op> = At extends { readonly compared: infer Compared }
  ? Op extends 'exists'
    ? boolean
    : Op extends 'in'
      ? readonly Compared[]
      : Op extends 'prefix'
        ? string
        : Compared
  : never;

type TextAt<At, Op extends string> =
  At extends Place<infer Path> ? `${Path}:${Op}:${TextOf<ComparedAt<At, Op>>}` : never;

type Undeclared<Shape extends NamedFields, Path extends string> = `The shape ${Shape['name']} does not declare ${Path}`;

type Inapplicable<At, Op extends string> =
  At extends Place<infer Path, infer Type> ? `${Path} is of type ${Type}, which has no operator ${Op}` : never;
