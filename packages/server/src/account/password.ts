// Password changes by the owner, or with a reset code.

import { utcTimeText } from '@cairn/model/time-text';
import { fail } from '@cairn/protocol/errors';
import { auditedBy, auditedByUser } from '../access/audit.ts';
import type { Origin } from '../access/context.ts';
import { hashCode, mintCode } from '../keys/secret.ts';
import type { Mail, MailQueue } from '../mail/mail.ts';
import type { Store } from '../store.ts';
import { findAccountByEmail } from './account.sql.ts';
import { checkEmail, checkNewPassword } from './account.ts';
import { findResetAccount } from './password.sql.ts';
import { hashPassword } from './password-hash.ts';
import { signIn, type Visitor } from './session.ts';

export interface PasswordSet {
  readonly handle: string;
  readonly tokensEnded?: true;
}

export async function changePassword(
  store: Store,
  { password, newPassword, ...form }: { email: string; password: string; newPassword: string },
  visitor: Visitor = {},
): Promise<PasswordSet> {
  const email = checkEmail(form.email);
  checkNewPassword(newPassword);
  const { accountId, handle, passwordHash } = await signIn(store, { email, password, visitor });
  const newHash = await hashPassword(newPassword);
  const audit = auditedByUser({ handle, accountId }, visitor, 'auth.changePassword');
  await store.write.changePassword({ accountId, oldHash: passwordHash, newHash }, audit);
  return { handle };
}

export async function checkResetCode(store: Store, code: string): Promise<PasswordSet> {
  const { handle } = await findResetAccount(store.database, { codeHash: hashCode(code), now: Date.now() });
  return { handle };
}

export async function resetPassword(
  store: Store,
  { code, newPassword }: { code: string; newPassword: string },
  origin: Origin = {},
): Promise<PasswordSet> {
  const { handle } = await checkResetCode(store, code);
  checkNewPassword(newPassword);
  const passwordHash = await hashPassword(newPassword);
  const audit = auditedByUser({ handle }, origin, 'auth.resetPassword');
  const reset = { codeHash: hashCode(code), passwordHash, now: Date.now() };
  const proven = await store.write.resetPassword(reset, audit);
  return { handle, ...(proven && { tokensEnded: true }) };
}

const RESET_MS = 3_600_000;

export interface LinkMail {
  readonly store: Store;
  readonly mail: MailQueue | undefined;
  readonly publicUrl: string;
}

export interface Asker extends Origin {
  readonly askLink?: (() => Promise<void>) | undefined;
}

export interface LinkSent {
  readonly email: string;
}

/** The account is looked up after the answer, so the answer reveals nothing about existing accounts. */
export async function mailReset(
  { store, mail, publicUrl }: LinkMail,
  form: { readonly email: string },
  asker: Asker = {},
): Promise<LinkSent> {
  if (mail === undefined) throw withoutMail();
  const email = checkEmail(form.email);
  await asker.askLink?.();
  mail.add({ about: 'reset', to: email, write: () => writeReset({ store, publicUrl }, email, asker) });
  return { email };
}

export function withoutMail() {
  return fail('CONFLICT', {
    message: 'This server sends no mail. Ask an operator of the server for a reset link.',
    details: { reason: 'no_mail' },
  });
}

async function writeReset(
  { store, publicUrl }: Pick<LinkMail, 'store' | 'publicUrl'>,
  email: string,
  asker: Origin,
): Promise<Mail | undefined> {
  const account = await findAccountByEmail(store.database, email);
  if (account === undefined) return undefined;
  const { id: accountId, handle } = account;
  const code = mintCode();
  const expiresAt = Date.now() + RESET_MS;
  const audit = auditedBy('anonymous', asker, {
    action: 'auth.forgotPassword',
    target: `user:${handle}`,
    places: [{ accountId }],
  });
  await store.write.issueResetCode({ accountId, mailed: true, codeHash: hashCode(code), expiresAt }, audit);
  const text = `Someone requested a new password for ${handle} on Cairn at ${publicUrl}.

If it was you, open this link. It works once, until ${utcTimeText(expiresAt)}, and replaces earlier links:

${publicUrl}/auth/reset?code=${code}

If it was not you, ignore this mail. The password does not change.
`;
  return { subject: 'Reset your Cairn password', text };
}
