// Types of shape fields and of record data, by the grammar of docs/shapes.md. The server checks them again.

/** The types that a field can have. A `?` after one makes the field optional. */
export type FieldTypeName = 'string' | 'number' | 'boolean' | 'wref' | 'array' | 'json';

type TypeText = FieldTypeName | `${FieldTypeName}?`;

interface Described {
  /** Meaning of the field, for readers of the shape. */
  readonly description?: string;
}

interface Indexable extends Described {
  /** True if filters on the field use an index instead of reading all records. */
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
  /** Shape or shapes that a target must have. */
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

/** An object of fields. A field called `type` needs the long form here, since text there would name a type. */
interface NestedFields {
  readonly [name: string]: FieldDefinition | undefined;
  readonly type?: Exclude<FieldDefinition, string>;
}

/** One field: a type name, a list of one field (an array of it), an object with `type`, or an object of fields. */
export type FieldDefinition = TypeText | readonly [FieldDefinition] | TypedField | NestedFields;

/** Fields of a shape, by name. A `?` after a name makes the field optional. */
export interface ShapeFields {
  readonly [name: string]: FieldDefinition;
}

/** Fields as they are written, before they are checked: any value, with completion of types in editors. */
export interface GivenFields {
  readonly [name: string]: TypeText | (string & {}) | object | number | boolean | bigint | null | undefined;
}

/**
 * The given fields, if they are valid. Each invalid one becomes a valid type or an error message. The compiler compares
 * the given fields with this type, so its error shows the problem.
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
  : `There is no type ${Text}. The types are string, number, boolean, wref, array and json; a ? after one makes it optional`;

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

/** Value of a keyword, or `never` if the type does not have the keyword. */
type KeywordValue<Key extends string, Text, Typed = TypedField> = Typed extends { readonly type: infer Texts }
  ? Text extends Texts
    ? Key extends keyof Typed
      ? Typed[Key]
      : never
    : never
  : never;

/** Reads return the stored form. Writes take any form that the server accepts. */
type Mode = 'read' | 'write';

/** Data of a record as it is read. A reference to a record that the reader may not see is null. */
export type ReadData<Fields> = ObjectValue<Fields, 'read'>;

/** The data of a record as it is written. */
export type WriteData<Fields> = ObjectValue<Fields, 'write'>;

export type FieldName<Key> = Key extends `${infer Name}?` ? Name : Key;

export type TypeOf<Text extends string> = Text extends `${infer Name}?` ? Name : Text;

type IsOptional<Key, Definition> = Key extends `${string}?` ? true : IsOptionalType<Definition>;

type IsOptionalType<Definition> = Definition extends `${string}?`
  ? true
  : Definition extends { readonly type: `${string}?` }
    ? true
    : false;

/** Merges an intersection into one object type, which the compiler shows by its fields. */
type Flat<Type> = Type extends infer Whole ? { [Key in keyof Whole]: Whole[Key] } : never;

type ObjectValue<Fields, How extends Mode> = string extends keyof Fields ? object : KnownValue<Fields, How>;

type KnownValue<Fields, How extends Mode> = Flat<
  {
    [Key in keyof Fields as IsOptional<Key, Fields[Key]> extends true ? never : FieldName<Key>]: Value<
      Fields[Key],
      How
    >;
  } & {
    [Key in keyof Fields as IsOptional<Key, Fields[Key]> extends true ? FieldName<Key> : never]?:
      | Value<Fields[Key], How>
      | null
      | undefined;
  }
>;

type Value<Definition, How extends Mode> = Definition extends string
  ? Plain<TypeOf<Definition>, How>
  : Definition extends readonly [infer Item]
    ? Items<Item, How>
    : Definition extends { readonly type: infer Text extends string }
      ? Typed<Definition, TypeOf<Text>, How>
      : ObjectValue<Definition, How>;

type Typed<Definition, Type extends string, How extends Mode> = Definition extends {
  readonly enum: readonly (infer Choice)[];
}
  ? Choice
  : Type extends 'array'
    ? Definition extends { readonly items: infer Item }
      ? Items<Item, How>
      : List<unknown, How>
    : Plain<Type, How>;

/** An optional item may be null, but not absent. */
type Items<Item, How extends Mode> = List<
  IsOptionalType<Item> extends true ? Value<Item, How> | null : Value<Item, How>,
  How
>;

type List<Item, How extends Mode> = How extends 'read' ? Item[] : readonly Item[];

type Plain<Type extends string, How extends Mode> = Type extends 'string'
  ? string
  : Type extends 'number'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'wref'
        ? WrefValue<How>
        : Type extends 'array'
          ? List<unknown, How>
          : unknown;

type WrefValue<How extends Mode> = How extends 'read' ? string | null : string;

/** Data of a read that selects only some paths. */
export type PartialData<Data> = Data extends readonly unknown[]
  ? Data
  : Data extends object
    ? { [Key in keyof Data]?: PartialData<Data[Key]> | undefined }
    : Data;

/** Value of one field, as it is written. */
export type FieldValue<Definition> = Value<Definition, 'write'>;
