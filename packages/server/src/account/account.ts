// Accounts and tokens that the operator creates, at set-up or on the server's own machine.
import { timingSafeEqual } from 'node:crypto';
import { proposedName } from '@cairn/model/name-proposal';
import { type MintedToken, type ScopeEntry, tokenCreation } from '@cairn/protocol/account';
import { ended, fail } from '@cairn/protocol/errors';
import { EMAIL, EMAIL_CHARACTERS_MAX, ORGANIZATION_NAME, RESERVED_ORGANIZATION_NAMES } from '@cairn/protocol/names';
import { SCOPE_NAMES } from '@cairn/protocol/scopes';
import type { AuditEntry } from '../access/audit.sql.ts';
import { type Audited, auditedByOperator, auditedByUser } from '../access/audit.ts';
import type { Origin } from '../access/context.ts';
import { hashToken, mintToken } from '../access/principal.ts';
import { endOf } from '../access/token.ts';
import type { TokenScope } from '../access/token-scope.sql.ts';
import { resolveScopes, SEES_ALL } from '../access/token-scope.ts';
import { hashCode, mintCode } from '../keys/secret.ts';
import { findServerFact } from '../keys/server-fact.sql.ts';
import { refuseReservedName } from '../repository/organization.ts';
import type { Store } from '../store.ts';
import { type Account, findAccountByEmail, hasAccounts, type NewAccount, setupCodeRefused } from './account.sql.ts';
import { hashPassword, NOBODYS_HASH } from './password-hash.ts';

const PASSWORD_MIN = 12;
const PASSWORD_MAX = 1_000;

export interface AccountForm {
  readonly email: string;
  readonly password: string;
  readonly name?: string | undefined;
}

export async function createAccount(store: Store, form: AccountForm & { operator: boolean }): Promise<Account> {
  const account = await newAccount(form);
  const { handle, email, operator } = account;
  const audit = auditedByOperator({
    action: 'admin.createUser',
    target: `user:${handle}`,
    details: { email, operator },
    places: [{ orgName: handle }],
  });
  return await store.write.createAccount(account, audit);
}

export async function newAccount({
  email,
  password,
  name,
  operator,
}: AccountForm & { operator: boolean }): Promise<NewAccount> {
  const address = checkEmail(email);
  checkNewPassword(password);
  const handle = checkHandle(name ?? handleFrom(address));
  return { email: address, handle, passwordHash: await hashPassword(password), operator };
}

export function passwordlessAccount(email: string, number?: number): NewAccount {
  const base = handleFrom(email);
  const handle = number === undefined ? base : `${base.slice(0, 34).replace(/-+$/, '')}-${number}`;
  return { email, handle, passwordHash: NOBODYS_HASH, operator: false };
}

export function checkEmail(email: string): string {
  const address = email.trim().toLowerCase();
  if (EMAIL.test(address) && address.length <= EMAIL_CHARACTERS_MAX) return address;
  throw fail('VALIDATION_ERROR', {
    message: 'This is not an email address. Write it as name@example.com.',
    details: [{ path: 'email' }],
  });
}

export function checkNewPassword(password: string): void {
  if (password.length >= PASSWORD_MIN && password.length <= PASSWORD_MAX) return;
  throw fail('VALIDATION_ERROR', {
    message: `The password must have at least ${PASSWORD_MIN} and at most ${PASSWORD_MAX} characters.`,
    details: [{ path: 'password' }],
  });
}

/** A handle is also the name of a personal organization and follows its rules. */
function checkHandle(handle: string): string {
  if (!ORGANIZATION_NAME.test(handle)) {
    const nearest = proposedName('organization', handle);
    throw fail('VALIDATION_ERROR', {
      message: `A handle has 1 to 39 characters: a-z, 0-9 and -, with no - at either end.${nearest === undefined ? '' : ` You could use ${nearest}.`}`,
      details: [{ path: 'name' }],
    });
  }
  refuseReservedName(handle, 'name');
  return handle;
}

function handleFrom(email: string): string {
  const local = email.slice(0, email.indexOf('@')).replaceAll(/[^a-z0-9]+/g, '-');
  const handle = local.slice(0, 39).replaceAll(/^-+|-+$/g, '');
  return handle === '' || RESERVED_ORGANIZATION_NAMES.has(handle) ? `${handle || 'user'}-1` : handle;
}

export interface TokenForm {
  readonly name: string;
  readonly description?: string | undefined;
  readonly scopes: readonly ScopeEntry[];
  readonly lifetimeMs?: number | undefined;
}

export function accountNotFound(email: string) {
  return fail('NOT_FOUND', { message: `There is no account ${email}. Create one with \`cairn admin create-user\`.` });
}

/** The operator can create tokens for anyone. Roles limit the use of a token, not the scopes it may hold. */
export async function createToken(
  store: Store,
  { email, ...form }: TokenForm & { email: string },
  tell: (entry: Audited) => AuditEntry = auditedByOperator,
): Promise<MintedToken> {
  const account = await findAccountByEmail(store.database, email.trim().toLowerCase());
  if (account === undefined) throw accountNotFound(email);
  const minted = mint(form);
  const scopes = await resolveScopes(store.database, minted.scopes, SEES_ALL);
  const { token, ...record } = minted;
  const audit = tell({
    action: 'admin.createToken',
    target: `token:${account.handle}/${form.name}`,
    details: { scopes: minted.scopes, expiresAt: minted.expiresAt },
    places: [{ accountId: account.id }],
  });
  await store.write.createToken({ ...record, scopes, accountId: account.id, hash: hashToken(token) }, audit);
  return minted;
}

function mint({ name, description = '', scopes: asked, lifetimeMs }: TokenForm): MintedToken {
  const checked = tokenCreation.safeParse({ name, description, scopes: asked });
  if (!checked.success) {
    const [problem] = checked.error.issues;
    throw fail('VALIDATION_ERROR', {
      message: ended(`The token cannot be created: ${problem?.message ?? 'see its fields'}`),
    });
  }
  const { scopes } = checked.data;
  const createdAt = Date.now();
  const end = lifetimeMs === undefined ? undefined : createdAt + lifetimeMs;
  const expiresAt = endOf(end, createdAt, undefined);
  return { name, description, scopes, createdBy: 'session', createdAt, expiresAt, token: mintToken() };
}

export const EVERYTHING: readonly ScopeEntry[] = [{ permissions: [...SCOPE_NAMES] }];
const EVERYWHERE: TokenScope = {
  orgId: null,
  repoId: null,
  resource: null,
  permissions: SCOPE_NAMES,
  refs: null,
  shapes: null,
};

export async function isSetUp(store: Store): Promise<boolean> {
  return await hasAccounts(store.database);
}

/** Returns nothing once an account exists. A new code replaces the earlier one. */
export async function issueSetupCode(store: Store): Promise<string | undefined> {
  if (await hasAccounts(store.database)) return undefined;
  const code = mintCode();
  await store.write.setServerFact({ name: 'setup-code-hash', value: hashCode(code) });
  return code;
}

export async function checkSetupCode(store: Store, code: string): Promise<void> {
  const expected = await findServerFact(store.database, 'setup-code-hash');
  const given = Buffer.from(hashCode(code));
  if (expected === undefined || !timingSafeEqual(Buffer.from(expected), given)) throw setupCodeRefused();
}

export async function setUpOwner(
  store: Store,
  { code, ...form }: AccountForm & { code: string },
  origin: Origin = {},
): Promise<MintedToken & { handle: string }> {
  await checkSetupCode(store, code);
  const minted = mint({ name: 'setup', description: 'Created at server set-up', scopes: EVERYTHING });
  const { token, ...record } = minted;
  const account = await newAccount({ ...form, operator: true });
  const audit = auditedByUser(account, origin, 'auth.setUp', { email: account.email, tokenName: minted.name });
  const made = { ...record, scopes: [EVERYWHERE], hash: hashToken(token) };
  await store.write.setUpOwner({ setupCodeHash: hashCode(code), account, token: made }, audit);
  return { ...minted, handle: account.handle };
}
