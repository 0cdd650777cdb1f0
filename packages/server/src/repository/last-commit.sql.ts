// When repositories were written to last, of many at once.
import type { BulkStatement, Reader } from '../engine/database.ts';

interface Repository {
  readonly id: number;
  readonly repo_seq: number;
}

const timeSet = (repo: string) => `select k.ord::int as ord, c.created_at
  from unnest($1::bigint[], $2::bigint[]) with ordinality as k (repo_id, repo_seq, ord)
  cross join lateral (select created_at from "commit" where repo_id = ${repo} and repo_seq = k.repo_seq limit 1) as c`;

const FIND_TIMES: BulkStatement = {
  single: true,
  each: 'select created_at from "commit" where repo_id = $1 and repo_seq = $2',
  set: timeSet('k.repo_id'),
  shard: { column: 0, set: timeSet('$3') },
};

/** By id; those without a commit are left out. */
export async function findLastCommitTimes(
  reader: Reader,
  repositories: readonly Repository[],
): Promise<Map<number, number>> {
  const rows = repositories.map(({ id, repo_seq }) => [id, repo_seq]);
  const found = await reader.bulk<{ created_at: number }>(FIND_TIMES, { common: [], rows });
  return new Map(found.map(({ ord, created_at }) => [repositories[ord]?.id ?? 0, created_at]));
}
