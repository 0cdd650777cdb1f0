// Records as lists of others need them: how they are called at a sequence, at which version they are, and whether they
// are active, without what they hold.

import type { Grant } from '../access/grant.rule.ts';
import { compileNarrowing, type IsShown } from '../access/narrowing.rule.ts';
import type { BulkStatement, Reader } from '../engine/database.ts';
import { type NamedRow, NOW_COLUMNS, toNamed } from './hidden-target.sql.ts';
import type { ItemRow } from './record-item.sql.ts';
import { nameAt } from './target-name.sql.ts';
import { versionAt } from './version-at.sql.ts';

export interface SightRow extends Pick<ItemRow, keyof NamedRow | 'about' | 'version' | 'active'> {
  /** How much it says about what it refers to. */
  readonly refs_bytes: number;
}

const sightColumns = (seq: string, repo: string) => `r.record_id, r.kind, r.about, ${NOW_COLUMNS},
  ${nameAt('r', seq, repo)} as name, ${nameAt('s', seq, repo)} as shape_name, v.version, v.active, coalesce(octet_length(v.refs), 0) as refs_bytes`;

const sightSet = (repo: string) => `select k.ord::int as ord, ${sightColumns('k.seq', repo)}
  from unnest($1::bigint[], $2::bigint[], $3::bigint[]) with ordinality as k (repo_id, seq, record_id, ord)
  cross join lateral (select * from record where repo_id = ${repo} and record_id = k.record_id limit 1) as r
  left join lateral (select * from record where repo_id = ${repo} and record_id = r.shape_id limit 1) as s on true
  cross join lateral (select version, active, refs from version
    where repo_id = ${repo} and record_id = k.record_id and version = ${versionAt('r', 'k.seq', repo)} limit 1) as v`;

const FIND_SIGHTS: BulkStatement = {
  each: `select ${sightColumns('$2', '$1')} from record r
    left join record s on s.repo_id = $1 and s.record_id = r.shape_id
    join version v on v.repo_id = $1 and v.record_id = $3 and v.version = ${versionAt('r', '$2')}
    where r.repo_id = $1 and r.record_id = $3`,
  set: sightSet('k.repo_id'),
  shard: { column: 0, set: sightSet('$4') },
};

/** A repository and the sequence that it is read at. */
export interface Source {
  readonly grant: Grant;
  readonly atRepoSeq: number;
}

export interface SightRequest {
  readonly source: Source;
  readonly recordId: number;
}

/** In the order of the requests; `undefined` for records that were not there yet, are retracted, or hidden. */
export async function findActive(reader: Reader, requests: readonly SightRequest[]): Promise<(SightRow | undefined)[]> {
  const found = await findSights(reader, requests);
  return found.map((row) => (row?.active === 1 ? row : undefined));
}

/** The same with what is retracted. */
export async function findSights(reader: Reader, requests: readonly SightRequest[]): Promise<(SightRow | undefined)[]> {
  const rows = requests.map(({ source, recordId }) => [source.grant.repoId, source.atRepoSeq, recordId]);
  const tests = new Map<number, IsShown>();
  for (const { source } of requests) {
    const { repoId, narrowing } = source.grant;
    if (!tests.has(repoId)) tests.set(repoId, compileNarrowing(narrowing));
  }
  const found: (SightRow | undefined)[] = requests.map(() => undefined);
  for (const { ord, ...row } of await reader.bulk<SightRow>(FIND_SIGHTS, { common: [], rows })) {
    const isShown = tests.get(requests[ord]?.source.grant.repoId ?? 0);
    if (isShown?.(toNamed(row))) found[ord] = row;
  }
  return found;
}
