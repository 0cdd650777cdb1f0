// Passwords after the first: changed by their owner, or set anew with a code that an operator made.
import { hashCode } from '../auth/code.ts';
import { hashPassword } from '../auth/password.ts';
import { findResetAccount } from '../store/password.ts';
import type { Store } from '../store/store.ts';
import { checkEmail, checkNewPassword, type SignInThrottle, signIn } from './account.ts';

export interface PasswordChangeForm {
  readonly email: string;
  readonly password: string;
  readonly newPassword: string;
}

/** Whose password was set. */
export interface PasswordSet {
  readonly handle: string;
}

export async function changePassword(
  store: Store,
  { password, newPassword, ...form }: PasswordChangeForm,
  throttle?: SignInThrottle,
): Promise<PasswordSet> {
  const email = checkEmail(form.email);
  checkNewPassword(newPassword);
  const { accountId, handle, passwordHash } = await signIn(store, { email, password, throttle });
  const newHash = await hashPassword(newPassword);
  await store.write('changePassword', { accountId, oldHash: passwordHash, newHash });
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

export async function resetPassword(store: Store, { code, newPassword }: PasswordResetForm): Promise<PasswordSet> {
  const { handle } = await checkResetCode(store, code);
  checkNewPassword(newPassword);
  const passwordHash = await hashPassword(newPassword);
  await store.write('resetPassword', { codeHash: hashCode(code), passwordHash, now: Date.now() });
  return { handle };
}
