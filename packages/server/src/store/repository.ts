// Repositories and the organizations that hold them.
import { fail } from '@cairn/protocol/errors';
import type { Repository } from '@cairn/protocol/procedures';
import type { Reader, Transaction } from './database.ts';

export interface RepositoryAddress {
  readonly orgName: string;
  readonly repoName: string;
}

/** A repository and the id under which its rows stand. */
export interface FoundRepository {
  readonly repoId: number;
  readonly repository: Repository;
}

interface RepositoryRow {
  readonly id: number;
  readonly org_name: string;
  readonly name: string;
  readonly display_name: string;
  readonly description: string;
  readonly visibility: Repository['visibility'];
  readonly archived_at: number | null;
  readonly created_at: number;
  readonly repo_seq: number;
}

export async function findRepository(
  reader: Reader,
  { orgName, repoName }: RepositoryAddress,
): Promise<FoundRepository | undefined> {
  const [row] = await reader.query<RepositoryRow>(
    `select repository.id, organization.name as org_name, repository.name, repository.display_name,
       repository.description, repository.visibility, repository.archived_at, repository.created_at,
       repo_sequence.repo_seq
     from organization
     join repository on repository.organization_id = organization.id
     join repo_sequence on repo_sequence.repo_id = repository.id
     where organization.name = $1 and repository.name = $2 and repository.deleted_at is null`,
    [orgName, repoName],
  );
  return row && { repoId: row.id, repository: toRepository(row) };
}

function toRepository(row: RepositoryRow): Repository {
  return {
    orgName: row.org_name,
    name: row.name,
    displayName: row.display_name,
    description: row.description,
    visibility: row.visibility,
    archived: row.archived_at !== null,
    repoSeq: row.repo_seq,
    createdAt: row.created_at,
  };
}

export interface NewRepository {
  readonly orgName: string;
  readonly name: string;
  readonly description: string;
  readonly visibility: Repository['visibility'];
}

export async function createRepository(tx: Transaction, repository: NewRepository): Promise<FoundRepository> {
  const { orgName, name, description, visibility } = repository;
  const [organization] = await tx.query<{ id: number }>('select id from organization where name = $1', [orgName]);
  if (organization === undefined) throw fail('NOT_FOUND', { message: `There is no organization ${orgName}.` });
  const [row] = await tx.query<{ id: number }>(
    `insert into repository (organization_id, name, display_name, description, visibility, created_at)
     values ($1, $2, $2, $3, $4, $5) on conflict (organization_id, name) do nothing returning id`,
    [organization.id, name, description, visibility, Date.now()],
  );
  if (row === undefined) throw fail('ALREADY_EXISTS', { message: `There is already a repository ${orgName}/${name}.` });
  await tx.query('insert into repo_sequence (repo_id, repo_seq, last_record_id) values ($1, 0, 0)', [row.id]);
  const made = await findRepository(tx, { orgName, repoName: name });
  if (made === undefined) throw new Error('a repository that was just made cannot be found');
  return made;
}
