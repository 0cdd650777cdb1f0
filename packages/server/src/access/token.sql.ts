// Personal access tokens: records and lineage. Only the SHA-256 of a value is stored.
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { Reader, Transaction } from '../engine/database.ts';
import {
  ANCESTORS,
  insertScopes,
  SCOPE_COLUMNS,
  type TokenScope,
  type TokenScopeRow,
  toTokenScopes,
} from './token-scope.sql.ts';

const GENERATIONS_MAX = 20;

export interface NewToken {
  readonly accountId: number;
  readonly name: string;
  readonly description: string;
  readonly hash: Uint8Array;
  readonly scopes: readonly TokenScope[];
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly parentId?: number | undefined;
}

export async function createToken(tx: Transaction, token: NewToken): Promise<void> {
  const { parentId = null } = token;
  if (parentId !== null) await holdLineage(tx, parentId);
  const [made] = await tx.query<{ id: number }>(
    `insert into token (account_id, name, description, hash, parent_id, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict (account_id, name) do nothing returning id`,
    [token.accountId, token.name, token.description, token.hash, parentId, token.createdAt, token.expiresAt],
  );
  if (made === undefined) {
    throw fail('ALREADY_EXISTS', {
      message: `The token name ${token.name} is taken, or was used before. Choose another name.`,
    });
  }
  await insertScopes(tx, made.id, token.scopes);
}

/** Locks all ancestors until the commit, so that a concurrent revocation waits and then includes the new token. */
async function holdLineage(tx: Transaction, parentId: number): Promise<void> {
  const ancestors = await tx.query<{ id: number }>(`${ANCESTORS} select id from ancestor`, [parentId]);
  const ids = ancestors.map(({ id }) => id).sort((a, b) => a - b);
  for (const id of ids) {
    const [held] = await tx.query<{ revoked_at: number | null }>(
      `select revoked_at from token where id = $1 ${tx.forUpdate}`,
      [id],
    );
    if (held === undefined || held.revoked_at !== null) {
      throw fail('UNAUTHENTICATED', { message: 'The bearer token has been revoked. Create another.' });
    }
  }
  if (ids.length < GENERATIONS_MAX) return;
  throw fail('VALIDATION_ERROR', {
    message: `This token is already ${GENERATIONS_MAX} generations away from the first one. Create the new token with one of its ancestors.`,
  });
}

export interface Management {
  readonly accountId: number;
  readonly ancestorId: number | undefined;
}

export interface FoundToken {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly parent: { readonly name: string; readonly expiresAt: number } | null;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly revokedAt: number | null;
  readonly scopes: readonly TokenScope[];
}

type TokenRow = Omit<FoundToken, 'parent' | 'scopes'> & {
  readonly parentName: string | null;
  readonly parentExpiresAt: number | null;
};

// `$1` is the account, `$2` the ancestor or 0.
const MANAGED = `with recursive managed (id) as (
    select id from token where account_id = $1 and (cast($2 as bigint) = 0 or parent_id = $2)
    union select token.id from token join managed on token.parent_id = managed.id)`;
const TOKEN_COLUMNS = `token.id, token.name, token.description, parent.name as "parentName",
  parent.expires_at as "parentExpiresAt", token.created_at as "createdAt",
  token.expires_at as "expiresAt", token.revoked_at as "revokedAt"`;
const FROM_MANAGED = `from managed join token on token.id = managed.id left join token parent on parent.id = token.parent_id`;

export async function listTokens(
  reader: Reader,
  { accountId, ancestorId = 0 }: Management,
  { after, limit }: { after: string; limit: number },
): Promise<FoundToken[]> {
  const rows = await reader.query<TokenRow>(
    `${MANAGED} select ${TOKEN_COLUMNS} ${FROM_MANAGED} where token.name > $3 order by token.name limit $4`,
    [accountId, ancestorId, after, limit],
  );
  return await withScopes(reader, rows);
}

export async function requireToken(
  reader: Reader,
  { accountId, ancestorId = 0 }: Management,
  name: string,
): Promise<FoundToken> {
  const rows = await reader.query<TokenRow>(
    `${MANAGED} select ${TOKEN_COLUMNS} ${FROM_MANAGED} where token.name = $3`,
    [accountId, ancestorId, name],
  );
  const [found] = await withScopes(reader, rows);
  if (found === undefined) throw tokenNotFound(name);
  return found;
}

async function withScopes(reader: Reader, rows: readonly TokenRow[]): Promise<FoundToken[]> {
  const found = await reader.bulk<TokenScopeRow>(
    {
      each: `select ${SCOPE_COLUMNS} from token_scope where token_id = $1 order by entry`,
      set: `select k.ord::int as ord, ${SCOPE_COLUMNS} from unnest($1::bigint[]) with ordinality as k (id, ord)
        join token_scope on token_scope.token_id = k.id order by k.ord, token_scope.entry`,
    },
    { common: [], rows: rows.map(({ id }) => [id]) },
  );
  const byToken = Map.groupBy(found, ({ ord }) => ord);
  return rows.map(({ parentName, parentExpiresAt, ...row }, ord) => ({
    ...row,
    parent: parentName === null ? null : { name: parentName, expiresAt: parentExpiresAt ?? 0 },
    scopes: toTokenScopes(byToken.get(ord) ?? []),
  }));
}

function tokenNotFound(name: string): CairnError {
  return fail('NOT_FOUND', { message: `You do not manage a token ${name}. List your tokens.` });
}

export async function revokeToken(
  tx: Transaction,
  { management, name, now }: { management: Management; name: string; now: number },
): Promise<FoundToken> {
  const { id } = await holdToken(tx, management, name);
  await tx.query(
    `update token set revoked_at = $2 where revoked_at is null and id in (
       with recursive line (id) as (select id from token where id = $1
         union all select token.id from token join line on token.parent_id = line.id) select id from line)`,
    [id, now],
  );
  return await requireToken(tx, management, name);
}

interface Rotation {
  readonly management: Management;
  readonly name: string;
  readonly hash: Uint8Array;
  readonly expiresAt: number;
  readonly previousUntil: number;
  readonly now: number;
}

export async function rotateToken(tx: Transaction, rotation: Rotation): Promise<FoundToken> {
  const { management, name, hash, expiresAt, previousUntil, now } = rotation;
  const { id, revokedAt, expiresAt: ended } = await holdToken(tx, management, name);
  if (revokedAt !== null || ended <= now) {
    throw fail('CONFLICT', {
      message: `The token ${name} has ended and cannot be rotated. Create another.`,
      details: { reason: 'token_ended' },
    });
  }
  await tx.query(
    `update token set previous_hash = hash, previous_until = $2, hash = $3, expires_at = $4 where id = $1`,
    [id, previousUntil, hash, expiresAt],
  );
  return await requireToken(tx, management, name);
}

async function holdToken(tx: Transaction, management: Management, name: string): Promise<FoundToken> {
  const found = await requireToken(tx, management, name);
  await tx.query(`select id from token where id = $1 ${tx.forUpdate}`, [found.id]);
  return await requireToken(tx, management, name);
}
