// How a password changes: by its owner, by a reset code, or by the operator. Each ends what the old one may have opened.
// Passwords arrive here already hashed.
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { Reader, Transaction } from '../engine/database.ts';
import { endSessions } from './session.sql.ts';

interface PasswordChange {
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
      'The email address or the password is wrong. Try again; if the password is lost, /auth/forgot says how to get another.',
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

interface ResetCode {
  readonly accountId: number;
  /** Whether it goes to the address of the account, and to nobody else: who has it has the mailbox. */
  readonly mailed?: boolean;
  readonly codeHash: string;
  readonly expiresAt: number;
}

const MAILED = 'reset by mail';

/** Takes the place of an earlier code, which ends here. A stranger who has one mailed does not end that of an operator. */
export async function issueResetCode(tx: Transaction, code: ResetCode): Promise<void> {
  const { accountId, mailed, codeHash, expiresAt } = code;
  await tx.query(
    `insert into account_code (account_id, purpose, code_hash, expires_at) values ($1, $2, $3, $4)
     on conflict (account_id, purpose) do update set code_hash = excluded.code_hash, expires_at = excluded.expires_at`,
    [accountId, mailed ? MAILED : 'reset', codeHash, expiresAt],
  );
}

interface ResetAccount {
  readonly accountId: number;
  readonly handle: string;
  /** Whether the code shows for the first time that the address is theirs. */
  readonly proves: boolean;
}

/** Whose password a code sets, as long as it stands. */
export async function findResetAccount(
  reader: Reader,
  { codeHash, now }: { codeHash: string; now: number },
): Promise<ResetAccount> {
  const [row] = await reader.query<{ id: number; handle: string; email_verified: number; purpose: string }>(
    `select account.id, account.handle, account.email_verified, account_code.purpose
     from account_code join account on account.id = account_code.account_id
     where account_code.code_hash = $1 and account_code.purpose in ('reset', '${MAILED}')
     and account_code.expires_at > $2 and account.deactivated_at is null`,
    [codeHash, now],
  );
  if (row === undefined) throw resetCodeRefused();
  return { accountId: row.id, handle: row.handle, proves: row.purpose === MAILED && row.email_verified === 0 };
}

interface PasswordReset {
  readonly codeHash: string;
  readonly passwordHash: string;
  readonly now: number;
}

/** Tells whether the address is proven by it. */
export async function resetPassword(tx: Transaction, { codeHash, passwordHash, now }: PasswordReset): Promise<boolean> {
  const { accountId, proves } = await findResetAccount(tx, { codeHash, now });
  // Of callers with the same code, the one that deletes the row goes on, and the others find none.
  const used = await tx.query('delete from account_code where code_hash = $1 returning account_id', [codeHash]);
  if (used.length === 0) throw resetCodeRefused();
  await setPassword(tx, { accountId, passwordHash });
  if (proves) await proveAddress(tx, { accountId, now });
  return proves;
}

/**
 * Whoever made an account with an address that they did not prove may have waited for its true owner to come. Nothing that
 * they left behind opens it any longer.
 */
async function proveAddress(tx: Transaction, { accountId, now }: { accountId: number; now: number }): Promise<void> {
  await tx.query('update account set email_verified = 1 where id = $1', [accountId]);
  await tx.query('update token set revoked_at = $2 where account_id = $1 and revoked_at is null', [accountId, now]);
  await tx.query('delete from external_identity where account_id = $1', [accountId]);
}

function resetCodeRefused(): CairnError {
  return fail('UNAUTHENTICATED', {
    message: 'The reset link is wrong, used or expired. /auth/forgot says how to get another.',
  });
}
