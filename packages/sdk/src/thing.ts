import type { ProcedureInput, ProcedureOutput } from '@cairn/protocol/procedures';
import type { Graph, NameItem, RecordChange, RecordDiff, ReferenceItem } from '@cairn/protocol/read';
import type { RecordItem } from '@cairn/protocol/record';
import { type List, listOf } from './list.ts';
import { type ThingListSurface, thingListSurface } from './thing-list.ts';
import type { Call, CallOptions } from './transport.ts';

type Address = 'orgName' | 'repoName';

/** How a record is read: at which sequence, and whether retracted too. */
export type GetThing = Omit<ProcedureInput<'thing.get'>, Address | 'wref'> & CallOptions;
/** How records are read: at which sequence, and whether retracted too. */
export type GetThings = Omit<ProcedureInput<'thing.getMany'>, Address | 'wrefs'> & CallOptions;
/** What a list of versions can be told. */
export type ThingHistory = Omit<ProcedureInput<'thing.history'>, Address | 'wref'> & CallOptions;
/** What a list of names can be told. */
export type ThingNames = Omit<ProcedureInput<'thing.names'>, Address | 'wref'> & CallOptions;
/** Which references are listed. */
export type ThingRefs = Omit<ProcedureInput<'thing.refs'>, Address | 'wref'> & CallOptions;
/** How far, and which way, references are followed. */
export type ThingGraph = Omit<ProcedureInput<'thing.graph'>, Address | 'wref'> & CallOptions;
/** Between which sequences, and of which records, changes are listed. */
export type ThingChanges = Omit<ProcedureInput<'thing.changes'>, Address> & CallOptions;
/** Between which sequences the data of a record is compared. */
export type ThingDiff = Omit<ProcedureInput<'thing.diff'>, Address | 'wref'> & CallOptions;
/** What renaming a record can be told. */
export type RenameThing = Omit<ProcedureInput<'thing.rename'>, Address | 'name' | 'newName'> & CallOptions;

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

export function thingSurface(call: Call): ThingSurface {
  return {
    ...thingListSurface(call),
    get: (orgName, repoName, wref, options = {}) => call('thing.get', { orgName, repoName, wref, ...options }),
    getMany: (orgName, repoName, wrefs, options = {}) =>
      call('thing.getMany', { orgName, repoName, wrefs, ...options }),
    history: (orgName, repoName, wref, options = {}) =>
      listOf(call, 'thing.history', { orgName, repoName, wref, ...options }),
    names: (orgName, repoName, wref, options = {}) =>
      listOf(call, 'thing.names', { orgName, repoName, wref, ...options }),
    refs: (orgName, repoName, wref, options = {}) =>
      listOf(call, 'thing.refs', { orgName, repoName, wref, ...options }),
    graph: (orgName, repoName, wref, options = {}) => call('thing.graph', { orgName, repoName, wref, ...options }),
    changes: (orgName, repoName, options) => listOf(call, 'thing.changes', { orgName, repoName, ...options }),
    diff: (orgName, repoName, wref, options) => call('thing.diff', { orgName, repoName, wref, ...options }),
    rename: (orgName, repoName, name, newName, options = {}) =>
      call('thing.rename', { orgName, repoName, name, newName, ...options }),
  };
}
