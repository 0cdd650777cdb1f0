// What operators do to accounts, on the server's own machine.
import { fail } from '@cairn/protocol/errors';
import { hashCode, mintCode } from '../auth/code.ts';
import { hashPassword } from '../auth/password.ts';
import { type Credential, findCredential } from '../store/account.ts';
import type { Store } from '../store/store.ts';
import { checkEmail, checkNewPassword } from './account.ts';

const RESET_MS = 86_400_000;

export interface IssuedReset {
  readonly handle: string;
  readonly code: string;
  readonly expiresAt: number;
}

/** For somebody who has lost the password. An earlier code ends here. */
export async function issueReset(store: Store, email: string): Promise<IssuedReset> {
  const { accountId, handle } = await findActiveAccount(store, email);
  const code = mintCode();
  const expiresAt = Date.now() + RESET_MS;
  await store.write('issueResetCode', { accountId, codeHash: hashCode(code), expiresAt });
  return { handle, code, expiresAt };
}

export async function setPassword(
  store: Store,
  { email, newPassword }: { email: string; newPassword: string },
): Promise<{ handle: string }> {
  const { accountId, handle } = await findActiveAccount(store, email);
  checkNewPassword(newPassword);
  await store.write('setPassword', { accountId, passwordHash: await hashPassword(newPassword) });
  return { handle };
}

async function findActiveAccount(store: Store, email: string): Promise<Credential> {
  const found = await findAccount(store, email);
  if (!found.deactivated) return found;
  throw fail('CONFLICT', {
    message: `The account ${found.handle} is deactivated. Reactivate it first, with \`cairn admin reactivate-user\`.`,
    details: { reason: 'deactivated' },
  });
}

async function findAccount(store: Store, email: string): Promise<Credential> {
  const found = await findCredential(store.database, checkEmail(email));
  if (found !== undefined) return found;
  throw fail('NOT_FOUND', { message: `There is no account ${email}. Make one with \`cairn admin create-user\`.` });
}

export interface ActivationForm {
  readonly email: string;
  readonly active: boolean;
}

/** Everything of a deactivated account stops at once. */
export async function setAccountActive(store: Store, { email, active }: ActivationForm): Promise<{ handle: string }> {
  const { accountId, handle } = await findAccount(store, email);
  await store.write('setAccountActive', { accountId, active, now: Date.now() });
  return { handle };
}
