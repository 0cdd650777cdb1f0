// Passwords after the first: changed by their owner, or set anew with a code that an operator made.

import { auditedBy } from '../access/audit.ts';
import type { Origin } from '../access/context.ts';
import { hashCode } from '../keys/code.ts';
import type { Store } from '../store.ts';
import { checkEmail, checkNewPassword } from './account.ts';
import { findResetAccount } from './password.sql.ts';
import { hashPassword } from './password-hash.ts';
import { signIn, type Visitor } from './sign-in.ts';

export interface PasswordChangeForm {
  readonly email: string;
  readonly password: string;
  readonly newPassword: string;
}

/** Whose password was set. */
export interface PasswordSet {
  readonly handle: string;
  /** The address is proven for the first time, so that tokens and other ways to sign in of before have ended. */
  readonly tokensEnded?: true;
}

export async function changePassword(
  store: Store,
  { password, newPassword, ...form }: PasswordChangeForm,
  visitor: Visitor = {},
): Promise<PasswordSet> {
  const email = checkEmail(form.email);
  checkNewPassword(newPassword);
  const { accountId, handle, passwordHash } = await signIn(store, { email, password, visitor });
  const newHash = await hashPassword(newPassword);
  const audit = auditedBy(`user:${handle}`, visitor, {
    action: 'auth.changePassword',
    target: `user:${handle}`,
    places: [{ accountId }],
  });
  await store.write('changePassword', { accountId, oldHash: passwordHash, newHash }, audit);
  return { handle };
}

/** Asked before anything costly is done for a stranger, such as hashing a password. */
export async function checkResetCode(store: Store, code: string): Promise<PasswordSet> {
  const { handle } = await findResetAccount(store.database, { codeHash: hashCode(code), now: Date.now() });
  return { handle };
}

export interface PasswordResetForm {
  readonly code: string;
  readonly newPassword: string;
}

export async function resetPassword(
  store: Store,
  { code, newPassword }: PasswordResetForm,
  origin: Origin = {},
): Promise<PasswordSet> {
  const { handle } = await checkResetCode(store, code);
  checkNewPassword(newPassword);
  const passwordHash = await hashPassword(newPassword);
  const audit = auditedBy(`user:${handle}`, origin, {
    action: 'auth.resetPassword',
    target: `user:${handle}`,
    places: [{ orgName: handle }],
  });
  const reset = { codeHash: hashCode(code), passwordHash, now: Date.now() };
  const proven = await store.write('resetPassword', reset, audit);
  return { handle, ...(proven && { tokensEnded: true }) };
}
