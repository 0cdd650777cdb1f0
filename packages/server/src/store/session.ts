// Interactive sessions: what a JWT's id stands for. A JWT is good only as long as its session is.
import type { BulkStatement, Reader, Transaction } from './database.ts';
import type { AccountHolder } from './token-holder.ts';

export interface NewSession {
  readonly id: string;
  readonly accountId: number;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export async function createSession(tx: Transaction, session: NewSession): Promise<void> {
  const { id, accountId, createdAt, expiresAt } = session;
  await tx.query('insert into session (id, account_id, created_at, expires_at) values ($1, $2, $3, $4)', [
    id,
    accountId,
    createdAt,
    expiresAt,
  ]);
}

/** A session together with its account. */
export interface SessionHolder extends AccountHolder {
  readonly sessionId: string;
}

export interface SessionKey {
  readonly id: string;
  readonly accountId: number;
}

interface SessionRow {
  readonly id: number;
  readonly handle: string;
  readonly operator: number;
}

const HOLDER_COLUMNS = 'account.id, account.handle, account.operator';
const STANDS = 'session.ended_at is null and session.expires_at > $1 and account.deactivated_at is null';

const FIND_HOLDERS: BulkStatement = {
  each: `select ${HOLDER_COLUMNS} from session join account on account.id = session.account_id
    where session.id = $2 and session.account_id = $3 and ${STANDS}`,
  set: `select k.ord::int as ord, ${HOLDER_COLUMNS}
    from unnest($2::text[], $3::bigint[]) with ordinality as k (id, account_id, ord)
    join session on session.id = k.id collate "C" and session.account_id = k.account_id
    join account on account.id = session.account_id where ${STANDS}`,
};

/** Whose session it is, while it lasts and the account is not deactivated. */
export async function findSessionHolder(
  reader: Reader,
  { now, ...key }: SessionKey & { now: number },
): Promise<SessionHolder | undefined> {
  const [holder] = await findSessionHolders(reader, { keys: [key], now });
  return holder;
}

/** In the order of the keys; `undefined` where a session has ended. */
export async function findSessionHolders(
  reader: Reader,
  { keys, now }: { keys: readonly SessionKey[]; now: number },
): Promise<(SessionHolder | undefined)[]> {
  const rows = keys.map(({ id, accountId }) => [id, accountId]);
  const found = await reader.bulk<SessionRow>(FIND_HOLDERS, { common: [now], rows });
  const holders: (SessionHolder | undefined)[] = keys.map(() => undefined);
  for (const { ord, id: accountId, handle, operator } of found) {
    holders[ord] = { sessionId: keys[ord]?.id ?? '', accountId, handle, operator: operator === 1 };
  }
  return holders;
}

/** Signs an account out everywhere. */
export async function endSessions(
  tx: Transaction,
  { accountId, now }: { accountId: number; now: number },
): Promise<void> {
  await tx.query('update session set ended_at = $2 where account_id = $1 and ended_at is null', [accountId, now]);
}
