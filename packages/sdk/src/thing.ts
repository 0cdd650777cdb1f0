import type { ProcedureInput, ProcedureOutput } from '@cairn/protocol/procedures';
import type {
  Graph,
  ListedRecord,
  NameItem,
  RecordChange,
  RecordCount,
  RecordDiff,
  RecordPage,
  ReferenceItem,
} from '@cairn/protocol/read';
import type { RecordItem } from '@cairn/protocol/record';
import type { List } from './list.ts';
import type { RepositoryAddress } from './surfaces.ts';
import type { CallOptions } from './transport.ts';

/** Options of `thing.get`, such as the sequence to read at. */
export type GetThing = Omit<ProcedureInput<'thing.get'>, RepositoryAddress | 'wref'> & CallOptions;
/** Options of `thing.getMany`, such as the sequence to read at. */
export type GetThings = Omit<ProcedureInput<'thing.getMany'>, RepositoryAddress | 'wrefs'> & CallOptions;
/** Options of `thing.history`. */
export type ThingHistory = Omit<ProcedureInput<'thing.history'>, RepositoryAddress | 'wref'> & CallOptions;
/** Options of `thing.names`. */
export type ThingNames = Omit<ProcedureInput<'thing.names'>, RepositoryAddress | 'wref'> & CallOptions;
/** Options of `thing.refs`, such as the direction. */
export type ThingRefs = Omit<ProcedureInput<'thing.refs'>, RepositoryAddress | 'wref'> & CallOptions;
/** Options of `thing.graph`, such as the depth and the direction. */
export type ThingGraph = Omit<ProcedureInput<'thing.graph'>, RepositoryAddress | 'wref'> & CallOptions;
/** Options of `thing.changes`: the range of sequences, and filters for records. */
export type ThingChanges = Omit<ProcedureInput<'thing.changes'>, RepositoryAddress> & CallOptions;
/** Options of `thing.diff`: the sequences to compare. */
export type ThingDiff = Omit<ProcedureInput<'thing.diff'>, RepositoryAddress | 'wref'> & CallOptions;
/** Options of `thing.rename`. */
export type RenameThing = Omit<ProcedureInput<'thing.rename'>, RepositoryAddress | 'name' | 'newName'> & CallOptions;

/** A page of references, and the sequence that was read. */
export type RefsPage = ProcedureOutput<'thing.refs'>;
/** A page of changes, and the two sequences around them. */
export type ChangesPage = ProcedureOutput<'thing.changes'>;

/**
 * Records: by wref (`Location/cave`, `Location/cave@v3`, or a durable ID), and in lists.
 *
 * @example
 * const cave = await client.thing.get('acme', 'world', 'Location/cave');
 * const { items } = await client.thing.getMany('acme', 'world', ['Location/cave', 'Location/hut']);
 * for await (const { version } of client.thing.history('acme', 'world', 'Location/cave')) console.log(version);
 * for await (const { name, repoSeq } of client.thing.names('acme', 'world', 'Location/cave')) console.log(name, repoSeq);
 * for await (const { wref } of client.thing.refs('acme', 'world', 'Location/cave', { direction: 'in' })) console.log(wref);
 * const { nodes, edges } = await client.thing.graph('acme', 'world', 'Location/cave', { depth: 2 });
 * for await (const { name, change } of client.thing.changes('acme', 'world', { sinceRepoSeq: 1 })) console.log(name, change);
 * const { differences } = await client.thing.diff('acme', 'world', 'Location/cave', { sinceRepoSeq: 1 });
 * await client.thing.rename('acme', 'world', 'Location/cave', 'Location/cavern');
 */
export interface ThingSurface extends ThingListSurface {
  /** One record, at its current version or as of `atRepoSeq`. */
  get(orgName: string, repoName: string, wref: string, options?: GetThing): Promise<RecordItem>;
  /** Up to 500 records at one sequence. Missing records are null. */
  getMany(
    orgName: string,
    repoName: string,
    wrefs: string[],
    options?: GetThings,
  ): Promise<ProcedureOutput<'thing.getMany'>>;
  /** Versions of a record, newest first. */
  history(orgName: string, repoName: string, wref: string, options?: ThingHistory): List<RecordItem>;
  /** Names that a record has had, oldest first. */
  names(orgName: string, repoName: string, wref: string, options?: ThingNames): List<NameItem>;
  /** References from a record, and to it. */
  refs(orgName: string, repoName: string, wref: string, options?: ThingRefs): List<ReferenceItem, RefsPage>;
  /** Records around a record: up to `depth` references away, at most `limit`. */
  graph(orgName: string, repoName: string, wref: string, options?: ThingGraph): Promise<Graph>;
  /** Records that changed after `sinceRepoSeq`, and the kind of change. */
  changes(orgName: string, repoName: string, options: ThingChanges): List<RecordChange, ChangesPage>;
  /** Differences in the data of a record since `sinceRepoSeq`. */
  diff(orgName: string, repoName: string, wref: string, options: ThingDiff): Promise<RecordDiff>;
  /**
   * Renames a thing, an assertion or a collection within its shape. References to it follow, and the old name is free
   * at once.
   */
  rename(orgName: string, repoName: string, name: string, newName: string, options?: RenameThing): Promise<RecordItem>;
}

/** Left out of lists, which would then return something other than a page. `thing.count` counts. */
type Counting = 'count';

/** Options of `thing.head`. */
export type HeadThings = Omit<ProcedureInput<'thing.head'>, RepositoryAddress | Counting> & CallOptions;
/** Options of `thing.query`. */
export type QueryThings = Omit<ProcedureInput<'thing.query'>, RepositoryAddress | Counting> & CallOptions;
/** Options of `thing.about`. */
export type AboutThing = Omit<ProcedureInput<'thing.about'>, RepositoryAddress | Counting | 'wref'> & CallOptions;
/** Options of `thing.search`, besides the search terms. */
export type SearchThings = Omit<ProcedureInput<'thing.search'>, RepositoryAddress | 'q'> & CallOptions;
/** Options of `thing.count`. */
export type CountThings = Omit<ProcedureInput<'thing.count'>, RepositoryAddress> & CallOptions;

/**
 * Lists of records, 50 to a page by default. All pages of a list are read at the sequence of the first, regardless of
 * later writes.
 *
 * @example
 * const { items, nextCursor } = await client.thing.head('acme', 'world', { shape: 'Location', order: '-updated' });
 * for await (const { name } of client.thing.query('acme', 'world', { shape: 'Location', where: ['x:gte:3'] })) {
 *   console.log(name);
 * }
 * for await (const { name } of client.thing.about('acme', 'world', 'Location/cave')) console.log(name);
 * for await (const { name, snippet } of client.thing.search('acme', 'world', 'cave')) console.log(name, snippet?.text);
 * const { count } = await client.thing.count('acme', 'world', { shape: 'Location' });
 */
export interface ThingListSurface {
  /** Active records at their current version, or as of `atRepoSeq`. */
  head(orgName: string, repoName: string, options?: HeadThings): List<ListedRecord, RecordPage>;
  /** Like `head`, but also filters by the target of assertions (`about`) and by search terms (`q`). */
  query(orgName: string, repoName: string, options?: QueryThings): List<ListedRecord, RecordPage>;
  /** Assertions about a record. A wref without a version stands for all versions. */
  about(orgName: string, repoName: string, wref: string, options?: AboutThing): List<ListedRecord, RecordPage>;
  /** Records that contain all search terms, best match first, each with a snippet. */
  search(orgName: string, repoName: string, words: string, options?: SearchThings): List<ListedRecord, RecordPage>;
  /** Number of records that `query` finds with the same options. */
  count(orgName: string, repoName: string, options?: CountThings): Promise<RecordCount>;
}
