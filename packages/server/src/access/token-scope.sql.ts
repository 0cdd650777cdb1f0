// What a token may do, entry by entry, as it is stored: resources and shapes by identity, beside the names that they had.
import type { Scope } from '@cairn/protocol/scopes';
import type { ScopeEntry } from '@cairn/protocol/token';
import type { BulkStatement, Reader, Transaction } from '../engine/database.ts';
import type { NarrowingEntry, ShapeChoice } from './narrowing.rule.ts';
import { organizationRole, repositoryRole } from './role.sql.ts';

export interface TokenScope {
  /** Both `null`: everything that the owner can reach. */
  readonly orgId: number | null;
  readonly repoId: number | null;
  /** The name that the resource had. */
  readonly resource: string | null;
  readonly permissions: readonly Scope[];
  readonly refs: readonly string[] | null;
  /** With the names that they had; `null` where the entry is for more than one repository. */
  readonly shapes: readonly (readonly [shapeId: number | null, name: string])[] | null;
}

export interface TokenScopeRow {
  readonly entry: number | null;
  readonly organization_id: number | null;
  readonly repo_id: number | null;
  readonly resource: string | null;
  readonly permissions: string;
  readonly refs: string | null;
  readonly shapes: string | null;
}

export const SCOPE_COLUMNS = `token_scope.entry, token_scope.organization_id, token_scope.repo_id, token_scope.resource,
  token_scope.permissions, token_scope.refs, token_scope.shapes`;

/** Rows of a left join: a token whose entries are all gone has one without an entry. */
export function toTokenScopes(rows: readonly TokenScopeRow[]): TokenScope[] {
  return rows.flatMap((row) =>
    row.entry === null
      ? []
      : [
          {
            orgId: row.organization_id,
            repoId: row.repo_id,
            resource: row.resource,
            permissions: JSON.parse(row.permissions),
            refs: row.refs === null ? null : JSON.parse(row.refs),
            shapes: row.shapes === null ? null : JSON.parse(row.shapes),
          },
        ],
  );
}

const INSERT_SCOPE: BulkStatement = {
  each: `insert into token_scope (token_id, entry, organization_id, repo_id, resource, permissions, refs, shapes)
    values ($1, $2, $3, $4, $5, $6, $7, $8)`,
  set: `insert into token_scope (token_id, entry, organization_id, repo_id, resource, permissions, refs, shapes)
    select $1, * from unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[])`,
};

export async function insertScopes(tx: Transaction, tokenId: number, scopes: readonly TokenScope[]): Promise<void> {
  const rows = scopes.map(({ orgId, repoId, resource, permissions, refs, shapes }, entry) => [
    entry + 1,
    orgId,
    repoId,
    resource,
    JSON.stringify(permissions),
    refs === null ? null : JSON.stringify(refs),
    shapes === null ? null : JSON.stringify(shapes),
  ]);
  await tx.bulk(INSERT_SCOPE, { common: [tokenId], rows });
}

/** How an entry narrows what it lets its holder read; `undefined` where it does not. */
export function narrowingOf({ refs, shapes }: TokenScope): NarrowingEntry | undefined {
  if (refs === null && shapes === null) return undefined;
  const choices = shapes?.map(([shapeId, shapeName]): ShapeChoice => (shapeId === null ? { shapeName } : { shapeId }));
  return { refs: refs ?? undefined, shapes: choices };
}

// What the account may see of them now; who has left an organization does not follow its names any more.
const SEEN_ORGANIZATION = `(${organizationRole('$1')} is not null or exists (select 1 from repository
  where repository.organization_id = organization.id and visibility = 'public' and deleted_at is null))`;
const SEEN_REPOSITORY = `(repository.visibility = 'public' and repository.deleted_at is null
  or coalesce(${repositoryRole('$1')}, ${organizationRole('$1')}) is not null)`;
const REPOSITORY_NAME = "organization.name || '/' || repository.name as name";

const FIND_ORGANIZATION_NAMES: BulkStatement = {
  each: `select organization.name from organization where organization.id = $2 and ${SEEN_ORGANIZATION}`,
  set: `select k.ord::int as ord, organization.name from unnest($2::bigint[]) with ordinality as k (id, ord)
    join organization on organization.id = k.id where ${SEEN_ORGANIZATION}`,
};

const FIND_REPOSITORY_NAMES: BulkStatement = {
  each: `select ${REPOSITORY_NAME} from repository join organization on organization.id = repository.organization_id
    where repository.id = $2 and ${SEEN_REPOSITORY}`,
  set: `select k.ord::int as ord, ${REPOSITORY_NAME} from unnest($2::bigint[]) with ordinality as k (id, ord)
    join repository on repository.id = k.id join organization on organization.id = repository.organization_id
    where ${SEEN_REPOSITORY}`,
};

const shapeNameSet = (repo: string) => `select k.ord::int as ord, record.name
  from unnest($2::bigint[], $3::bigint[]) with ordinality as k (repo_id, record_id, ord)
  join record on record.repo_id = ${repo} and record.record_id = k.record_id
  join repository on repository.id = ${repo} join organization on organization.id = repository.organization_id
  where ${SEEN_REPOSITORY}`;

const FIND_SHAPE_NAMES: BulkStatement = {
  each: `select record.name from record join repository on repository.id = record.repo_id
    join organization on organization.id = repository.organization_id
    where record.repo_id = $2 and record.record_id = $3 and ${SEEN_REPOSITORY}`,
  set: shapeNameSet('k.repo_id'),
  shard: { column: 0, set: shapeNameSet('$4') },
};

/** The entries as people write them, with the names of now as far as the account may know them. */
export async function describeScopes(
  reader: Reader,
  accountId: number,
  scopes: readonly TokenScope[],
): Promise<ScopeEntry[]> {
  const find = async (statement: BulkStatement, rows: readonly (readonly number[])[]) => {
    const found = await reader.bulk<{ name: string }>(statement, { common: [accountId], rows });
    return new Map(found.map(({ ord, name }) => [String(rows[ord]), name]));
  };
  const ids = (id: number | null) => (id === null ? [] : [[id]]);
  const organizations = await find(
    FIND_ORGANIZATION_NAMES,
    scopes.flatMap(({ orgId }) => ids(orgId)),
  );
  const repositories = await find(
    FIND_REPOSITORY_NAMES,
    scopes.flatMap(({ repoId }) => ids(repoId)),
  );
  const shapeKeys = scopes.flatMap(({ repoId, shapes }) =>
    (shapes ?? []).flatMap(([shapeId]) => (repoId === null || shapeId === null ? [] : [[repoId, shapeId]])),
  );
  const shapeNames = await find(FIND_SHAPE_NAMES, shapeKeys);
  return scopes.map(({ orgId, repoId, resource, permissions, refs, shapes }) => ({
    ...(resource !== null && {
      resource: repositories.get(String(repoId)) ?? organizations.get(String(orgId)) ?? resource,
    }),
    permissions: [...permissions],
    ...(refs !== null && { refs: [...refs] }),
    ...(shapes !== null && {
      shapes: shapes.map(([shapeId, name]) => shapeNames.get(String([repoId, shapeId])) ?? name),
    }),
  }));
}

/** The organizations that entries are for: those that they name, and those of the repositories that they name. */
export async function findOrganizationIds(reader: Reader, scopes: readonly TokenScope[]): Promise<number[]> {
  const rows = scopes.flatMap(({ repoId }) => (repoId === null ? [] : [[repoId]]));
  const found = await reader.bulk<{ organization_id: number }>(FIND_ORGANIZATION_IDS, { common: [], rows });
  return [...scopes.flatMap(({ orgId }) => orgId ?? []), ...found.map(({ organization_id }) => organization_id)];
}

const FIND_ORGANIZATION_IDS: BulkStatement = {
  each: 'select organization_id from repository where id = $1',
  set: `select k.ord::int as ord, organization_id from unnest($1::bigint[]) with ordinality as k (id, ord)
    join repository on repository.id = k.id`,
};
