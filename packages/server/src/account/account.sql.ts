// Accounts: the people who can sign in. Passwords arrive here already hashed.
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { Person } from '@cairn/protocol/organization';
import { createToken, type NewToken } from '../access/token.sql.ts';
import type { AccountHolder } from '../access/token-scope.sql.ts';
import type { Reader, Transaction, Value } from '../engine/database.ts';
import { useUpServerFact } from '../keys/server-fact.sql.ts';
import { createOrganization } from '../repository/organization.sql.ts';
import { endSessions } from './session.sql.ts';

export interface Account {
  readonly id: number;
  readonly email: string;
  readonly handle: string;
  readonly operator: boolean;
}

export interface NewAccount {
  readonly email: string;
  readonly handle: string;
  readonly passwordHash: string;
  readonly operator: boolean;
  /** False if the address is unproven. By default the operator vouches for it. */
  readonly emailVerified?: boolean | undefined;
}

export async function hasAccounts(reader: Reader): Promise<boolean> {
  return (await reader.query('select 1 as one from account limit 1')).length > 0;
}

export async function findAccountByEmail(reader: Reader, email: string): Promise<Account | undefined> {
  const [row] = await reader.query<{ id: number; email: string; handle: string; operator: number }>(
    'select id, email, handle, operator from account where email = $1 and deactivated_at is null',
    [email],
  );
  return row && { ...row, operator: row.operator === 1 };
}

export async function findAccountHolder(reader: Reader, accountId: number): Promise<AccountHolder | undefined> {
  const sql = 'select handle, operator from account where id = $1 and deactivated_at is null';
  const [row] = await reader.query<{ handle: string; operator: number }>(sql, [accountId]);
  return row && { accountId, handle: row.handle, operator: row.operator === 1 };
}

export interface Credential {
  readonly accountId: number;
  readonly handle: string;
  readonly email: string;
  readonly passwordHash: string;
  readonly deactivated: boolean;
}

export async function findCredential(reader: Reader, email: string): Promise<Credential | undefined> {
  return await findCredentialWhere(reader, 'account where account.email = $1', [email]);
}

export async function findCredentialWhere(
  reader: Reader,
  from: string,
  values: readonly Value[],
): Promise<Credential | undefined> {
  const [row] = await reader.query<Omit<Credential, 'deactivated'> & { deactivatedAt: number | null }>(
    `select account.id as "accountId", account.handle, account.email, account.password_hash as "passwordHash",
       account.deactivated_at as "deactivatedAt" from ${from}`,
    values,
  );
  if (row === undefined) return undefined;
  const { deactivatedAt, ...credential } = row;
  return { ...credential, deactivated: deactivatedAt !== null };
}

export async function createAccount(tx: Transaction, account: NewAccount): Promise<Account> {
  const { email, handle, passwordHash, operator, emailVerified = true } = account;
  const sql = 'select email from account where email = $1 or handle = $2';
  const taken = await tx.query<{ email: string }>(sql, [email, handle]);
  if (taken.length > 0) {
    const what = taken.some((other) => other.email === email) ? 'email address' : 'handle';
    throw fail('ALREADY_EXISTS', { message: `An account with this ${what} exists already. Choose another.` });
  }
  const now = Date.now();
  const [row] = await tx.query<{ id: number }>(
    `insert into account (email, handle, password_hash, operator, email_verified, created_at)
     values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning id`,
    [email, handle, passwordHash, Number(operator), Number(emailVerified), now],
  );
  if (row === undefined) throw fail('ALREADY_EXISTS', { message: 'The handle is taken. Choose another.' });
  await createOrganization(tx, { name: handle, description: '', ownerId: row.id, personal: true, now });
  return { id: row.id, email, handle, operator };
}

/** A deactivation takes effect at once. After a reactivation tokens work again; sessions and codes stay ended. */
export async function setAccountActive(
  tx: Transaction,
  { accountId, active, now }: { accountId: number; active: boolean; now: number },
): Promise<void> {
  if (active) {
    await tx.query('update account set deactivated_at = null where id = $1', [accountId]);
    return;
  }
  await refuseLastOperator(tx, accountId);
  await tx.query('update account set deactivated_at = coalesce(deactivated_at, $2) where id = $1', [accountId, now]);
  await tx.query('delete from account_code where account_id = $1', [accountId]);
  await endSessions(tx, { accountId, now });
}

/** Without an operator, nobody could administer the server. */
async function refuseLastOperator(tx: Transaction, accountId: number): Promise<void> {
  const sql = 'select id from account where operator = 1 and deactivated_at is null';
  const operators = await tx.query<{ id: number }>(sql);
  if (operators.length !== 1 || operators[0]?.id !== accountId) return;
  throw fail('CONFLICT', {
    message: 'This is the last active operator of the server. Create another with --owner first.',
    details: { reason: 'last_operator' },
  });
}

export async function setUpOwner(
  tx: Transaction,
  { setupCodeHash, account, token }: { setupCodeHash: string; account: NewAccount; token: Omit<NewToken, 'accountId'> },
): Promise<Account> {
  // The code is used up first: of concurrent callers with the same code, only the one that deletes the row continues.
  const used = await useUpServerFact(tx, { name: 'setup-code-hash', value: setupCodeHash });
  if (!used || (await hasAccounts(tx))) throw setupCodeRefused();
  const owner = await createAccount(tx, account);
  await createToken(tx, { ...token, accountId: owner.id });
  return owner;
}

export function setupCodeRefused(): CairnError {
  return fail('UNAUTHENTICATED', {
    message: 'The set-up code is wrong or used. If the server has no owner yet, restart it to get a new link.',
  });
}

export interface FoundPerson {
  readonly accountId: number;
  readonly handle: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly deactivated: boolean;
}

/**
 * Only a verified email identifies an account, or an attacker could register a victim's address and receive its roles.
 */
export async function findPerson(reader: Reader, person: Person): Promise<FoundPerson | undefined> {
  const [condition, value] =
    'email' in person ? ['email = $1 and email_verified = 1', person.email] : ['handle = $1', person.handle];
  type PersonRow = Omit<FoundPerson, 'emailVerified' | 'deactivated'> & {
    verified: number;
    deactivatedAt: number | null;
  };
  const [row] = await reader.query<PersonRow>(
    `select id as "accountId", handle, email, email_verified as verified, deactivated_at as "deactivatedAt" from account
     where ${condition}`,
    [value],
  );
  if (row === undefined) return undefined;
  const { verified, deactivatedAt, ...found } = row;
  return { ...found, emailVerified: verified === 1, deactivated: deactivatedAt !== null };
}

export function noSuchAccount(handle: string): CairnError {
  return fail('NOT_FOUND', {
    message: `There is no account ${handle}. Check the handle, or give an email address to invite.`,
  });
}

/** A role for a deactivated account would wait unseen until somebody reactivates it. */
export function refuseDeactivated({ handle, deactivated }: FoundPerson): void {
  if (!deactivated) return;
  throw fail('CONFLICT', {
    message: `The account ${handle} is deactivated. An operator of the server can reactivate it.`,
    details: { reason: 'deactivated' },
  });
}
