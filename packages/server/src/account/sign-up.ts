// Self-service accounts. With mail, an address must be proven first and the answer reveals nothing about existing
// accounts. Without mail, the account is created at once with an unproven address.

import { type KeyObject, timingSafeEqual } from 'node:crypto';
import { utcTimeText } from '@cairn/model/time-text';
import { type CairnError, fail } from '@cairn/protocol/errors';
import { auditedByUser } from '../access/audit.ts';
import type { Origin } from '../access/context.ts';
import { computeMac } from '../keys/secret.ts';
import type { Mail } from '../mail/mail.ts';
import { findCredential, hasAccounts, type NewAccount } from './account.sql.ts';
import { type AccountForm, checkEmail, newAccount } from './account.ts';
import type { Asker, LinkMail, LinkSent } from './password.ts';

const LINK_MS = 86_400_000;

export interface SignUpPlace extends LinkMail {
  readonly signup: 'invitation' | 'open';
  readonly key: KeyObject;
}

export type SignUpStep = { readonly kind: 'address' | 'account' } | { readonly kind: 'proven'; readonly email: string };

export async function nextSignUpStep(place: SignUpPlace, code: string | undefined): Promise<SignUpStep> {
  await refuseClosed(place);
  if (code !== undefined) {
    return { kind: 'proven', email: decodeSignUpCode(place.key, { code, now: Date.now() }) };
  }
  return { kind: place.mail === undefined ? 'account' : 'address' };
}

export interface SignUpForm {
  readonly email?: string | undefined;
  readonly password?: string | undefined;
  readonly name?: string | undefined;
  readonly code?: string | undefined;
}

export interface SignedUp {
  readonly handle: string;
}

export async function signUp(
  place: SignUpPlace,
  { code, email = '', password = '', name }: SignUpForm,
  asker: Asker = {},
): Promise<SignedUp | LinkSent> {
  const next = await nextSignUpStep(place, code);
  if (next.kind === 'proven') {
    const form = { email: next.email, password, name };
    await asker.askLink?.();
    return await makeAccount(place, { ...form, emailVerified: true }, asker);
  }
  const address = checkEmail(email);
  await asker.askLink?.();
  if (next.kind === 'address') return mailLink(place, address);
  try {
    return await makeAccount(place, { email: address, password, name, emailVerified: false }, asker);
  } catch (error) {
    throw isTaken(error) ? taken(error) : error;
  }
}

/** The owner's account must be the first one of a server, or the set-up link would be refused. */
async function refuseClosed({ signup, store }: SignUpPlace): Promise<void> {
  if (signup === 'open' && (await hasAccounts(store.database))) return;
  const message =
    signup === 'open'
      ? 'This server has no owner yet. Its operator must open the set-up link first.'
      : 'This server creates accounts by invitation only. Ask an admin of an organization to invite your email address.';
  throw fail('FORBIDDEN', { message });
}

async function makeAccount(
  { store }: SignUpPlace,
  { emailVerified, ...form }: AccountForm & { emailVerified: boolean },
  origin: Origin,
): Promise<SignedUp> {
  const account: NewAccount = { ...(await newAccount({ ...form, operator: false })), emailVerified };
  const { email, handle } = account;
  await store.write.createAccount(account, auditedByUser(account, origin, 'auth.signUp', { email, emailVerified }));
  return { handle };
}

function isTaken(error: unknown): error is CairnError {
  return error instanceof Error && 'code' in error && error.code === 'ALREADY_EXISTS';
}

/** Does not say whether the address or the handle is taken. Without mail it cannot be hidden that one of them is. */
function taken(cause: CairnError): CairnError {
  return fail('ALREADY_EXISTS', {
    message: 'The email address or the name is taken. Choose another name, or sign in if you have an account.',
    cause,
  });
}

function mailLink({ store, mail, publicUrl, key }: SignUpPlace, email: string): LinkSent {
  const write = async (): Promise<Mail> => {
    const known = await findCredential(store.database, email);
    return known === undefined ? invitingMail({ publicUrl, key, email }) : knownMail(publicUrl);
  };
  mail?.add({ about: 'sign-up', to: email, write });
  return { email };
}

function invitingMail({ publicUrl, key, email }: { publicUrl: string; key: KeyObject; email: string }): Mail {
  const expiresAt = Date.now() + LINK_MS;
  const text = `Someone requested an account on Cairn at ${publicUrl} for this address.

If it was you, open this link to choose a name and a password. It works until ${utcTimeText(expiresAt)}:

${publicUrl}/auth/sign-up?code=${encodeSignUpCode(key, { email, expiresAt })}

If it was not you, ignore this mail. No account is created.
`;
  return { subject: 'Your account on Cairn', text };
}

function knownMail(publicUrl: string): Mail {
  const text = `Someone requested an account on Cairn at ${publicUrl} for this address, which already has one.

If it was you, sign in:

${publicUrl}/auth/sign-in

For a new password, see ${publicUrl}/auth/forgot. If it was not you, ignore this mail.
`;
  return { subject: 'Your account on Cairn', text };
}

const SIGNATURE_BYTES = 32;

/** Nothing is stored before the account exists, or strangers could fill the database. */
export function encodeSignUpCode(key: KeyObject, { email, expiresAt }: { email: string; expiresAt: number }): string {
  const text = Buffer.from(JSON.stringify([email, expiresAt]));
  return Buffer.concat([computeMac(key, text), text]).toString('base64url');
}

function decodeSignUpCode(key: KeyObject, { code, now }: { code: string; now: number }): string {
  const bytes = Buffer.from(code, 'base64url');
  const [signature, text] = [bytes.subarray(0, SIGNATURE_BYTES), bytes.subarray(SIGNATURE_BYTES)];
  const good = signature.length === SIGNATURE_BYTES && timingSafeEqual(signature, computeMac(key, text));
  // Decoding skips characters outside base64url, so an altered code could decode to the same bytes.
  if (!good || bytes.toString('base64url') !== code) throw refuseSignUpCode();
  const [email, expiresAt] = JSON.parse(text.toString()) as [string, number];
  if (expiresAt <= now) throw refuseSignUpCode();
  return email;
}

function refuseSignUpCode() {
  return fail('UNAUTHENTICATED', {
    message: 'The sign-up link is wrong or expired. Ask for another at /auth/sign-up.',
  });
}
