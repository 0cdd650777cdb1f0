// Repositories as those who follow them ask for them: many at once, each for its own account.

import { roleColumns } from '../access/role.sql.ts';
import type { BulkStatement, Reader } from '../engine/database.ts';
import {
  type FoundRepository,
  REPOSITORY_COLUMNS,
  type RepositoryRow,
  selectRepository,
  toFound,
} from './repository.sql.ts';
import { bulkRepositories, JOIN_SEQUENCE } from './repository-sequence.sql.ts';

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
    ${JOIN_SEQUENCE}
    where repository.deleted_at is null`,
};

/** In the order asked for, each with the roles of the account that asks. */
export async function findRepositoriesFor(
  reader: Reader,
  sights: readonly RepositorySight[],
): Promise<(FoundRepository | undefined)[]> {
  const rows = sights.map(({ repoId, accountId }) => [repoId, accountId]);
  const found: (FoundRepository | undefined)[] = sights.map(() => undefined);
  for (const { ord, ...row } of await bulkRepositories<RepositoryRow>(reader, FIND_FOR_EACH, { common: [], rows })) {
    found[ord] = toFound(row);
  }
  return found;
}
