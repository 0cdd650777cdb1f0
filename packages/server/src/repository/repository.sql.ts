// Finds, lists and creates repositories.
import { type CairnError, fail } from '@cairn/protocol/errors';
import { ORGANIZATION_NAME, REPOSITORY_NAME } from '@cairn/protocol/names';
import type { Repository } from '@cairn/protocol/organization';
import type { OrganizationRole, RepositoryRole } from '@cairn/protocol/scopes';
import { NOBODY, Parameters, type Reach, type Roles, reachesRepository, roleColumns } from '../access/role.sql.ts';
import type { BulkStatement, Database, Reader, Transaction } from '../engine/database.ts';
import {
  beginsWith,
  listByOrganization,
  organizationArchived,
  organizationNotFound,
  type PositionCondition,
} from './organization.sql.ts';
import { eventOf, tellOfRepository } from './repository-change.write.ts';
import {
  bulkRepositories,
  findLastCommitTimes,
  isSameSequence,
  JOIN_SEQUENCE,
  queryRepositories,
  SEQUENCE_COLUMNS,
  type SequenceRow,
} from './repository-sequence.sql.ts';

export const RESTORABLE_MS = 30 * 86_400_000;

export interface RepositoryAddress {
  readonly orgName: string;
  readonly repoName: string;
}

export interface FoundRepository {
  readonly repoId: number;
  readonly repository: Repository;
  /** Sequence of the last commit with a rename; 0 if none. */
  readonly renamedSeq: number;
  readonly orgId: number;
  readonly roles: Roles;
}

export interface RepositoryRow {
  readonly id: number;
  readonly organization_id: number;
  readonly org_name: string;
  readonly org_archived_at: number | null;
  readonly name: string;
  readonly display_name: string;
  readonly description: string;
  readonly visibility: Repository['visibility'];
  readonly archived_at: number | null;
  readonly deleted_at: number | null;
  readonly created_at: number;
  readonly stream_submissions: number;
  readonly repo_seq: number;
  readonly renamed_seq: number;
  readonly imported_seq: number;
  readonly importing: string | null;
  readonly organization_role: OrganizationRole | null;
  readonly repository_role: RepositoryRole | null;
}

export const REPOSITORY_COLUMNS = `repository.id, repository.organization_id, organization.name as org_name,
  organization.archived_at as org_archived_at, repository.name, repository.display_name, repository.description,
  repository.visibility, repository.archived_at, repository.deleted_at, repository.created_at,
  repository.stream_submissions, ${SEQUENCE_COLUMNS}`;

const FROM = `from organization
  join repository on repository.organization_id = organization.id
  ${JOIN_SEQUENCE}`;

export const selectRepository = (account: string) => `select ${REPOSITORY_COLUMNS}, ${roleColumns(account)} ${FROM}`;

export async function findRepository(
  reader: Reader,
  address: RepositoryAddress,
  accountId = NOBODY,
): Promise<FoundRepository | undefined> {
  const row = await findRepositoryRow(reader, address, accountId);
  return row && toFound(row);
}

export async function findRepositoryRow(
  reader: Reader,
  { orgName, repoName }: RepositoryAddress,
  accountId: number,
): Promise<RepositoryRow | undefined> {
  // Path segments are arbitrary, and text that PostgreSQL rejects would surface as an internal error.
  if (!ORGANIZATION_NAME.test(orgName) || !REPOSITORY_NAME.test(repoName)) return undefined;
  const [row] = await queryRepositories<RepositoryRow>(
    reader,
    `${selectRepository('$3')} where organization.name = $1 and repository.name = $2 and repository.deleted_at is null`,
    [orgName, repoName, accountId],
  );
  return row;
}

const latest = new WeakMap<RepositoryRow, { sequence: SequenceRow; found: FoundRepository }>();

/** Returns the same object for the same sequence, so that values cached for it are found again. */
export function foundAt(row: RepositoryRow, sequence: SequenceRow): FoundRepository {
  const known = latest.get(row);
  if (known !== undefined && isSameSequence(known.sequence, sequence)) return known.found;
  const { repo_seq, renamed_seq, imported_seq, importing } = sequence;
  const found = toFound({ ...row, repo_seq, renamed_seq, imported_seq, importing });
  latest.set(row, { sequence, found });
  return found;
}

const FIND_BY_NAME: BulkStatement = {
  each: `${selectRepository('$1')} where organization.name = $2 and repository.name = $3 and repository.deleted_at is null`,
  set: `select k.ord::int as ord, ${REPOSITORY_COLUMNS}, ${roleColumns('$1')}
    from unnest($2::text[], $3::text[]) with ordinality as k (org_name, name, ord)
    join organization on organization.name = k.org_name collate "C"
    join repository on repository.organization_id = organization.id and repository.name = k.name collate "C"
    ${JOIN_SEQUENCE}
    where repository.deleted_at is null`,
};

const FIND_BY_ID: BulkStatement = {
  each: `${selectRepository('$1')} where repository.id = $2 and repository.deleted_at is null`,
  set: `select k.ord::int as ord, ${REPOSITORY_COLUMNS}, ${roleColumns('$1')} from unnest($2::bigint[]) with ordinality as k (id, ord)
    join repository on repository.id = k.id
    join organization on organization.id = repository.organization_id
    ${JOIN_SEQUENCE}
    where repository.deleted_at is null`,
};

export interface RepositoryChoice {
  readonly addresses: readonly RepositoryAddress[];
  readonly repoIds: readonly number[];
}

export async function findRepositories(
  reader: Reader,
  { addresses, repoIds }: RepositoryChoice,
  accountId: number,
): Promise<FoundRepository[]> {
  const common = [accountId];
  const names = addresses.map(({ orgName, repoName }) => [orgName, repoName]);
  const named = await bulkRepositories<RepositoryRow>(reader, FIND_BY_NAME, { common, rows: names });
  const known = await bulkRepositories<RepositoryRow>(reader, FIND_BY_ID, { common, rows: repoIds.map((id) => [id]) });
  return [...named, ...known].map(toFound);
}

export async function findRestorable(
  reader: Reader,
  { orgName, repoName, now }: RepositoryAddress & { now: number },
  accountId: number,
): Promise<FoundRepository | undefined> {
  const [row] = await queryRepositories<RepositoryRow>(
    reader,
    `${selectRepository('$4')} where organization.name = $1 and repository.name = $2
     and (repository.deleted_at is null or repository.deleted_at > $3)`,
    [orgName, repoName, now - RESTORABLE_MS, accountId],
  );
  return row && toFound(row);
}

export async function readRepositoryRow(reader: Reader, repoId: number): Promise<RepositoryRow | undefined> {
  const sql = `${selectRepository('$2')} where repository.id = $1`;
  const [row] = await queryRepositories<RepositoryRow>(reader, sql, [repoId, NOBODY]);
  return row;
}

export function toFound(row: RepositoryRow): FoundRepository {
  return {
    repoId: row.id,
    orgId: row.organization_id,
    renamedSeq: row.renamed_seq,
    roles: { organization: row.organization_role, repository: row.repository_role },
    repository: {
      orgName: row.org_name,
      name: row.name,
      displayName: row.display_name,
      description: row.description,
      visibility: row.visibility,
      archived: row.archived_at !== null || row.org_archived_at !== null,
      repoSeq: row.repo_seq,
      createdAt: row.created_at,
      features: { streamSubmissions: row.stream_submissions === 1 },
      ...(row.importing !== null && { importing: true as const }),
      ...(row.imported_seq > 0 && { importedRepoSeq: row.imported_seq }),
      ...(row.deleted_at !== null && { deletedAt: row.deleted_at }),
    },
  };
}

export function repositoryNotFound(): CairnError {
  return fail('NOT_FOUND', { message: 'The repository does not exist, or you may not see it. Check the name.' });
}

interface RepositoryFilter {
  readonly reach: Reach;
  readonly orgName: string | undefined;
  /** `undefined` lists repositories that are not deleted. */
  readonly deletedAfter: number | undefined;
  readonly after: RepositoryAddress;
  readonly limit: number;
  readonly beginning?: string;
  readonly withLastCommit?: boolean;
}

export async function listRepositories(database: Database, filter: RepositoryFilter): Promise<Repository[]> {
  const list = (place: PositionCondition, limit: number) => listWhere(database, { ...filter, limit }, place);
  return await listByOrganization(
    { ...filter, after: { orgName: filter.after.orgName, name: filter.after.repoName } },
    'repository.name',
    list,
  );
}

async function listWhere(
  database: Database,
  { reach, deletedAfter, limit, beginning = '', withLastCommit = false }: RepositoryFilter,
  place: PositionCondition,
): Promise<Repository[]> {
  const parameters = new Parameters();
  const begun = beginning === '' ? '' : `and ${beginsWith('repository.name', beginning, parameters)}`;
  const reached = reachesRepository(reach, parameters);
  const shown =
    deletedAfter === undefined
      ? `repository.deleted_at is null and (repository.visibility = 'public' or ${reached})`
      : `repository.deleted_at > ${parameters.add(deletedAfter)} and ${reached}`;
  // Without the cross join, SQLite may read and sort all repositories instead of walking in page order.
  const sql = `select ${REPOSITORY_COLUMNS}, null as organization_role, null as repository_role from organization cross join repository
    ${JOIN_SEQUENCE}
    where repository.organization_id = organization.id and ${place(parameters)} ${begun} and ${shown}
    order by organization.name, repository.name limit ${parameters.add(limit)}`;
  const rows = await queryRepositories<RepositoryRow>(database.beside, sql, parameters.values);
  const times = withLastCommit ? await findLastCommitTimes(database, rows) : new Map<number, number>();
  return rows.map((row) => {
    const lastCommitAt = times.get(row.id);
    return { ...toFound(row).repository, ...(lastCommitAt !== undefined && { lastCommitAt }) };
  });
}

interface NewRepository {
  readonly orgName: string;
  readonly name: string;
  readonly displayName?: string | undefined;
  readonly description: string;
  readonly visibility: Repository['visibility'];
}

export async function createRepository(tx: Transaction, repository: NewRepository): Promise<FoundRepository> {
  const { orgName, name, displayName = name, description, visibility } = repository;
  const [organization] = await tx.query<{ id: number; archived_at: number | null }>(
    'select id, archived_at from organization where name = $1',
    [orgName],
  );
  if (organization === undefined) throw organizationNotFound();
  if (organization.archived_at !== null) throw organizationArchived(orgName);
  await refuseTakenName(tx, { organizationId: organization.id, orgName, name });
  const [row] = await tx.query<{ id: number }>(
    `insert into repository (organization_id, name, display_name, description, visibility, created_at, stream_submissions)
     values ($1, $2, $3, $4, $5, $6, 1) returning id`,
    [organization.id, name, displayName, description, visibility, Date.now()],
  );
  if (row === undefined) throw new Error('a repository was inserted without an id');
  await tx.query('insert into repo_sequence (repo_id, repo_seq, last_record_id) values ($1, 0, 0)', [row.id]);
  const made = await readRepositoryRow(tx, row.id);
  if (made === undefined) throw new Error('a repository that was just made cannot be found');
  await tellOfRepository(tx, eventOf('repo.created', made));
  return toFound(made);
}

/** Locks the organization first, because no unique index compares names without case. */
export async function refuseTakenName(
  tx: Transaction,
  place: { organizationId: number; orgName: string; name: string; exceptId?: number },
): Promise<void> {
  const { organizationId, orgName, name, exceptId = 0 } = place;
  await tx.query(`select id from organization where id = $1 ${tx.forUpdate}`, [organizationId]);
  const [row] = await tx.query<{ name: string; deleted_at: number | null }>(
    `select name, deleted_at from repository where organization_id = $1 and lower(name) = $2 and id <> $3
     order by name = $4 desc limit 1`,
    [organizationId, name.toLowerCase(), exceptId, name],
  );
  if (row === undefined) return;
  const taken = `${orgName}/${row.name}`;
  const advice = row.name === name ? 'Choose another name.' : 'Choose a name that differs in more than case.';
  throw fail('ALREADY_EXISTS', {
    message:
      row.deleted_at === null
        ? `The repository ${taken} exists already. ${advice}`
        : `The repository ${taken} was deleted, and its name stays taken until the deletion is final. Restore it, or choose another name.`,
  });
}
