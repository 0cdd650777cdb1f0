// Lists of records, and how many there are. What is about one record that is named is in thing.ts.
import type { ProcedureInput } from '@cairn/protocol/procedures';
import type { ListedRecord, RecordCount, RecordPage } from '@cairn/protocol/read';
import { type List, listOf } from './list.ts';
import type { Call, CallOptions } from './transport.ts';

type Address = 'orgName' | 'repoName';
/** `thing.count` counts; with `count` a list would answer something else than a page. */
type Counting = 'count';

/** What a list of the head can be told. */
export type HeadThings = Omit<ProcedureInput<'thing.head'>, Address | Counting> & CallOptions;
/** What a query can be told. */
export type QueryThings = Omit<ProcedureInput<'thing.query'>, Address | Counting> & CallOptions;
/** What a list of assertions about a record can be told. */
export type AboutThing = Omit<ProcedureInput<'thing.about'>, Address | Counting | 'wref'> & CallOptions;
/** What a search can be told, beside its words. */
export type SearchThings = Omit<ProcedureInput<'thing.search'>, Address | 'q'> & CallOptions;
/** Which records are counted. */
export type CountThings = Omit<ProcedureInput<'thing.count'>, Address> & CallOptions;

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

export function thingListSurface(call: Call): ThingListSurface {
  return {
    head: (orgName, repoName, options = {}) => listOf(call, 'thing.head', { orgName, repoName, ...options }),
    query: (orgName, repoName, options = {}) => listOf(call, 'thing.query', { orgName, repoName, ...options }),
    about: (orgName, repoName, wref, options = {}) =>
      listOf(call, 'thing.about', { orgName, repoName, wref, ...options }),
    search: (orgName, repoName, q, options = {}) => listOf(call, 'thing.search', { orgName, repoName, q, ...options }),
    count: (orgName, repoName, options = {}) => call('thing.count', { orgName, repoName, ...options }),
  };
}
