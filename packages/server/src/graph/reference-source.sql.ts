// Which repositories refer to a record: the reference index is looked through by leaps, from one repository to the next,
// however often each of them refers.

import type { BulkStatement, Reader } from '../engine/database.ts';
import type { DurableIdParts } from '../model/durable-id.ts';

/** `ref.repo_id` comes after the role in the key, so that the next one is the first row beyond those of this one. */
const leaps = ({ role, after, limit }: { role: string; after: string; limit: string }) => `(
  with recursive leap (repo_id) as (
    select min(repo_id) from ref where target_repo_id = $1 and target_id = $2 and role = ${role} and repo_id > ${after}
    union all
    select (select min(ref.repo_id) from ref where target_repo_id = $1 and target_id = $2 and role = ${role}
      and ref.repo_id > leap.repo_id) from leap where leap.repo_id is not null
  )
  select repo_id from leap where repo_id is not null limit ${limit})`;

const FIND_REPOSITORIES: BulkStatement = {
  each: `select repo_id from ${leaps({ role: '$5', after: '$3', limit: '$4' })} as leaps`,
  set: `select k.ord::int as ord, leaps.repo_id from unnest($5::text[]) with ordinality as k (role, ord)
    cross join lateral ${leaps({ role: 'k.role collate "C"', after: '$3::bigint', limit: '$4::bigint' })} as leaps`,
};

interface RepositoriesRequest {
  readonly target: DurableIdParts;
  readonly roles: readonly string[];
  /** Repositories with a higher id. */
  readonly after: number;
  readonly limit: number;
}

interface ReferringRepositories {
  /** In their order. */
  readonly repoIds: readonly number[];
  /** The id up to which these are all; `undefined` when there are no others. */
  readonly through: number | undefined;
}

/** Whether they refer to it still, or did so once. */
export async function findReferringRepositories(
  reader: Reader,
  { target, roles, after, limit }: RepositoriesRequest,
): Promise<ReferringRepositories> {
  const rows = await reader.bulk<{ repo_id: number }>(FIND_REPOSITORIES, {
    common: [target.repoId, target.recordId, after, limit],
    rows: roles.map((role) => [role]),
  });
  const byRole = Map.groupBy(rows, ({ ord }) => ord);
  // Where one role has more than the limit, others may have ids beyond its last that it has too.
  const ends = [...byRole.values()]
    .filter(({ length }) => length === limit)
    .map((some) => Math.max(...some.map(({ repo_id }) => repo_id)));
  const through = ends.length === 0 ? undefined : Math.min(...ends);
  const repoIds = [...new Set(rows.map(({ repo_id }) => repo_id))].sort((a, b) => a - b);
  return { repoIds: repoIds.filter((repoId) => through === undefined || repoId <= through), through };
}
