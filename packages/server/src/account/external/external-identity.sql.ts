// External identities. Issuer and subject identify a person because they never change, unlike an email address.
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { Reader, Transaction } from '../../engine/database.ts';
import { type Account, type Credential, createAccount, findCredentialWhere, type NewAccount } from '../account.sql.ts';
import { requireGround } from '../session.sql.ts';

export interface IdentityKey {
  readonly issuer: string;
  readonly subject: string;
}

export interface NewIdentity extends IdentityKey {
  readonly email: string | undefined;
  readonly now: number;
}

export async function findIdentityHolder(
  reader: Reader,
  { issuer, subject }: IdentityKey,
): Promise<Credential | undefined> {
  const from = `external_identity join account on account.id = external_identity.account_id
    where external_identity.issuer = $1 and external_identity.subject = $2`;
  return await findCredentialWhere(reader, from, [issuer, subject]);
}

export interface Identity extends IdentityKey {
  readonly email: string | null;
  readonly createdAt: number;
}

export async function listIdentities(reader: Reader, accountId: number): Promise<Identity[]> {
  return await reader.query<Identity>(
    `select issuer, subject, email, created_at as "createdAt" from external_identity
     where account_id = $1 order by created_at, issuer, subject`,
    [accountId],
  );
}

export async function findPassword(
  reader: Reader,
  accountId: number,
): Promise<{ email: string; passwordHash: string } | undefined> {
  const [row] = await reader.query<{ email: string; passwordHash: string }>(
    'select email, password_hash as "passwordHash" from account where id = $1 and deactivated_at is null',
    [accountId],
  );
  return row;
}

export async function createIdentity(
  tx: Transaction,
  { issuer, subject, email, accountId, now }: NewIdentity & { accountId: number },
): Promise<void> {
  const made = await tx.query(
    `insert into external_identity (issuer, subject, account_id, email, created_at) values ($1, $2, $3, $4, $5)
     on conflict (issuer, subject) do nothing returning account_id`,
    [issuer, subject, accountId, email ?? null, now],
  );
  if (made.length === 0) throw identityTaken();
}

interface IdentityLink extends NewIdentity {
  readonly accountId: number;
  readonly sessionId: string;
}

export async function linkIdentity(tx: Transaction, link: IdentityLink): Promise<void> {
  await requireGround(tx, link);
  const holder = await findIdentityHolder(tx, link);
  if (holder?.accountId === link.accountId) return;
  await createIdentity(tx, link);
}

export async function createExternalAccount(
  tx: Transaction,
  { account, identity }: { account: NewAccount; identity: NewIdentity },
): Promise<Account> {
  const made = await createAccount(tx, account);
  await createIdentity(tx, { ...identity, accountId: made.id });
  return made;
}

interface IdentityRemoval extends IdentityKey {
  readonly accountId: number;
  /** Identities of other issuers cannot sign in. */
  readonly usableIssuer: string | undefined;
  readonly noPasswordHash: string;
}

export async function unlinkIdentity(tx: Transaction, removal: IdentityRemoval): Promise<void> {
  const { accountId, issuer, subject, usableIssuer, noPasswordHash } = removal;
  // The lock makes concurrent removals see each other, so that they cannot remove the last two identities at once.
  const [account] = await tx.query<{ password_hash: string }>(
    `select password_hash from account where id = $1 ${tx.forUpdate}`,
    [accountId],
  );
  const removed = await tx.query(
    'delete from external_identity where issuer = $1 and subject = $2 and account_id = $3 returning account_id',
    [issuer, subject, accountId],
  );
  if (removed.length === 0) {
    throw fail('NOT_FOUND', { message: 'This identity is not connected to your account. Reload the page.' });
  }
  if (account?.password_hash !== noPasswordHash) return;
  const sql = 'select 1 as one from external_identity where account_id = $1 and issuer = $2 limit 1';
  const left = await tx.query(sql, [accountId, usableIssuer ?? '']);
  if (left.length === 0) throw lastWayIn();
}

function lastWayIn(): CairnError {
  return fail('CONFLICT', {
    message:
      'Your account has no password, so without this identity you could not sign in. Set a password first: /auth/forgot says how to get a reset link.',
    details: { reason: 'last_way_in' },
  });
}

function identityTaken(): CairnError {
  return fail('CONFLICT', {
    message: 'This identity is connected to another account. Disconnect it there, or use another identity.',
    details: { reason: 'identity_taken' },
  });
}
