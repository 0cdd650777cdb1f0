// Repositories as those who follow them ask for them: many at once, each for its own account, and how far they are.
import type { BulkStatement, Reader } from './database.ts';
import {
  type FoundRepository,
  REPOSITORY_COLUMNS,
  type RepositoryRow,
  selectRepository,
  toFound,
} from './repository.ts';
import { roleColumns } from './role.ts';

/** A repository, and the account that asks for it. */
export interface RepositorySight {
  readonly repoId: number;
  readonly accountId: number;
}

const FIND_FOR_EACH: BulkStatement = {
  each: `${selectRepository('$2')} where repository.id = $1 and repository.deleted_at is null`,
  set: `select k.ord::int as ord, ${REPOSITORY_COLUMNS}, ${roleColumns('k.account_id')}
    from unnest($1::bigint[], $2::bigint[]) with ordinality as k (id, account_id, ord)
    join repository on repository.id = k.id
    join organization on organization.id = repository.organization_id
    join repo_sequence on repo_sequence.repo_id = repository.id
    where repository.deleted_at is null`,
};

/** In the order asked for, each with the roles of the account that asks. */
export async function findRepositoriesFor(
  reader: Reader,
  sights: readonly RepositorySight[],
): Promise<(FoundRepository | undefined)[]> {
  const rows = sights.map(({ repoId, accountId }) => [repoId, accountId]);
  const found: (FoundRepository | undefined)[] = sights.map(() => undefined);
  for (const { ord, ...row } of await reader.bulk<RepositoryRow>(FIND_FOR_EACH, { common: [], rows })) {
    found[ord] = toFound(row);
  }
  return found;
}

const FIND_SEQUENCES: BulkStatement = {
  each: 'select repo_id, repo_seq from repo_sequence where repo_id = $1',
  set: `select k.ord::int as ord, repo_id, repo_seq from unnest($1::bigint[]) with ordinality as k (id, ord)
    join repo_sequence on repo_sequence.repo_id = k.id`,
};

export async function findSequences(reader: Reader, repoIds: readonly number[]): Promise<Map<number, number>> {
  const found = await reader.bulk<{ repo_id: number; repo_seq: number }>(FIND_SEQUENCES, {
    common: [],
    rows: repoIds.map((id) => [id]),
  });
  return new Map(found.map(({ repo_id, repo_seq }) => [repo_id, repo_seq]));
}
