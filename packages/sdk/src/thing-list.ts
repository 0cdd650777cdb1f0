// Lists of records, and how many there are. What is about one record that is named is in thing.ts.
import type { ProcedureInput } from '@cairn/protocol/procedures';
import type { ListedRecord, RecordCount, RecordPage } from '@cairn/protocol/read';
import { eachItem } from './each-item.ts';
import type { Call } from './transport.ts';

type Address = 'orgName' | 'repoName';
/** `thing.count` counts; with `count` a list would answer something else than a page. */
type Counting = 'count';

export type HeadThings = Omit<ProcedureInput<'thing.head'>, Address | Counting>;
export type QueryThings = Omit<ProcedureInput<'thing.query'>, Address | Counting>;
export type AboutThing = Omit<ProcedureInput<'thing.about'>, Address | Counting | 'wref'>;
export type SearchThings = Omit<ProcedureInput<'thing.search'>, Address | 'q'>;
export type CountThings = Omit<ProcedureInput<'thing.count'>, Address>;

/**
 * Lists of records: 50 to a page, unless `limit` says otherwise. All pages of a list are read at the sequence of the
 * first, whatever is written meanwhile.
 *
 * @example
 * const { items, nextCursor } = await client.thing.head('acme', 'world', { shape: 'Location', order: '-updated' });
 * for await (const { name } of client.thing.queryAll('acme', 'world', { shape: 'Location', where: ['x:gte:3'] })) {
 *   console.log(name);
 * }
 */
export interface ThingListSurface {
  /** A page of the active records at their current version, or as they were at `atRepoSeq`. */
  head(orgName: string, repoName: string, options?: HeadThings): Promise<RecordPage>;
  /** The same, also by what records are `about`, and by words (`q`). */
  query(orgName: string, repoName: string, options?: QueryThings): Promise<RecordPage>;
  /** Every record that `query` finds, page after page as they are needed; `limit` is the size of a page. */
  queryAll(orgName: string, repoName: string, options?: QueryThings): AsyncGenerator<ListedRecord, void, undefined>;
  /** A page of the assertions about a record; bare, about all its versions. */
  about(orgName: string, repoName: string, wref: string, options?: AboutThing): Promise<RecordPage>;
  /** A page of the records that hold all the words, the best match first, each with a snippet. */
  search(orgName: string, repoName: string, words: string, options?: SearchThings): Promise<RecordPage>;
  /** How many records `query` finds with the same options. */
  count(orgName: string, repoName: string, options?: CountThings): Promise<RecordCount>;
}

export function thingListSurface(call: Call): ThingListSurface {
  const list = <Name extends 'thing.head' | 'thing.query' | 'thing.about'>(name: Name, input: ProcedureInput<Name>) =>
    // A count is answered only where `count` is sent.
    call(name, input) as Promise<RecordPage>;
  const query: ThingListSurface['query'] = (orgName, repoName, options = {}) =>
    list('thing.query', { orgName, repoName, ...options });
  return {
    head: (orgName, repoName, options = {}) => list('thing.head', { orgName, repoName, ...options }),
    query,
    queryAll: (orgName, repoName, { cursor: first, ...options } = {}) =>
      eachItem((cursor = first) => query(orgName, repoName, { ...options, cursor })),
    about: (orgName, repoName, wref, options = {}) => list('thing.about', { orgName, repoName, wref, ...options }),
    search: (orgName, repoName, q, options = {}) => call('thing.search', { orgName, repoName, q, ...options }),
    count: (orgName, repoName, options = {}) => call('thing.count', { orgName, repoName, ...options }),
  };
}
