// Codes, refresh tokens, grants and clients of the OAuth server, as opaque payloads under the hash of their ids.
import type { BulkStatement, Reader, Transaction } from '../../engine/database.ts';
import { type RowOf, withoutNulls } from '../../engine/row.ts';

export interface OauthItemKey {
  readonly kind: string;
  readonly idHash: string;
}

export interface OauthItem {
  readonly payload: string;
  readonly idHash: string;
  readonly consumedAt?: number | undefined;
}

interface NewOauthItem extends OauthItemKey {
  readonly payload: string;
  readonly grantId?: string | undefined;
  readonly uid?: string | undefined;
  readonly userCode?: string | undefined;
  readonly expiresAt?: number | undefined;
}

export async function findOauthItem(
  reader: Reader,
  column: 'id_hash' | 'uid' | 'user_code',
  { kind, value, now }: { kind: string; value: string; now: number },
): Promise<OauthItem | undefined> {
  const [row] = await reader.query<RowOf<OauthItem>>(
    `select payload, id_hash as "idHash", consumed_at as "consumedAt" from oauth_item
     where ${column} = $1 and kind = $2 and (expires_at is null or expires_at > $3)`,
    [value, kind, now],
  );
  return row && withoutNulls(row);
}

export async function putOauthItem(tx: Transaction, item: NewOauthItem): Promise<void> {
  const { kind, idHash, payload, grantId, uid, userCode, expiresAt } = item;
  await tx.query(
    `insert into oauth_item (kind, id_hash, payload, grant_id, uid, user_code, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (kind, id_hash) do update set payload = excluded.payload, grant_id = excluded.grant_id,
       uid = excluded.uid, user_code = excluded.user_code, expires_at = excluded.expires_at`,
    [kind, idHash, payload, grantId ?? null, uid ?? null, userCode ?? null, expiresAt ?? null],
  );
}

export async function consumeOauthItem(
  tx: Transaction,
  { kind, idHash, now }: OauthItemKey & { now: number },
): Promise<boolean> {
  const sql = `update oauth_item set consumed_at = $3 where kind = $1 and id_hash = $2 and consumed_at is null
    returning kind`;
  return (await tx.query(sql, [kind, idHash, now])).length === 1;
}

export async function removeOauthItem(tx: Transaction, { kind, idHash }: OauthItemKey): Promise<void> {
  await tx.query('delete from oauth_item where kind = $1 and id_hash = $2', [kind, idHash]);
}

const REMOVE_OF_GRANTS: BulkStatement = {
  each: 'delete from oauth_item where grant_id = $1',
  set: 'delete from oauth_item where grant_id = any($1::text[])',
};

export async function removeGrantItems(tx: Transaction, grantIds: readonly string[]): Promise<void> {
  await tx.bulk(REMOVE_OF_GRANTS, { common: [], rows: grantIds.map((id) => [id]) });
}

export async function hasExpiredOauthItems(reader: Reader, now: number): Promise<boolean> {
  return (await reader.query('select 1 as one from oauth_item where expires_at < $1 limit 1', [now])).length > 0;
}

export async function forgetOauthItems(
  tx: Transaction,
  { now, itemsMax }: { now: number; itemsMax: number },
): Promise<void> {
  const over = 'select kind, id_hash from oauth_item where expires_at < $1 order by expires_at limit $2';
  await tx.query(`delete from oauth_item where (kind, id_hash) in (${over})`, [now, itemsMax]);
}

export async function extendOauthItem(
  tx: Transaction,
  { kind, idHash, expiresAt }: OauthItemKey & { expiresAt: number },
): Promise<void> {
  const sql = 'update oauth_item set expires_at = $3 where kind = $1 and id_hash = $2 and expires_at < $3';
  await tx.query(sql, [kind, idHash, expiresAt]);
}
