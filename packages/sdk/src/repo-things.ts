// The records of one repository, typed by the shapes that a program knows.
import type { ListedRecord, RecordCount, RecordPage, WherePredicate } from '@cairn/protocol/read';
import type { RecordItem } from '@cairn/protocol/record';
import type { AnyShape, DataOf, PathOf, SomeDataOf, Wref } from './define-shape.ts';
import type { List } from './list.ts';
import { type Bound, type BoundTo, bind } from './repo-bound.ts';
import type { CheckedConditions, FieldCondition } from './shape-filter.ts';
import type { GetThing, GetThings, ThingHistory, ThingSurface } from './thing.ts';
import type { AboutThing, CountThings, HeadThings, QueryThings, SearchThings } from './thing-list.ts';

/** A shape that a filter names: by its name, or as it was defined. */
export type ShapeFilter = AnyShape | string;

/** The data that reads give: of a shape that is known, typed; of part of it where `fields` says so. */
export type FoundData<Shape extends ShapeFilter, Path> = Shape extends AnyShape
  ? [Path] extends [never]
    ? DataOf<Shape>
    : SomeDataOf<Shape>
  : unknown;

/** A record with data of a known type. */
export type Typed<Item, Data> = Omit<Item, 'data'> & { readonly data: Data };

/** A record that a list gives. */
export type Found<Shape extends ShapeFilter, Path = never> = Shape extends AnyShape
  ? Typed<ListedRecord, FoundData<Shape, Path>>
  : ListedRecord;

/** A page of such records. */
export type FoundPage<Shape extends ShapeFilter, Path = never> = Omit<RecordPage, 'items'> & {
  items: Found<Shape, Path>[];
};

/** What a wref gives: typed where `defineShape` made it. */
export type RecordFor<Name extends string> =
  Name extends Wref<infer Shape> ? Typed<RecordItem, DataOf<Shape>> : RecordItem;

/** The paths that can be named: those of a shape that is known, else any. */
export type PathFilter<Shape extends ShapeFilter> = Shape extends AnyShape ? PathOf<Shape> : string;

/** The conditions that can be made: those of a shape that is known, else any. */
export type WhereFilter<Shape extends ShapeFilter> = Shape extends AnyShape
  ? FieldCondition<Shape['fields']>
  : string | WherePredicate;

/** Conditions as a call is given them: each is checked against the shape, where that is known. */
export type CheckedWhere<Shape extends ShapeFilter, Where> = Shape extends AnyShape
  ? CheckedConditions<Shape, Where>
  : Where;

/** Any conditions, before they are checked against a shape. */
export type AnyWhere = readonly (
  | string
  | { readonly fieldPath: string; readonly op: string; readonly rhs?: unknown }
)[];

/** Options of a read, checked against the shape that they name. */
export type Filtered<Options, Shape extends ShapeFilter, Path = never, Where = readonly WhereFilter<Shape>[]> = Omit<
  Options,
  'shape' | 'where' | 'fields'
> & {
  /** Only records of this shape. One that `defineShape` made types the records, and checks `where` and `fields`. */
  readonly shape?: Shape | undefined;
  /** Conditions on fields, all of which must hold: `x:gte:3`, or `{ fieldPath: 'x', op: 'gte', rhs: 3 }`. */
  readonly where?: CheckedWhere<Shape, Where> | undefined;
} & ('fields' extends keyof Options
    ? {
        /** Paths of the data to answer. */
        readonly fields?: readonly (Path & PathFilter<Shape>)[] | undefined;
      }
    : unknown);

/**
 * The records of a repository. Lists can be awaited, for a page, or gone through, for all.
 *
 * @example
 * const Sensor = defineShape('Sensor', { x: 'number' });
 * await repo.shapes.ensure(Sensor);
 * await repo.commit().add(Sensor.wref('roof'), { x: 3 }).add(Sensor.wref('cellar'), { x: 1 }).submit();
 * for await (const { name, data } of repo.things.query({ shape: Sensor, where: ['x:gte:2'] })) console.log(name, data.x);
 * const { data } = await repo.things.get(Sensor.wref('roof'));
 * const { items } = await repo.things.getMany([Sensor.wref('roof'), Sensor.wref('cellar')]);
 * for await (const { version, data } of repo.things.history(Sensor.wref('roof'))) console.log(version, data.x);
 * const { count } = await repo.things.count({ shape: Sensor });
 * const latest = await repo.things.head({ order: '-updated', limit: 10 });
 * for await (const { name } of repo.things.about(Sensor.wref('roof'))) console.log(name);
 * for await (const { name, snippet } of repo.things.search('roof')) console.log(name, snippet?.text);
 */
export interface RepoThings extends Omit<Bound<ThingSurface>, keyof TypedReads>, TypedReads {}

interface TypedReads {
  /** The active records at their current version, or as they were at `atRepoSeq`. */
  head<
    Shape extends ShapeFilter = string,
    Path extends PathFilter<Shape> = never,
    const Where extends AnyWhere = readonly WhereFilter<Shape>[],
  >(options?: Filtered<HeadThings, Shape, Path, Where>): List<Found<Shape, Path>, FoundPage<Shape, Path>>;
  /** The same, also by what records are `about`, and by words (`q`). */
  query<
    Shape extends ShapeFilter = string,
    Path extends PathFilter<Shape> = never,
    const Where extends AnyWhere = readonly WhereFilter<Shape>[],
  >(options?: Filtered<QueryThings, Shape, Path, Where>): List<Found<Shape, Path>, FoundPage<Shape, Path>>;
  /** The assertions about a record; bare, about all its versions. */
  about<
    Shape extends ShapeFilter = string,
    Path extends PathFilter<Shape> = never,
    const Where extends AnyWhere = readonly WhereFilter<Shape>[],
  >(wref: string, options?: Filtered<AboutThing, Shape, Path, Where>): List<Found<Shape, Path>, FoundPage<Shape, Path>>;
  /** The records that hold all the words, the best match first, each with a snippet. */
  search<
    Shape extends ShapeFilter = string,
    Path extends PathFilter<Shape> = never,
    const Where extends AnyWhere = readonly WhereFilter<Shape>[],
  >(
    words: string,
    options?: Filtered<SearchThings, Shape, Path, Where>,
  ): List<Found<Shape, Path>, FoundPage<Shape, Path>>;
  /** How many records `query` finds with the same options. */
  count<Shape extends ShapeFilter = string, const Where extends AnyWhere = readonly WhereFilter<Shape>[]>(
    options?: Filtered<CountThings, Shape, never, Where>,
  ): Promise<RecordCount>;
  /** One record, as it is or as it was at `atRepoSeq`. */
  get<const Name extends string>(wref: Name, options?: GetThing): Promise<RecordFor<Name>>;
  /** Up to 500 records at one sequence; null where there is none. */
  getMany<const Name extends string>(
    wrefs: readonly Name[],
    options?: GetThings,
  ): Promise<{ repoSeq: number; items: (RecordFor<Name> | null)[] }>;
  /** Its versions, newest first. */
  history<const Name extends string>(wref: Name, options?: ThingHistory): List<RecordFor<Name>>;
}

export function repoThings(surface: ThingSurface, repo: BoundTo): RepoThings {
  const things = bind(surface, repo);
  const typed: { [Name in keyof TypedReads]: unknown } = {
    ...things,
    head: (options?: Named) => things.head(named(options)),
    query: (options?: Named) => things.query(named(options)),
    about: (wref: string, options?: Named) => things.about(wref, named(options)),
    search: (words: string, options?: Named) => things.search(words, named(options)),
    count: (options?: Named) => things.count(named(options)),
  };
  // What is sent and what comes is the same; the types say more of it.
  return typed as RepoThings;
}

type Named = Omit<QueryThings, 'shape'> & { readonly shape?: ShapeFilter | undefined };

/** The server knows shapes by their names. */
function named({ shape, ...options }: Named = {}): QueryThings {
  return shape === undefined ? options : { ...options, shape: typeof shape === 'string' ? shape : shape.name };
}
