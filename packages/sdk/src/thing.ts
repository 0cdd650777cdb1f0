// Records, by wref and in lists.

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

/** How a record is read: at which sequence, and whether retracted too. */
export type GetThing = Omit<ProcedureInput<'thing.get'>, RepositoryAddress | 'wref'> & CallOptions;
/** How records are read: at which sequence, and whether retracted too. */
export type GetThings = Omit<ProcedureInput<'thing.getMany'>, RepositoryAddress | 'wrefs'> & CallOptions;
/** What a list of versions can be told. */
export type ThingHistory = Omit<ProcedureInput<'thing.history'>, RepositoryAddress | 'wref'> & CallOptions;
/** What a list of names can be told. */
export type ThingNames = Omit<ProcedureInput<'thing.names'>, RepositoryAddress | 'wref'> & CallOptions;
/** Which references are listed. */
export type ThingRefs = Omit<ProcedureInput<'thing.refs'>, RepositoryAddress | 'wref'> & CallOptions;
/** How far, and which way, references are followed. */
export type ThingGraph = Omit<ProcedureInput<'thing.graph'>, RepositoryAddress | 'wref'> & CallOptions;
/** Between which sequences, and of which records, changes are listed. */
export type ThingChanges = Omit<ProcedureInput<'thing.changes'>, RepositoryAddress> & CallOptions;
/** Between which sequences the data of a record is compared. */
export type ThingDiff = Omit<ProcedureInput<'thing.diff'>, RepositoryAddress | 'wref'> & CallOptions;
/** What renaming a record can be told. */
export type RenameThing = Omit<ProcedureInput<'thing.rename'>, RepositoryAddress | 'name' | 'newName'> & CallOptions;

/** A page of references, and the sequence that was read. */
export type RefsPage = ProcedureOutput<'thing.refs'>;
/** A page of changes, and the two sequences that they lie between. */
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
  /** One record, as it is or as it was at `atRepoSeq`. */
  get(orgName: string, repoName: string, wref: string, options?: GetThing): Promise<RecordItem>;
  /** Up to 500 records at one sequence; null where there is none. */
  getMany(
    orgName: string,
    repoName: string,
    wrefs: string[],
    options?: GetThings,
  ): Promise<ProcedureOutput<'thing.getMany'>>;
  /** Its versions, newest first. */
  history(orgName: string, repoName: string, wref: string, options?: ThingHistory): List<RecordItem>;
  /** The names that it has had, oldest first. */
  names(orgName: string, repoName: string, wref: string, options?: ThingNames): List<NameItem>;
  /** What it refers to, and what refers to it. */
  refs(orgName: string, repoName: string, wref: string, options?: ThingRefs): List<ReferenceItem, RefsPage>;
  /** The records around it: up to `depth` references away, at most `limit`. */
  graph(orgName: string, repoName: string, wref: string, options?: ThingGraph): Promise<Graph>;
  /** The records that changed after `sinceRepoSeq`, and how. */
  changes(orgName: string, repoName: string, options: ThingChanges): List<RecordChange, ChangesPage>;
  /** What changed in its data after `sinceRepoSeq`. */
  diff(orgName: string, repoName: string, wref: string, options: ThingDiff): Promise<RecordDiff>;
  /**
   * Gives a thing, an assertion or a collection another name within its shape. What refers to it follows; the old name
   * is free at once.
   */
  rename(orgName: string, repoName: string, name: string, newName: string, options?: RenameThing): Promise<RecordItem>;
}

/** `thing.count` counts; with `count` a list would answer something else than a page. */
type Counting = 'count';

/** What a list of the head can be told. */
export type HeadThings = Omit<ProcedureInput<'thing.head'>, RepositoryAddress | Counting> & CallOptions;
/** What a query can be told. */
export type QueryThings = Omit<ProcedureInput<'thing.query'>, RepositoryAddress | Counting> & CallOptions;
/** What a list of assertions about a record can be told. */
export type AboutThing = Omit<ProcedureInput<'thing.about'>, RepositoryAddress | Counting | 'wref'> & CallOptions;
/** What a search can be told, beside its words. */
export type SearchThings = Omit<ProcedureInput<'thing.search'>, RepositoryAddress | 'q'> & CallOptions;
/** Which records are counted. */
export type CountThings = Omit<ProcedureInput<'thing.count'>, RepositoryAddress> & CallOptions;

/**
 * Lists of records: 50 to a page, unless `limit` says otherwise. All pages of a list are read at the sequence of the
 * first, whatever is written meanwhile.
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
  /** The active records at their current version, or as they were at `atRepoSeq`. */
  head(orgName: string, repoName: string, options?: HeadThings): List<ListedRecord, RecordPage>;
  /** The same, also by what records are `about`, and by words (`q`). */
  query(orgName: string, repoName: string, options?: QueryThings): List<ListedRecord, RecordPage>;
  /** The assertions about a record; bare, about all its versions. */
  about(orgName: string, repoName: string, wref: string, options?: AboutThing): List<ListedRecord, RecordPage>;
  /** The records that hold all the words, the best match first, each with a snippet. */
  search(orgName: string, repoName: string, words: string, options?: SearchThings): List<ListedRecord, RecordPage>;
  /** How many records `query` finds with the same options. */
  count(orgName: string, repoName: string, options?: CountThings): Promise<RecordCount>;
}
