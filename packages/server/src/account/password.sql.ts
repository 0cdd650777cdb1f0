// Every password change ends what the old one may have opened. Passwords arrive here already hashed.
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { Reader, Transaction } from '../engine/database.ts';
import { endSessions } from './session.sql.ts';

export async function changePassword(
  tx: Transaction,
  { accountId, oldHash, newHash }: { accountId: number; oldHash: string; newHash: string },
): Promise<void> {
  // Of two concurrent changes with the same old password, the second fails.
  const changed = await tx.query(
    'update account set password_hash = $3 where id = $1 and password_hash = $2 and deactivated_at is null returning id',
    [accountId, oldHash, newHash],
  );
  if (changed.length === 0) throw signInRefused();
  await endOldAccess(tx, accountId);
}

/** Unknown, wrong and outdated credentials must get the same answer. */
export function signInRefused(): CairnError {
  return fail('UNAUTHENTICATED', {
    message:
      'The email address or the password is wrong. Try again, or see /auth/forgot if you have lost the password.',
  });
}

export async function setPassword(
  tx: Transaction,
  { accountId, passwordHash }: { accountId: number; passwordHash: string },
): Promise<void> {
  await tx.query('update account set password_hash = $2 where id = $1', [accountId, passwordHash]);
  await endOldAccess(tx, accountId);
}

/** Sessions and pending reset codes may be in the hands of a thief. */
async function endOldAccess(tx: Transaction, accountId: number): Promise<void> {
  await tx.query('delete from account_code where account_id = $1', [accountId]);
  await endSessions(tx, { accountId, now: Date.now() });
}

interface ResetCode {
  readonly accountId: number;
  /** Set if the code goes only to the account's address, so that its use proves access to the mailbox. */
  readonly mailed?: boolean;
  readonly codeHash: string;
  readonly expiresAt: number;
}

const MAILED = 'reset by mail';

/** Replaces an earlier code of the same kind. A stranger who has one mailed does not end an operator's code. */
export async function issueResetCode(tx: Transaction, code: ResetCode): Promise<void> {
  const { accountId, mailed, codeHash, expiresAt } = code;
  await tx.query(
    `insert into account_code (account_id, purpose, code_hash, expires_at) values ($1, $2, $3, $4)
     on conflict (account_id, purpose) do update set code_hash = excluded.code_hash, expires_at = excluded.expires_at`,
    [accountId, mailed ? MAILED : 'reset', codeHash, expiresAt],
  );
}

export async function findResetAccount(
  reader: Reader,
  { codeHash, now }: { codeHash: string; now: number },
): Promise<{ accountId: number; handle: string; proves: boolean }> {
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

export async function resetPassword(
  tx: Transaction,
  { codeHash, passwordHash, now }: { codeHash: string; passwordHash: string; now: number },
): Promise<boolean> {
  const { accountId, proves } = await findResetAccount(tx, { codeHash, now });
  const used = await tx.query('delete from account_code where code_hash = $1 returning account_id', [codeHash]);
  if (used.length === 0) throw resetCodeRefused();
  await setPassword(tx, { accountId, passwordHash });
  if (proves) await proveAddress(tx, { accountId, now });
  return proves;
}

/** An attacker may have created the account to wait for the address's owner. Nothing they left may open it. */
async function proveAddress(tx: Transaction, { accountId, now }: { accountId: number; now: number }): Promise<void> {
  await tx.query('update account set email_verified = 1 where id = $1', [accountId]);
  await tx.query('update token set revoked_at = $2 where account_id = $1 and revoked_at is null', [accountId, now]);
  await tx.query('delete from external_identity where account_id = $1', [accountId]);
}

function resetCodeRefused(): CairnError {
  return fail('UNAUTHENTICATED', {
    message: 'The reset link is wrong, used or expired. See /auth/forgot to get another.',
  });
}
