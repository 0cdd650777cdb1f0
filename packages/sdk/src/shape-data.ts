// The data of records, inferred from the fields of their shape. Types alone.

/** Reading gives what is stored; writing takes what the server accepts. */
type Mode = 'read' | 'write';

/** The data of a record as it is read: a reference to what the reader may not see is null. */
export type ReadData<Fields> = ObjectValue<Fields, 'read'>;

/** The data of a record as it is written. */
export type WriteData<Fields> = ObjectValue<Fields, 'write'>;

/** Of a field that is named with or without its `?`, the name. */
export type FieldName<Key> = Key extends `${infer Name}?` ? Name : Key;

/** Of the text that names a type, the type. */
export type TypeOf<Text extends string> = Text extends `${infer Name}?` ? Name : Text;

type IsOptional<Key, Definition> = Key extends `${string}?` ? true : IsOptionalType<Definition>;

type IsOptionalType<Definition> = Definition extends `${string}?`
  ? true
  : Definition extends { readonly type: `${string}?` }
    ? true
    : false;

/** As one object, which the compiler shows by its fields. */
type Flat<Type> = Type extends infer Whole ? { [Key in keyof Whole]: Whole[Key] } : never;

/** Of fields that are not known, anything. */
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

/** An optional item may be null, and cannot be absent. */
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

/** Where only some paths of the data were asked for. */
export type PartialData<Data> = Data extends readonly unknown[]
  ? Data
  : Data extends object
    ? { [Key in keyof Data]?: PartialData<Data[Key]> | undefined }
    : Data;

/** What one field holds, as it is written. */
export type FieldValue<Definition> = Value<Definition, 'write'>;
