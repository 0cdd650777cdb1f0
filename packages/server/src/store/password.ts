// How a password changes: by its owner, by a reset code, or by the operator. Each ends what the old one may have opened.
// Passwords arrive here already hashed.
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { Reader, Transaction } from './database.ts';
import { endSessions } from './session.ts';

export interface PasswordChange {
  readonly accountId: number;
  /** What the given password was held against. */
  readonly oldHash: string;
  readonly newHash: string;
}

export async function changePassword(tx: Transaction, { accountId, oldHash, newHash }: PasswordChange): Promise<void> {
  // Of two who change it at once with the same old password, the second is too late.
  const changed = await tx.query(
    'update account set password_hash = $3 where id = $1 and password_hash = $2 and deactivated_at is null returning id',
    [accountId, oldHash, newHash],
  );
  if (changed.length === 0) throw signInRefused();
  await endOldAccess(tx, accountId);
}

/** Unknown, wrong and out of date are one and the same answer. */
export function signInRefused(): CairnError {
  return fail('UNAUTHENTICATED', {
    message:
      'The email address or the password is wrong. Try again; if the password is lost, ask an operator of the server for a reset link.',
  });
}

export async function setPassword(
  tx: Transaction,
  { accountId, passwordHash }: { accountId: number; passwordHash: string },
): Promise<void> {
  await tx.query('update account set password_hash = $2 where id = $1', [accountId, passwordHash]);
  await endOldAccess(tx, accountId);
}

/** Sessions may be a thief's, and so may a reset code that waits. */
async function endOldAccess(tx: Transaction, accountId: number): Promise<void> {
  await tx.query('delete from account_code where account_id = $1', [accountId]);
  await endSessions(tx, { accountId, now: Date.now() });
}

export interface ResetCode {
  readonly accountId: number;
  readonly codeHash: string;
  readonly expiresAt: number;
}

/** Takes the place of an earlier code, which ends here. */
export async function issueResetCode(tx: Transaction, { accountId, codeHash, expiresAt }: ResetCode): Promise<void> {
  await tx.query(
    `insert into account_code (account_id, purpose, code_hash, expires_at) values ($1, 'reset', $2, $3)
     on conflict (account_id, purpose) do update set code_hash = excluded.code_hash, expires_at = excluded.expires_at`,
    [accountId, codeHash, expiresAt],
  );
}

export interface ResetAccount {
  readonly accountId: number;
  readonly handle: string;
}

/** Whose password a code sets, as long as it stands. */
export async function findResetAccount(
  reader: Reader,
  { codeHash, now }: { codeHash: string; now: number },
): Promise<ResetAccount> {
  const [row] = await reader.query<{ id: number; handle: string }>(
    `select account.id, account.handle from account_code join account on account.id = account_code.account_id
     where account_code.code_hash = $1 and account_code.purpose = 'reset' and account_code.expires_at > $2
     and account.deactivated_at is null`,
    [codeHash, now],
  );
  if (row === undefined) throw resetCodeRefused();
  return { accountId: row.id, handle: row.handle };
}

export interface PasswordReset {
  readonly codeHash: string;
  readonly passwordHash: string;
  readonly now: number;
}

export async function resetPassword(tx: Transaction, { codeHash, passwordHash, now }: PasswordReset): Promise<void> {
  const { accountId } = await findResetAccount(tx, { codeHash, now });
  // Of callers with the same code, the one that deletes the row goes on, and the others find none.
  const used = await tx.query('delete from account_code where code_hash = $1 returning account_id', [codeHash]);
  if (used.length === 0) throw resetCodeRefused();
  await setPassword(tx, { accountId, passwordHash });
}

function resetCodeRefused(): CairnError {
  return fail('UNAUTHENTICATED', {
    message: 'The reset link is wrong, used or expired. Ask an operator of the server for another.',
  });
}
