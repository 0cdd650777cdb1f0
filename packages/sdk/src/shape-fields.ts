// How the fields of a shape are written, as types: the grammar of docs/shapes.md. The server checks them again.

/** The types that a field can name. A `?` after one makes the field optional. */
export type FieldTypeName = 'string' | 'number' | 'boolean' | 'wref' | 'array' | 'json';

type TypeText = FieldTypeName | `${FieldTypeName}?`;

interface Described {
  /** What the field means, for whoever reads the shape. */
  readonly description?: string;
}

interface Indexable extends Described {
  /** Whether filters on the field find records without reading the others. */
  readonly indexed?: boolean;
}

interface StringField extends Indexable {
  readonly type: 'string' | 'string?';
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
}

interface NumberField extends Indexable {
  readonly type: 'number' | 'number?';
  readonly enum?: readonly number[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly integer?: boolean;
}

interface BooleanField extends Indexable {
  readonly type: 'boolean' | 'boolean?';
  readonly enum?: readonly boolean[];
}

interface WrefField extends Indexable {
  readonly type: 'wref' | 'wref?';
  /** The shape, or the shapes, that a target must have. */
  readonly shape?: string | readonly string[];
}

interface ArrayField extends Described {
  readonly type: 'array' | 'array?';
  readonly items?: FieldDefinition;
  readonly minItems?: number;
  readonly maxItems?: number;
}

interface JsonField extends Described {
  readonly type: 'json' | 'json?';
}

type TypedField = StringField | NumberField | BooleanField | WrefField | ArrayField | JsonField;

/** An object of fields. One that is called `type` is written in long form here, since text there would name a type. */
interface NestedFields {
  readonly [name: string]: FieldDefinition | undefined;
  readonly type?: Exclude<FieldDefinition, string>;
}

/** One field: a type's name, a list of one field (an array of it), an object with `type`, or an object of fields. */
export type FieldDefinition = TypeText | readonly [FieldDefinition] | TypedField | NestedFields;

/** The fields of a shape, by their names; a `?` after a name makes the field optional. */
export interface ShapeFields {
  readonly [name: string]: FieldDefinition;
}

/** The keywords that go with a type. */
type KeywordOf<Text, Typed = TypedField> = Typed extends { readonly type: infer Texts }
  ? Text extends Texts
    ? keyof Typed
    : never
  : never;

/**
 * Fields in which every keyword goes with its type: `never` stands where one does not. A type that is inferred from what it is
 * given would else let through whatever else is there.
 */
export type SoundFields<Fields> = { readonly [Name in keyof Fields]: SoundField<Fields[Name]> };

type SoundField<Definition> = Definition extends string
  ? Definition
  : Definition extends readonly [infer Item]
    ? readonly [SoundField<Item>]
    : Definition extends { readonly type: infer Text extends string }
      ? { readonly [Key in keyof Definition]: SoundKeyword<Key, Definition[Key], Text> }
      : SoundFields<Definition>;

type SoundKeyword<Key, Value, Text> =
  Key extends KeywordOf<Text> ? (Key extends 'items' ? SoundField<Value> : Value) : never;
