/** A row whose columns have the names of the members of `Item`. SQL answers null for a member that is absent. */
export type RowOf<Item> = {
  readonly [Name in keyof Item]-?: undefined extends Item[Name] ? Exclude<Item[Name], undefined> | null : Item[Name];
};

type Present<Row> = { [Name in keyof Row as null extends Row[Name] ? never : Name]: Row[Name] } & {
  [Name in keyof Row as null extends Row[Name] ? Name : never]?: Exclude<Row[Name], null>;
};

export function withoutNulls<Row extends object>(row: Row): Present<Row> {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as Present<Row>;
}
