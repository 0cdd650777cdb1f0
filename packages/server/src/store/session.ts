// Interactive sessions: what a JWT's id stands for. A JWT is good only as long as its session is.
import type { Reader, Transaction } from './database.ts';
import type { AccountHolder } from './token.ts';

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

/** Whose session it is, while it lasts and the account is not deactivated. */
export async function findSessionHolder(
  reader: Reader,
  { id, accountId, now }: { id: string; accountId: number; now: number },
): Promise<AccountHolder | undefined> {
  const [row] = await reader.query<{ id: number; handle: string; operator: number }>(
    `select account.id, account.handle, account.operator from session join account on account.id = session.account_id
     where session.id = $1 and session.account_id = $2 and session.ended_at is null and session.expires_at > $3
     and account.deactivated_at is null`,
    [id, accountId, now],
  );
  return row && { accountId: row.id, handle: row.handle, operator: row.operator === 1 };
}

/** Signs an account out everywhere. */
export async function endSessions(
  tx: Transaction,
  { accountId, now }: { accountId: number; now: number },
): Promise<void> {
  await tx.query('update session set ended_at = $2 where account_id = $1 and ended_at is null', [accountId, now]);
}
