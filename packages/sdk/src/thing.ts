import type { Page } from '@cairn/protocol/page';
import type { ProcedureInput, ProcedureOutput } from '@cairn/protocol/procedures';
import type { Graph, RecordDiff } from '@cairn/protocol/read';
import type { RecordItem } from '@cairn/protocol/record';
import { type ThingListSurface, thingListSurface } from './thing-list.ts';
import type { Call } from './transport.ts';

type Address = 'orgName' | 'repoName';

export type GetThing = Omit<ProcedureInput<'thing.get'>, Address | 'wref'>;
export type GetThings = Omit<ProcedureInput<'thing.getMany'>, Address | 'wrefs'>;
export type ThingHistory = Omit<ProcedureInput<'thing.history'>, Address | 'wref'>;
export type ThingRefs = Omit<ProcedureInput<'thing.refs'>, Address | 'wref'>;
export type ThingGraph = Omit<ProcedureInput<'thing.graph'>, Address | 'wref'>;
export type ThingChanges = Omit<ProcedureInput<'thing.changes'>, Address>;
export type ThingDiff = Omit<ProcedureInput<'thing.diff'>, Address | 'wref'>;
export type RenameThing = Omit<ProcedureInput<'thing.rename'>, Address | 'name' | 'newName'>;

export type RefsPage = ProcedureOutput<'thing.refs'>;
export type ChangesPage = ProcedureOutput<'thing.changes'>;

/**
 * Records: by wref (`Location/cave`, `Location/cave@v3`, or a durable ID), and in lists.
 *
 * @example
 * const cave = await client.thing.get('acme', 'world', 'Location/cave');
 * const { items } = await client.thing.refs('acme', 'world', 'Location/cave', { direction: 'in' });
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
  history(orgName: string, repoName: string, wref: string, options?: ThingHistory): Promise<Page<RecordItem>>;
  /** A page of what it refers to, and of what refers to it. */
  refs(orgName: string, repoName: string, wref: string, options?: ThingRefs): Promise<RefsPage>;
  /** The records around it: up to `depth` references away, at most `limit`. */
  graph(orgName: string, repoName: string, wref: string, options?: ThingGraph): Promise<Graph>;
  /** A page of the records that changed after `sinceRepoSeq`, and how. */
  changes(orgName: string, repoName: string, options: ThingChanges): Promise<ChangesPage>;
  /** What changed in its data after `sinceRepoSeq`. */
  diff(orgName: string, repoName: string, wref: string, options: ThingDiff): Promise<RecordDiff>;
  /**
   * Gives a thing, an assertion or a collection another name within its shape. What refers to it follows; the old name
   * is free at once.
   */
  rename(orgName: string, repoName: string, name: string, newName: string, options?: RenameThing): Promise<RecordItem>;
}

export function thingSurface(call: Call): ThingSurface {
  return {
    ...thingListSurface(call),
    get: (orgName, repoName, wref, options = {}) => call('thing.get', { orgName, repoName, wref, ...options }),
    getMany: (orgName, repoName, wrefs, options = {}) =>
      call('thing.getMany', { orgName, repoName, wrefs, ...options }),
    history: (orgName, repoName, wref, options = {}) => call('thing.history', { orgName, repoName, wref, ...options }),
    refs: (orgName, repoName, wref, options = {}) => call('thing.refs', { orgName, repoName, wref, ...options }),
    graph: (orgName, repoName, wref, options = {}) => call('thing.graph', { orgName, repoName, wref, ...options }),
    changes: (orgName, repoName, options) => call('thing.changes', { orgName, repoName, ...options }),
    diff: (orgName, repoName, wref, options) => call('thing.diff', { orgName, repoName, wref, ...options }),
    rename: (orgName, repoName, name, newName, options = {}) =>
      call('thing.rename', { orgName, repoName, name, newName, ...options }),
  };
}
