// A handle of one repository: every call on it, without repeating its name. Records of known shapes are typed.
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

/** The calls of a surface that start with an organization and a repository, without these two parameters. */
export type Bound<Surface> = {
  [Name in keyof Surface]: Surface[Name] extends (
    orgName: string,
    repoName: string,
    ...rest: infer Rest
  ) => infer Result
    ? (...rest: Rest) => Result
    : never;
};

/** Binds the calls to one repository. `others` are calls that are not about a repository, and are left out. */
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
  /** Makes the shape match the definition: creates it, revises it if it differs, or leaves it unchanged. */
  ensure(shape: AnyShape, options?: CallOptions): Promise<ShapeItem>;
}

function repoShapes(surface: ShapeSurface, repo: RepositoryName): RepoShapes {
  const shapes = bind(surface, repo);
  return {
    ...shapes,
    ensure: async ({ name, fields, description }, options) => {
      const definition = { fields, ...(description !== undefined && { description }), ...options };
      // Revising a shape to its current definition creates no version.
      const revise = () => shapes.revise(name, definition);
      return await revise()
        .catch(unless('NOT_FOUND', () => shapes.create(name, definition)))
        .catch(unless('ALREADY_EXISTS', revise));
    },
  };
}

function unless<Result>(code: CairnError['code'], mend: () => Promise<Result>): (error: unknown) => Promise<Result> {
  return async (error) => {
    if (error instanceof CairnError && error.code === code) return await mend();
    throw error;
  };
}

/** A shape to filter by: its name, or its definition. */
export type ShapeFilter = AnyShape | string;

/** Data that reads return. It is typed if the shape is known, and partial if `fields` selects paths. */
export type FoundData<Shape extends ShapeFilter, Path> = Shape extends AnyShape
  ? [Path] extends [never]
    ? DataOf<Shape>
    : SomeDataOf<Shape>
  : unknown;

/** A record with data of a known type. */
export type Typed<Item, Data> = Omit<Item, 'data'> & { readonly data: Data };

/** A record in a list. */
export type Found<Shape extends ShapeFilter, Path = never> = Shape extends AnyShape
  ? Typed<ListedRecord, FoundData<Shape, Path>>
  : ListedRecord;

/** A page of such records. */
export type FoundPage<Shape extends ShapeFilter, Path = never> = Omit<RecordPage, 'items'> & {
  items: Found<Shape, Path>[];
};

/** The record for a wref, with typed data if `defineShape` created the wref. */
export type RecordFor<Name extends string> =
  Name extends Wref<infer Shape> ? Typed<RecordItem, DataOf<Shape>> : RecordItem;

/** Paths that a read can name: those of a known shape, or any text. */
export type PathFilter<Shape extends ShapeFilter> = Shape extends AnyShape ? PathOf<Shape> : string;

/** Conditions that a filter can have: those of a known shape, or any. */
export type WhereFilter<Shape extends ShapeFilter> = Shape extends AnyShape
  ? FieldCondition<Shape['fields']>
  : string | WherePredicate;

/** Conditions as passed to a call. If the shape is known, each one is checked against it. */
export type CheckedWhere<Shape extends ShapeFilter, Where> = Shape extends AnyShape
  ? CheckedConditions<Shape, Where>
  : Where;

/** Conditions of any form, before they are checked against a shape. */
export type AnyWhere = readonly (
  | string
  | { readonly fieldPath: string; readonly op: string; readonly rhs?: unknown }
)[];

/** Options of a read, checked against the shape that they name. */
export type Filtered<Options, Shape extends ShapeFilter, Path = never, Where = readonly WhereFilter<Shape>[]> = Omit<
  Options,
  'shape' | 'where' | 'fields'
> & {
  /**
   * Returns only records of this shape. A shape from `defineShape` types the records, and checks `where` and `fields`.
   */
  readonly shape?: Shape | undefined;
  /** Conditions on fields that must all hold: `x:gte:3`, or `{ fieldPath: 'x', op: 'gte', rhs: 3 }`. */
  readonly where?: CheckedWhere<Shape, Where> | undefined;
} & ('fields' extends keyof Options
    ? {
        /** Paths of the data to return. */
        readonly fields?: readonly (Path & PathFilter<Shape>)[] | undefined;
      }
    : unknown);

/**
 * The records of a repository. Await a list for one page, or iterate over it for all records.
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
  /** Active records at their current version, or as of `atRepoSeq`. */
  head<
    Shape extends ShapeFilter = string,
    Path extends PathFilter<Shape> = never,
    const Where extends AnyWhere = readonly WhereFilter<Shape>[],
  >(options?: Filtered<HeadThings, Shape, Path, Where>): List<Found<Shape, Path>, FoundPage<Shape, Path>>;
  /** Like `head`, but also filters by the target of assertions (`about`) and by search terms (`q`). */
  query<
    Shape extends ShapeFilter = string,
    Path extends PathFilter<Shape> = never,
    const Where extends AnyWhere = readonly WhereFilter<Shape>[],
  >(options?: Filtered<QueryThings, Shape, Path, Where>): List<Found<Shape, Path>, FoundPage<Shape, Path>>;
  /** Assertions about a record. A wref without a version stands for all versions. */
  about<
    Shape extends ShapeFilter = string,
    Path extends PathFilter<Shape> = never,
    const Where extends AnyWhere = readonly WhereFilter<Shape>[],
  >(wref: string, options?: Filtered<AboutThing, Shape, Path, Where>): List<Found<Shape, Path>, FoundPage<Shape, Path>>;
  /** Records that contain all search terms, best match first, each with a snippet. */
  search<
    Shape extends ShapeFilter = string,
    Path extends PathFilter<Shape> = never,
    const Where extends AnyWhere = readonly WhereFilter<Shape>[],
  >(
    words: string,
    options?: Filtered<SearchThings, Shape, Path, Where>,
  ): List<Found<Shape, Path>, FoundPage<Shape, Path>>;
  /** Number of records that `query` finds with the same options. */
  count<Shape extends ShapeFilter = string, const Where extends AnyWhere = readonly WhereFilter<Shape>[]>(
    options?: Filtered<CountThings, Shape, never, Where>,
  ): Promise<RecordCount>;
  /** One record, at its current version or as of `atRepoSeq`. */
  get<const Name extends string>(wref: Name, options?: GetThing): Promise<RecordFor<Name>>;
  /** Up to 500 records at one sequence. Missing records are null. */
  getMany<const Name extends string>(
    wrefs: readonly Name[],
    options?: GetThings,
  ): Promise<{ repoSeq: number; items: (RecordFor<Name> | null)[] }>;
  /** Versions of a record, newest first. */
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
  // The values at run time are the same. Only the types say more.
  return typed as RepoThings;
}

type Named = Omit<QueryThings, 'shape'> & { readonly shape?: ShapeFilter | undefined };

function named({ shape, ...options }: Named = {}): QueryThings {
  return shape === undefined ? options : { ...options, shape: typeof shape === 'string' ? shape : shape.name };
}

/** Calls that are not about one repository. */
const OF_ALL = ['list', 'create'] as const;
/** Calls that identify a run by its id alone. */
const OF_RUN = ['callback'] as const;
/** Calls about the registry rather than about installed components. */
const OF_REGISTRY = ['register', 'publish', 'registry', 'view', 'unregister', 'resolve', 'setupCall'] as const;

/**
 * One repository. It has the calls of the surfaces, without the names of the organization and the repository. Its
 * properties `things`, `shapes`, `commits` and so on group further calls.
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
  /** Name of the organization, as it was given to `client.repo`. */
  readonly orgName: string;
  /** Name of the repository, as it was given to `client.repo`. A rename does not change it. */
  readonly repoName: string;
  /** Records. */
  readonly things: RepoThings;
  /** Shapes. */
  readonly shapes: RepoShapes;
  /** Existing commits, and new commits without the builder. */
  readonly commits: Bound<CommitSurface>;
  /** Webhook subscriptions. */
  readonly subscriptions: Bound<SubscriptionSurface>;
  /** Runs, attempts and notifications of subscriptions. */
  readonly actions: Bound<Omit<ActionSurface, (typeof OF_RUN)[number]>>;
  /** Secrets for deliveries. */
  readonly credentials: Bound<CredentialSurface>;
  /** Installed components. */
  readonly components: Bound<Omit<ComponentSurface, (typeof OF_REGISTRY)[number]>>;
  /** Streams of submissions, call by call. `stream` sends one. */
  readonly streams: Bound<StreamSurface>;
  /** Export jobs, call by call. `exportToFile` runs one and downloads its file. */
  readonly exports: Bound<ExportSurface>;
  /** Imports, call by call. `import` makes all these calls. */
  readonly imports: Bound<ImportSurface>;
  /** Starts a commit that is built step by step. */
  commit(message?: string, options?: CommitOptions): CommitBuilder;
  /** Checks a permission of the caller on this repository, with the reason. */
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
    message: `${JSON.stringify(name)} is not the name of a repository. Write the organization and the name, such as acme/world.`,
  });
}
