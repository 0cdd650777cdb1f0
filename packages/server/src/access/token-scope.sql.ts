// Token entries as stored. Resources and shapes are stored by identity, together with the names they had.

import type { ScopeEntry } from '@cairn/protocol/account';
import type { Scope } from '@cairn/protocol/scopes';
import type { BulkStatement, Reader, Transaction } from '../engine/database.ts';
import type { NarrowingEntry, ShapeChoice } from './narrowing.rule.ts';
import { organizationRole, repositoryRole } from './role.sql.ts';

export interface TokenScope {
  /** If both are `null`, the entry covers everything that the owner can reach. */
  readonly orgId: number | null;
  readonly repoId: number | null;
  readonly resource: string | null;
  readonly permissions: readonly Scope[];
  readonly refs: readonly string[] | null;
  /** Ids are `null` if the entry covers more than one repository. */
  readonly shapes: readonly (readonly [shapeId: number | null, name: string])[] | null;
}

export interface TokenScopeRow {
  readonly entry: number | null;
  readonly orgId: number | null;
  readonly repoId: number | null;
  readonly resource: string | null;
  readonly permissions: string;
  readonly refs: string | null;
  readonly shapes: string | null;
}

export const SCOPE_COLUMNS = `token_scope.entry, token_scope.organization_id as "orgId", token_scope.repo_id as "repoId",
  token_scope.resource, token_scope.permissions, token_scope.refs, token_scope.shapes`;

/** Takes the rows of a left join: a token without entries has one row with a null entry. */
export function toTokenScopes(rows: readonly TokenScopeRow[]): TokenScope[] {
  return rows.flatMap(({ entry, orgId, repoId, resource, permissions, refs, shapes }) => {
    if (entry === null) return [];
    const narrowing = { refs: JSON.parse(refs ?? 'null'), shapes: JSON.parse(shapes ?? 'null') };
    return [{ orgId, repoId, resource, permissions: JSON.parse(permissions), ...narrowing }];
  });
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

export function narrowingOf({ refs, shapes }: TokenScope): NarrowingEntry | undefined {
  if (refs === null && shapes === null) return undefined;
  const choices = shapes?.map(([shapeId, shapeName]): ShapeChoice => (shapeId === null ? { shapeName } : { shapeId }));
  return { refs: refs ?? undefined, shapes: choices };
}

// Former members must not learn of renames, so names are current only as far as the account sees them.
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

export interface AccountHolder {
  readonly accountId: number;
  readonly handle: string;
  readonly operator: boolean;
}

export interface TokenHolder extends AccountHolder {
  readonly tokenId: number;
  readonly tokenName: string;
  readonly hash: Uint8Array;
  readonly expiresAt: number;
  readonly goodUntil: number;
  readonly lineage: readonly (readonly TokenScope[])[];
}

interface TokenHolderRow
  extends TokenScopeRow,
    Pick<TokenHolder, 'tokenId' | 'tokenName' | 'expiresAt' | 'accountId' | 'handle'> {
  readonly parentId: number | null;
  readonly valueHash: Uint8Array;
  readonly previousUntil: number | null;
  readonly operator: number;
}

const HOLDER_COLUMNS = `token.id as "tokenId", token.name as "tokenName", token.parent_id as "parentId",
  token.expires_at as "expiresAt", token.hash as "valueHash", token.previous_until as "previousUntil",
  account.id as "accountId", account.handle, account.operator, ${SCOPE_COLUMNS}`;
// `$1` is the current time.
const byHash = (hash: string) => `(select id from token where hash = ${hash}
  union all select id from token where previous_hash = ${hash} and previous_until > $1 limit 1)`;
const STANDS = 'token.revoked_at is null and token.expires_at > $1 and account.deactivated_at is null';

const FIND_HOLDERS: BulkStatement = {
  each: `select ${HOLDER_COLUMNS} from token join account on account.id = token.account_id
    left join token_scope on token_scope.token_id = token.id
    where token.id = ${byHash('$2')} and ${STANDS} order by token_scope.entry`,
  set: `select k.ord::int as ord, ${HOLDER_COLUMNS} from unnest($2::bytea[]) with ordinality as k (hash, ord)
    cross join lateral ${byHash('k.hash')} as known
    join token on token.id = known.id join account on account.id = token.account_id
    left join token_scope on token_scope.token_id = token.id
    where ${STANDS} order by k.ord, token_scope.entry`,
};

export async function findTokenHolder(
  reader: Reader,
  { hash, now }: { hash: Uint8Array; now: number },
): Promise<TokenHolder | undefined> {
  const [holder] = await findTokenHolders(reader, { hashes: [hash], now });
  return holder;
}

export async function findTokenHolders(
  reader: Reader,
  { hashes, now }: { hashes: readonly Uint8Array[]; now: number },
): Promise<(TokenHolder | undefined)[]> {
  const rows = await reader.bulk<TokenHolderRow>(FIND_HOLDERS, { common: [now], rows: hashes.map((hash) => [hash]) });
  const found = Map.groupBy(rows, ({ ord }) => ord);
  const parents = rows.flatMap(({ parentId }) => parentId ?? []);
  const above = await findScopesAbove(reader, { tokenIds: [...new Set(parents)], now });
  return hashes.map((hash, ord) => {
    const [row, ...others] = found.get(ord) ?? [];
    if (row === undefined) return undefined;
    const inherited = row.parentId === null ? NOTHING_ABOVE : above.get(row.parentId);
    return inherited && toHolder([row, ...others], { hash, inherited });
  });
}

interface Inherited {
  readonly scopes: readonly TokenScope[][];
  readonly endsAt: number;
}

const NOTHING_ABOVE: Inherited = { scopes: [], endsAt: Number.POSITIVE_INFINITY };

function toHolder(
  rows: readonly [TokenHolderRow, ...TokenHolderRow[]],
  { hash, inherited }: { hash: Uint8Array; inherited: Inherited },
): TokenHolder {
  const [{ tokenId, tokenName, expiresAt, accountId, handle, operator, valueHash, previousUntil }] = rows;
  const isFormer = Buffer.compare(valueHash, hash) !== 0 && hash !== NO_VALUE;
  const ends = [expiresAt, ...(isFormer ? [previousUntil ?? 0] : [])];
  const goodUntil = Math.min(...ends, inherited.endsAt);
  const lineage = [toTokenScopes(rows), ...inherited.scopes];
  return { tokenId, tokenName, hash, expiresAt, goodUntil, accountId, handle, operator: operator === 1, lineage };
}

const FIND_HOLDER_BY_ID = `select ${HOLDER_COLUMNS} from token join account on account.id = token.account_id
  left join token_scope on token_scope.token_id = token.id where token.id = $2 and ${STANDS} order by token_scope.entry`;

export async function findTokenHolderById(
  reader: Reader,
  { tokenId, now }: { tokenId: number; now: number },
): Promise<TokenHolder | undefined> {
  const [row, ...others] = await reader.query<TokenHolderRow>(FIND_HOLDER_BY_ID, [now, tokenId]);
  if (row === undefined) return undefined;
  const { parentId } = row;
  const above = await findScopesAbove(reader, { tokenIds: parentId === null ? [] : [parentId], now });
  const inherited = parentId === null ? NOTHING_ABOVE : above.get(parentId);
  return inherited && toHolder([row, ...others], { hash: NO_VALUE, inherited });
}

const NO_VALUE = new Uint8Array(0);

interface AncestorRow extends TokenScopeRow {
  readonly id: number;
  readonly generation: number;
  readonly revoked_at: number | null;
  readonly expires_at: number;
}

export const ANCESTORS = `with recursive ancestor (id, parent_id, generation, revoked_at, expires_at) as (
    select id, parent_id, 1, revoked_at, expires_at from token where id = $1
    union all select token.id, token.parent_id, ancestor.generation + 1, token.revoked_at, token.expires_at
      from token join ancestor on token.id = ancestor.parent_id)`;

const ANCESTOR_COLUMNS = `ancestor.id, ancestor.generation, ancestor.revoked_at, ancestor.expires_at, ${SCOPE_COLUMNS}`;

const FIND_ANCESTORS: BulkStatement = {
  each: `select * from (${ANCESTORS} select ${ANCESTOR_COLUMNS}
    from ancestor left join token_scope on token_scope.token_id = ancestor.id) as line order by generation, entry`,
  set: `with recursive ancestor (ord, id, parent_id, generation, revoked_at, expires_at) as (
      select k.ord, token.id, token.parent_id, 1, token.revoked_at, token.expires_at
        from unnest($1::bigint[]) with ordinality as k (id, ord) join token on token.id = k.id
      union all select ancestor.ord, token.id, token.parent_id, ancestor.generation + 1, token.revoked_at, token.expires_at
        from token join ancestor on token.id = ancestor.parent_id)
    select ancestor.ord::int as ord, ${ANCESTOR_COLUMNS}
    from ancestor left join token_scope on token_scope.token_id = ancestor.id
    order by ancestor.ord, ancestor.generation, token_scope.entry`,
};

async function findScopesAbove(
  reader: Reader,
  { tokenIds, now }: { tokenIds: readonly number[]; now: number },
): Promise<Map<number, Inherited>> {
  const rows = await reader.bulk<AncestorRow>(FIND_ANCESTORS, { common: [], rows: tokenIds.map((id) => [id]) });
  const above = new Map<number, Inherited>();
  for (const [ord, line] of Map.groupBy(rows, (row) => row.ord)) {
    if (line.some(({ revoked_at, expires_at }) => revoked_at !== null || expires_at <= now)) continue;
    const scopes = [...Map.groupBy(line, ({ id }) => id).values()].map(toTokenScopes);
    above.set(tokenIds[ord] ?? 0, { scopes, endsAt: Math.min(...line.map(({ expires_at }) => expires_at)) });
  }
  return above;
}
