// Interactive sessions. A JWT is valid only as long as its session. A client's session has the id of its grant.

import type { SessionKind } from '@cairn/protocol/account';
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { AccountHolder } from '../access/token-scope.sql.ts';
import type { BulkStatement, Reader, Transaction } from '../engine/database.ts';
import { type RowOf, withoutNulls } from '../engine/row.ts';
import { removeGrantItems } from './oauth/oauth-item.sql.ts';

interface NewSession {
  readonly id: string;
  readonly accountId: number;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly secretHash?: string | undefined;
  readonly client?: SessionClient | undefined;
  readonly address?: string | undefined;
  readonly agent?: string | undefined;
  readonly restsOn?: SessionGround | undefined;
}

/** The basis of a session: the verified password hash, or the browser session in which the user decided. */
interface SessionGround {
  readonly passwordHash?: string | undefined;
  readonly sessionId?: string | undefined;
}

export interface SessionClient {
  readonly id: string;
  readonly name: string;
}

/** A basis that ended in the meantime is refused, because a password change ends only sessions that exist already. */
export async function createSession(tx: Transaction, session: NewSession): Promise<void> {
  const { id, accountId, createdAt, expiresAt, secretHash, client, address, agent, restsOn } = session;
  await requireGround(tx, { accountId, now: createdAt, ...restsOn });
  await tx.query(
    `insert into session
       (id, account_id, created_at, expires_at, kind, secret_hash, client_id, client_name, address, agent)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      ...[id, accountId, createdAt, expiresAt],
      client === undefined ? 'browser' : 'client',
      ...[secretHash ?? null, client?.id ?? null, client?.name ?? null, address ?? null, agent ?? null],
    ],
  );
}

/** The lock on the account makes this and a concurrent end of its sessions see each other. */
export async function requireGround(
  tx: Transaction,
  { accountId, now, passwordHash, sessionId }: SessionGround & { accountId: number; now: number },
): Promise<void> {
  await lockAccount(tx, accountId);
  const found = await tx.query(
    `select id from account where id = $2 and deactivated_at is null
     and password_hash = coalesce(cast($3 as text), password_hash)
     and (cast($4 as text) is null or exists (
       select 1 from session where session.id = $4 and session.account_id = account.id
       and session.ended_at is null and session.expires_at > $1))`,
    [now, accountId, passwordHash ?? null, sessionId ?? null],
  );
  if (found.length === 0) throw groundLost();
}

async function lockAccount(tx: Transaction, accountId: number): Promise<void> {
  await tx.query(`select id from account where id = $1 ${tx.forUpdate}`, [accountId]);
}

function groundLost(): CairnError {
  return fail('UNAUTHENTICATED', {
    message: 'You were signed out in the meantime, or the password was changed. Sign in again.',
  });
}

export interface BrowserSessionHolder extends SessionHolder {
  readonly email: string;
  readonly createdAt: number;
}

export async function findBrowserSession(
  reader: Reader,
  { secretHash, now }: { secretHash: string; now: number },
): Promise<BrowserSessionHolder | undefined> {
  const [row] = await reader.query<Omit<BrowserSessionHolder, 'operator'> & { operator: number }>(
    `select session.id as "sessionId", session.created_at as "createdAt", account.email, ${HOLDER_COLUMNS}
     from session join account on account.id = session.account_id where session.secret_hash = $2 and ${STANDS}`,
    [now, secretHash],
  );
  return row && { ...row, operator: row.operator === 1 };
}

export interface SessionHolder extends AccountHolder {
  readonly sessionId: string;
  readonly sessionEndsAt: number;
}

const HOLDER_COLUMNS = `account.id as "accountId", account.handle, account.operator,
  session.expires_at as "sessionEndsAt"`;
const STANDS = 'session.ended_at is null and session.expires_at > $1 and account.deactivated_at is null';

const FIND_HOLDERS: BulkStatement = {
  each: `select ${HOLDER_COLUMNS} from session join account on account.id = session.account_id
    where session.id = $2 and session.account_id = $3 and ${STANDS}`,
  set: `select k.ord::int as ord, ${HOLDER_COLUMNS}
    from unnest($2::text[], $3::bigint[]) with ordinality as k (id, account_id, ord)
    join session on session.id = k.id collate "C" and session.account_id = k.account_id
    join account on account.id = session.account_id where ${STANDS}`,
};

export async function findSessionHolder(
  reader: Reader,
  { now, ...key }: { id: string; accountId: number } & { now: number },
): Promise<SessionHolder | undefined> {
  const [holder] = await findSessionHolders(reader, { keys: [key], now });
  return holder;
}

export async function findSessionHolders(
  reader: Reader,
  { keys, now }: { keys: readonly { id: string; accountId: number }[]; now: number },
): Promise<(SessionHolder | undefined)[]> {
  const rows = keys.map(({ id, accountId }) => [id, accountId]);
  type HolderRow = Omit<SessionHolder, 'sessionId' | 'operator'> & { operator: number };
  const found = await reader.bulk<HolderRow>(FIND_HOLDERS, { common: [now], rows });
  const holders: (SessionHolder | undefined)[] = keys.map(() => undefined);
  for (const { ord, ...row } of found) {
    holders[ord] = { ...row, sessionId: keys[ord]?.id ?? '', operator: row.operator === 1 };
  }
  return holders;
}

export async function endSession(
  tx: Transaction,
  { id, accountId, now }: { id: string; accountId?: number | undefined; now: number },
): Promise<boolean> {
  const ended = await tx.query(
    `update session set ended_at = $2 where id = $1 and ended_at is null
     and account_id = coalesce(cast($3 as bigint), account_id) returning id`,
    [id, now, accountId ?? null],
  );
  if (ended.length === 0) return false;
  await removeGrantItems(tx, [id]);
  return true;
}

export async function endSessions(
  tx: Transaction,
  { accountId, kind, now }: { accountId: number; kind?: SessionKind | undefined; now: number },
): Promise<number> {
  await lockAccount(tx, accountId);
  const ended = await tx.query<{ id: string; expires_at: number }>(
    `update session set ended_at = $2 where account_id = $1 and ended_at is null
     and kind = coalesce(cast($3 as text), kind) returning id, expires_at`,
    [accountId, now, kind ?? null],
  );
  await removeGrantItems(
    tx,
    ended.map(({ id }) => id),
  );
  return ended.filter(({ expires_at }) => expires_at > now).length;
}

export async function hasExpiredSessions(reader: Reader, now: number): Promise<boolean> {
  return (await reader.query('select 1 as one from session where expires_at < $1 limit 1', [now])).length > 0;
}

export async function forgetSessions(
  tx: Transaction,
  { now, sessionsMax }: { now: number; sessionsMax: number },
): Promise<void> {
  const over = 'select id from session where expires_at < $1 order by expires_at limit $2';
  await tx.query(`delete from session where id in (${over})`, [now, sessionsMax]);
}

export interface ListedSession {
  readonly id: string;
  readonly kind: SessionKind;
  readonly clientId?: string | undefined;
  readonly clientName?: string | undefined;
  readonly address?: string | undefined;
  readonly agent?: string | undefined;
  readonly createdAt: number;
  readonly expiresAt: number;
}

const SESSION_COLUMNS = `id, kind, client_id as "clientId", client_name as "clientName", address, agent,
  created_at as "createdAt", expires_at as "expiresAt"`;

export async function listSessions(
  reader: Reader,
  { accountId, now }: { accountId: number; now: number },
  { after, limit }: { after?: { readonly createdAt: number; readonly id: string } | undefined; limit: number },
): Promise<ListedSession[]> {
  const rows = await reader.query<RowOf<ListedSession>>(
    `select ${SESSION_COLUMNS} from session where account_id = $1 and ended_at is null and expires_at > $2
     and (created_at < $3 or (created_at = $3 and id > $4)) order by created_at desc, id limit $5`,
    [accountId, now, after?.createdAt ?? Number.MAX_SAFE_INTEGER, after?.id ?? '', limit],
  );
  return rows.map((row) => withoutNulls(row));
}

export async function findSession(
  reader: Reader,
  { id, accountId, now }: { id: string; accountId: number; now: number },
): Promise<ListedSession | undefined> {
  const [row] = await reader.query<RowOf<ListedSession>>(
    `select ${SESSION_COLUMNS} from session where id = $1 and account_id = $2 and ended_at is null and expires_at > $3`,
    [id, accountId, now],
  );
  return row && withoutNulls(row);
}
