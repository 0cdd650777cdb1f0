// What operators do to accounts, on the server's own machine.
import type { AuditAction } from '@cairn/protocol/audit';
import { fail } from '@cairn/protocol/errors';
import { hashCode, mintCode } from '../auth/code.ts';
import { hashPassword } from '../auth/password.ts';
import { type Credential, findCredential } from '../store/account.ts';
import type { Store } from '../store/store.ts';
import { checkEmail, checkNewPassword } from './account.ts';
import { auditedByOperator } from './audit.ts';

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
  const audit = told(accountId, { handle, action: 'admin.resetPassword' });
  await store.write('issueResetCode', { accountId, codeHash: hashCode(code), expiresAt }, audit);
  return { handle, code, expiresAt };
}

export async function setPassword(
  store: Store,
  { email, newPassword }: { email: string; newPassword: string },
): Promise<{ handle: string }> {
  const { accountId, handle } = await findActiveAccount(store, email);
  checkNewPassword(newPassword);
  const audit = told(accountId, { handle, action: 'admin.resetPassword' });
  await store.write('setPassword', { accountId, passwordHash: await hashPassword(newPassword) }, audit);
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
  const audit = told(accountId, { handle, action: active ? 'admin.reactivateUser' : 'admin.deactivateUser' });
  await store.write('setAccountActive', { accountId, active, now: Date.now() }, audit);
  return { handle };
}

function told(accountId: number, { handle, action }: { handle: string; action: AuditAction }) {
  return auditedByOperator({ action, target: `user:${handle}`, places: [{ accountId }] });
}
