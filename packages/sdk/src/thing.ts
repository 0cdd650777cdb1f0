import type { Page } from '@cairn/protocol/page';
import type { ProcedureInput, ProcedureOutput } from '@cairn/protocol/procedures';
import type { RecordItem } from '@cairn/protocol/record';
import type { Call } from './transport.ts';

type Address = 'orgName' | 'repoName';

export type GetThing = Omit<ProcedureInput<'thing.get'>, Address | 'wref'>;
export type GetThings = Omit<ProcedureInput<'thing.getMany'>, Address | 'wrefs'>;
export type ThingHistory = Omit<ProcedureInput<'thing.history'>, Address | 'wref'>;
export type RenameThing = Omit<ProcedureInput<'thing.rename'>, Address | 'name' | 'newName'>;

/**
 * Records, by wref: `Location/cave`, `Location/cave@v3`, or a durable ID.
 *
 * @example
 * const cave = await client.thing.get('acme', 'world', 'Location/cave');
 * await client.thing.rename('acme', 'world', 'Location/cave', 'Location/cavern');
 */
export interface ThingSurface {
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
  /**
   * Gives a thing, an assertion or a collection another name within its shape. What refers to it follows; the old name
   * is free at once.
   */
  rename(orgName: string, repoName: string, name: string, newName: string, options?: RenameThing): Promise<RecordItem>;
}

export function thingSurface(call: Call): ThingSurface {
  return {
    get: (orgName, repoName, wref, options = {}) => call('thing.get', { orgName, repoName, wref, ...options }),
    getMany: (orgName, repoName, wrefs, options = {}) =>
      call('thing.getMany', { orgName, repoName, wrefs, ...options }),
    history: (orgName, repoName, wref, options = {}) => call('thing.history', { orgName, repoName, wref, ...options }),
    rename: (orgName, repoName, name, newName, options = {}) =>
      call('thing.rename', { orgName, repoName, name, newName, ...options }),
  };
}
