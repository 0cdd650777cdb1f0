// Personal access tokens: their records. Of the value itself only the SHA-256 is here.
import { fail } from '@cairn/protocol/errors';
import type { ScopeEntry } from '@cairn/protocol/procedures';
import type { Reader, Transaction } from './database.ts';

export interface NewToken {
  readonly accountId: number;
  readonly name: string;
  readonly description: string;
  readonly hash: Uint8Array;
  readonly scopes: readonly ScopeEntry[];
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** A token together with the account that it acts for: what authentication needs, in one read. */
export interface TokenHolder {
  readonly tokenId: number;
  readonly tokenName: string;
  readonly scopes: ScopeEntry[];
  readonly expiresAt: number;
  readonly accountId: number;
  readonly handle: string;
  readonly operator: boolean;
}

export async function createToken(tx: Transaction, token: NewToken): Promise<void> {
  const made = await tx.query(
    `insert into token (account_id, name, description, hash, scopes, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict (account_id, name) do nothing returning id`,
    [
      token.accountId,
      token.name,
      token.description,
      token.hash,
      JSON.stringify(token.scopes),
      token.createdAt,
      token.expiresAt,
    ],
  );
  if (made.length === 0) {
    throw fail('ALREADY_EXISTS', { message: `A token named ${token.name} exists already. Choose another name.` });
  }
}

interface TokenHolderRow {
  readonly token_id: number;
  readonly name: string;
  readonly scopes: string;
  readonly expires_at: number;
  readonly account_id: number;
  readonly handle: string;
  readonly operator: number;
}

/** The holder of a token that still stands: not revoked, not expired, its account not deactivated. */
export async function findTokenHolder(
  reader: Reader,
  { hash, now }: { hash: Uint8Array; now: number },
): Promise<TokenHolder | undefined> {
  const [row] = await reader.query<TokenHolderRow>(
    `select token.id as token_id, token.name, token.scopes, token.expires_at, account.id as account_id,
       account.handle, account.operator
     from token join account on account.id = token.account_id
     where token.hash = $1 and token.revoked_at is null and token.expires_at > $2 and account.deactivated_at is null`,
    [hash, now],
  );
  return (
    row && {
      tokenId: row.token_id,
      tokenName: row.name,
      scopes: JSON.parse(row.scopes) as ScopeEntry[],
      expiresAt: row.expires_at,
      accountId: row.account_id,
      handle: row.handle,
      operator: row.operator === 1,
    }
  );
}
