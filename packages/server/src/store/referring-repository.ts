// Which other repositories refer to a record. They are found one after the other in the index, however often each refers.
import type { Reader } from './database.ts';

interface ReferredRecord {
  readonly repoId: number;
  readonly recordId: number;
  readonly roles: readonly string[];
  readonly limit: number;
}

const nextRepository = (beyond: string) => `(select min(f.repo_id) from ref f
  where f.target_repo_id = $1 and f.target_id = $2 and f.role = $3 and f.repo_id > ${beyond})`;

const FIND_REPOSITORIES = `with recursive referring (id) as (
    select ${nextRepository('0')}
    union all select ${nextRepository('referring.id')} from referring where referring.id is not null
  )
  select id from referring where id is not null and id <> $1 limit $4`;

/** Their ids, in order. */
export async function findReferringRepositories(
  reader: Reader,
  { repoId, recordId, roles, limit }: ReferredRecord,
): Promise<number[]> {
  const found = new Set<number>();
  for (const role of roles) {
    const rows = await reader.query<{ id: number }>(FIND_REPOSITORIES, [repoId, recordId, role, limit]);
    for (const { id } of rows) found.add(id);
  }
  return [...found].sort((a, b) => a - b).slice(0, limit);
}
