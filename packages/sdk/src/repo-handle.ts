// One repository, by its name: every call on it, without saying which it is. Records are typed by the shapes that a program knows.
import { CairnError, fail } from '@cairn/protocol/errors';
import type { PermissionAnswer } from '@cairn/protocol/organization';
import type { ListedRecord, RecordCount, RecordPage, WherePredicate } from '@cairn/protocol/read';
import type { RecordItem, ShapeItem } from '@cairn/protocol/record';
import type { Scope } from '@cairn/protocol/scopes';
import type { CairnClient } from './client.ts';
import { CommitBuilder, type CommitOptions, type CommitSurface } from './commit.ts';
import type { ComponentSurface } from './component.ts';
import type { AnyShape, DataOf, PathOf, SomeDataOf, Wref } from './define-shape.ts';
import type { ExportSurface, RepositoryName } from './export.ts';
import type { ImportSurface } from './import.ts';
import type { List } from './list.ts';
import type { RepoSurface } from './repo.ts';
import type { ShapeSurface } from './shape.ts';
import type { CheckedConditions, FieldCondition } from './shape-filter.ts';
import type { StreamSurface } from './stream.ts';
import type { ActionSurface, CredentialSurface, SubscriptionSurface } from './subscription.ts';
import type {
  AboutThing,
  CountThings,
  GetThing,
  GetThings,
  HeadThings,
  QueryThings,
  SearchThings,
  ThingHistory,
  ThingSurface,
} from './thing.ts';
import type { CallOptions } from './transport.ts';

/** The calls of a surface that begin with an organization and a repository, without these two. */
export type Bound<Surface> = {
  [Name in keyof Surface]: Surface[Name] extends (
    orgName: string,
    repoName: string,
    ...rest: infer Rest
  ) => infer Result
    ? (...rest: Rest) => Result
    : never;
};

/** Without the calls that are about something else than a repository. */
function bind<Surface extends object, Other extends keyof Surface = never>(
  surface: Surface,
  { orgName, repoName }: RepositoryName,
  others: readonly Other[] = [],
): Bound<Omit<Surface, Other>> {
  const calls = Object.entries<(...given: unknown[]) => unknown>(surface as never);
  return Object.fromEntries(
    calls
      .filter(([name]) => !others.includes(name as Other))
      .map(([name, call]) => [name, (...rest: unknown[]) => call(orgName, repoName, ...rest)]),
  ) as Bound<Omit<Surface, Other>>;
}

/**
 * The shapes of a repository.
 *
 * @example
 * const Sensor = defineShape('Sensor', { x: 'number' }, { description: 'What measures' });
 * const { version } = await repo.shapes.ensure(Sensor);
 * for await (const { name } of repo.shapes.list()) console.log(name);
 */
export interface RepoShapes extends Bound<ShapeSurface> {
  /**
   * Has the shape as it is defined: creates it, gives it a new version where it differs, and leaves it where it does not.
   */
  ensure(shape: AnyShape, options?: CallOptions): Promise<ShapeItem>;
}

function repoShapes(surface: ShapeSurface, repo: RepositoryName): RepoShapes {
  const shapes = bind(surface, repo);
  return {
    ...shapes,
    ensure: async ({ name, fields, description }, options) => {
      const definition = { fields, ...(description !== undefined && { description }), ...options };
      // Revising it to what it is makes no version.
      const revise = () => shapes.revise(name, definition);
      return await revise()
        .catch(unless('NOT_FOUND', () => shapes.create(name, definition)))
        .catch(unless('ALREADY_EXISTS', revise));
    },
  };
}

/** What to do about one error; another is thrown on. */
function unless<Result>(code: CairnError['code'], mend: () => Promise<Result>): (error: unknown) => Promise<Result> {
  return async (error) => {
    if (error instanceof CairnError && error.code === code) return await mend();
    throw error;
  };
}

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

function repoThings(surface: ThingSurface, repo: RepositoryName): RepoThings {
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

/** What is said of repositories in general. */
const OF_ALL = ['list', 'create'] as const;
/** What is said of a run by its id alone. */
const OF_RUN = ['callback'] as const;
/** What is said of the registry, and not of what is installed. */
const OF_REGISTRY = ['register', 'publish', 'registry', 'view', 'unregister', 'resolve', 'setupCall'] as const;

/**
 * One repository. Its calls are those of the surfaces, without the names of the organization and the repository; `things`,
 * `shapes`, `commits` and so on hold what belongs to each.
 *
 * @example
 * const repo = client.repo('acme/world');
 * await repo.commit('The first cave').add('Location/cave', { x: 3 }).submit();
 * for await (const { name } of repo.things.query({ shape: 'Location' })) console.log(name);
 * for await (const { message } of repo.commits.log()) console.log(message);
 * const { shapes } = await repo.describe();
 * const { allowed } = await repo.checkPermission('repo:write');
 */
export interface RepoHandle extends Bound<Omit<RepoSurface, (typeof OF_ALL)[number]>> {
  /** The organization that it was asked for by. */
  readonly orgName: string;
  /** The name that it was asked for by; a rename does not change it. */
  readonly repoName: string;
  /** Records. */
  readonly things: RepoThings;
  /** Shapes. */
  readonly shapes: RepoShapes;
  /** Commits that were made, and those that are made without the builder. */
  readonly commits: Bound<CommitSurface>;
  /** Which commits are told to webhooks. */
  readonly subscriptions: Bound<SubscriptionSurface>;
  /** What became of subscriptions. */
  readonly actions: Bound<Omit<ActionSurface, (typeof OF_RUN)[number]>>;
  /** Secrets that deliveries are sent with. */
  readonly credentials: Bound<CredentialSurface>;
  /** What is installed. */
  readonly components: Bound<Omit<ComponentSurface, (typeof OF_REGISTRY)[number]>>;
  /** Streams of submissions, call by call; `stream` sends one. */
  readonly streams: Bound<StreamSurface>;
  /** Exports as jobs, call by call; `exportToFile` has one built and downloads it. */
  readonly exports: Bound<ExportSurface>;
  /** Imports, call by call; `import` makes all of them. */
  readonly imports: Bound<ImportSurface>;
  /** A commit put together step by step. */
  commit(message?: string, options?: CommitOptions): CommitBuilder;
  /** Whether the caller may do something here, and why. */
  checkPermission(permission: Scope, options?: CallOptions): Promise<PermissionAnswer>;
}

export function repoHandle(client: CairnClient, name: string): RepoHandle {
  const repo = repoNamed(name);
  const commits = bind(client.commit, repo);
  return {
    ...bind(client.repo, repo, OF_ALL),
    ...repo,
    things: repoThings(client.thing, repo),
    shapes: repoShapes(client.shape, repo),
    commits,
    subscriptions: bind(client.subscription, repo),
    actions: bind(client.action, repo, OF_RUN),
    credentials: bind(client.credential, repo),
    components: bind(client.component, repo, OF_REGISTRY),
    streams: bind(client.stream, repo),
    exports: bind(client.export, repo),
    imports: bind(client.import, repo),
    commit: (message, options = {}) => new CommitBuilder(commits, message, options),
    checkPermission: (permission, options) =>
      client.access.checkRepoPermission(repo.orgName, repo.repoName, permission, options),
  };
}

function repoNamed(name: string): RepositoryName {
  const [, orgName, repoName] = /^([^/]+)\/([^/]+)$/.exec(name) ?? [];
  if (orgName !== undefined && repoName !== undefined) return { orgName, repoName };
  throw fail('VALIDATION_ERROR', {
    message: `${JSON.stringify(name)} names no repository. Write its organization and its name, such as acme/world.`,
  });
}
