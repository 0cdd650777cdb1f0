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

/** What may be written for fields before they are checked: anything, though an editor offers the types. */
export interface GivenFields {
  readonly [name: string]: TypeText | (string & {}) | object | number | boolean | bigint | null | undefined;
}

/**
 * The fields that were given, where they fit; in place of what does not, what would, or what is wrong with it in words. The
 * compiler holds what was given against that, and so tells the user.
 */
export type CheckedFields<Fields> = string extends keyof Fields
  ? Fields
  : { readonly [Name in keyof Fields]: CheckedField<Fields[Name]> };

type CheckedField<Definition> = Definition extends string
  ? CheckedType<Definition>
  : Definition extends readonly unknown[]
    ? CheckedList<Definition>
    : Definition extends { readonly type: infer Text extends string }
      ? CheckedKeywords<Definition, Text>
      : Definition extends object
        ? CheckedFields<Definition>
        : 'A field is a type such as string, a list of one, or an object';

type CheckedType<Text extends string> = Text extends TypeText
  ? Text
  : `There is no type ${Text}: there are string, number, boolean, wref, array and json, optional with a ? after it`;

type CheckedList<List extends readonly unknown[]> = List extends readonly [infer Item]
  ? readonly [CheckedField<Item>]
  : readonly ['A list holds one field, that of all its items'];

type CheckedKeywords<Definition, Text extends string> = {
  readonly [Key in keyof Definition]: Key extends 'type'
    ? CheckedType<Text>
    : Text extends TypeText
      ? CheckedKeyword<Key & string, Definition[Key], Text>
      : Definition[Key];
};

type CheckedKeyword<Key extends string, Value, Text extends TypeText> = [KeywordValue<Key, Text>] extends [never]
  ? `A field of type ${Text} has no ${Key}`
  : Key extends 'items'
    ? CheckedField<Value>
    : Value extends KeywordValue<Key, Text>
      ? Value
      : KeywordValue<Key, Text>;

/** What a keyword of a type holds; `never` where the type does not have it. */
type KeywordValue<Key extends string, Text, Typed = TypedField> = Typed extends { readonly type: infer Texts }
  ? Text extends Texts
    ? Key extends keyof Typed
      ? Typed[Key]
      : never
    : never
  : never;
