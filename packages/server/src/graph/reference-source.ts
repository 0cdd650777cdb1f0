// The other repositories that refer to a record, as far as the caller may read them. The first page of a list notes where
// each of them stands, and its cursors keep that: what is written there meanwhile is not in the list.

import { authorizeReads } from '../access/access.ts';
import type { Context } from '../access/context.ts';
import type { Grant } from '../access/grant.rule.ts';
import type { LongRead } from '../engine/long-read.ts';
import type { DurableIdParts } from '../model/durable-id.ts';
import type { Source } from '../read/record-sight.sql.ts';
import { listIncoming } from './reference-in.sql.ts';
import { findReferringRepositories } from './reference-source.sql.ts';

/** As many as a cursor has room for. Those beyond are noted when a list comes to them. */
const SOURCES_MAX = 100;
const REPOSITORIES_A_STEP = 500;

export interface NotedSources {
  /** By repository. */
  readonly sources: readonly Source[];
  /** The repository after which there may be others; `undefined` when there are none. */
  readonly through: number | undefined;
}

export const NO_SOURCES: NotedSources = { sources: [], through: undefined };

export interface ReferredRecord {
  readonly target: DurableIdParts;
  readonly targetVersion: number | undefined;
  readonly roles: readonly string[];
  readonly longRead: LongRead;
  /** The repository that the list begins with; by default the record's own. */
  readonly except?: number;
}

export async function noteSources(context: Context, record: ReferredRecord, after: number): Promise<NotedSources> {
  const { target, roles, longRead, except = target.repoId } = record;
  const sources: Source[] = [];
  for (let next: number | undefined = after; next !== undefined; ) {
    const step = { target, roles, after: next, limit: REPOSITORIES_A_STEP };
    const { repoIds, through } = await findReferringRepositories(context.store.database, step);
    for (const grant of await readableOf(context, except, repoIds)) {
      const source = { grant, atRepoSeq: grant.repository.repoSeq };
      if (!(await mayBeTold(context, record, source))) continue;
      sources.push(source);
      if (sources.length === SOURCES_MAX) return { sources, through: grant.repoId };
    }
    next = through;
    await longRead.turn();
  }
  return { sources, through: undefined };
}

async function readableOf(context: Context, except: number, repoIds: readonly number[]): Promise<Grant[]> {
  const others = repoIds.filter((other) => other !== except);
  const grants = others.length === 0 ? [] : await authorizeReads(context, { addresses: [], repoIds: others });
  return grants.sort((a, b) => a.repoId - b.repoId);
}

/** A cursor can be read: that a repository refers to the record is for who may see at least one who does. */
async function mayBeTold({ store }: Context, record: ReferredRecord, source: Source): Promise<boolean> {
  if (source.grant.narrowing === undefined) return true;
  const first = { ...record, sources: [source], after: undefined, limit: 1 };
  return (await listIncoming(store.database, first)).length > 0;
}

/** As a cursor keeps them: those that the list has not passed. */
export function formatSources({ sources }: NotedSources, from: number): string {
  return sources
    .filter(({ grant }) => grant.repoId >= from)
    .map(({ grant, atRepoSeq }) => `${grant.repoId}.${atRepoSeq}`)
    .join();
}

/** Access is asked for anew: a repository that the caller may not read any more is left out. */
export async function reopenSources(context: Context, text: string): Promise<Source[]> {
  const noted = new Map(
    text === '' ? [] : text.split(',').map((pair) => pair.split('.').map(Number) as [number, number]),
  );
  const grants = noted.size === 0 ? [] : await authorizeReads(context, { addresses: [], repoIds: [...noted.keys()] });
  return grants
    .sort((a, b) => a.repoId - b.repoId)
    .map((grant) => ({ grant, atRepoSeq: noted.get(grant.repoId) ?? 0 }));
}
