// The one door through which the CLI reaches the server: `cairn serve`, and what operators do on the server's own
// machine, straight on the database, whether the server runs or not.
import type { MintedToken, ScopeEntry } from '@cairn/protocol/token';
import { checkSecret, loadSecret } from './auth/secret.ts';
import { type Config, readConfig } from './config.ts';
import { createAccount, createToken } from './operations/account.ts';
import { issueReset, setAccountActive, setPassword } from './operations/operator.ts';
import { storeLocation } from './server.ts';
import type { Account } from './store/account.ts';
import { openStore, type Store } from './store/store.ts';

export { main as serve } from './main.ts';

export interface CreateUser {
  readonly email: string;
  readonly password: string;
  readonly name?: string | undefined;
  readonly owner: boolean;
}

export type CreatedUser = Omit<Account, 'id'>;

export async function createUser({ owner, ...form }: CreateUser): Promise<CreatedUser> {
  return await onStore(async (store) => {
    const { email, handle, operator } = await createAccount(store, { ...form, operator: owner });
    return { email, handle, operator };
  });
}

export interface CreateToken {
  readonly email: string;
  readonly name: string;
  readonly scopes: readonly ScopeEntry[];
  readonly lifetimeMs?: number | undefined;
}

export async function createUserToken(form: CreateToken): Promise<MintedToken> {
  return await onStore((store) => createToken(store, form));
}

export interface UserState {
  readonly email: string;
  readonly handle: string;
  readonly active: boolean;
}

export async function setUserActive(form: { email: string; active: boolean }): Promise<UserState> {
  return await onStore(async (store) => ({ ...form, ...(await setAccountActive(store, form)) }));
}

export interface ResetLink {
  readonly email: string;
  readonly handle: string;
  /** Where the new password is given. It works once, and is shown only now. */
  readonly link: string;
  readonly expiresAt: number;
}

export async function createResetLink(email: string): Promise<ResetLink> {
  return await onStore(async (store, { publicUrl, port }) => {
    const { handle, code, expiresAt } = await issueReset(store, email);
    return { email, handle, link: `${publicUrl ?? `http://localhost:${port}`}/auth/reset?code=${code}`, expiresAt };
  });
}

export async function setUserPassword(form: {
  email: string;
  newPassword: string;
}): Promise<{ email: string; handle: string }> {
  return await onStore(async (store) => ({ email: form.email, ...(await setPassword(store, form)) }));
}

/** The database that the environment names, with the secret checked, for as long as the work takes. */
async function onStore<Result>(work: (store: Store, config: Config) => Promise<Result>): Promise<Result> {
  const config = readConfig([]);
  const store = await openStore(storeLocation(config));
  try {
    await checkSecret(store, loadSecret({ given: config.secret, folder: config.data }));
    return await work(store, config);
  } finally {
    await store.close();
  }
}
