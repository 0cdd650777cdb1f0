// External sign-in. Issuer and subject alone identify a person: linking by a matching email address would let whoever
// gets that address at the provider take over the account. docs/accounts.md has the rules.
import { type KeyObject, randomInt } from 'node:crypto';
import { CairnError, fail } from '@cairn/protocol/errors';
import { auditedBy, auditedByUser } from '../../access/audit.ts';
import type { Origin } from '../../access/context.ts';
import { sealText, unsealText } from '../../keys/sealing.ts';
import { hashCode } from '../../keys/secret.ts';
import type { Acceptance } from '../../repository/invitation.sql.ts';
import type { Store } from '../../store.ts';
import { type Credential, findCredential, hasAccounts, type NewAccount } from '../account.sql.ts';
import { checkEmail, passwordlessAccount } from '../account.ts';
import { showInvitation } from '../invitation.ts';
import { NOBODYS_HASH } from '../password-hash.ts';
import { accountDeactivated, type BrowserSession, signIn, type Visitor } from '../session.ts';
import {
  findIdentityHolder,
  findPassword,
  type Identity,
  type IdentityKey,
  listIdentities as listIdentitiesOf,
  type NewIdentity,
} from './external-identity.sql.ts';
import type { ExternalChecks, ExternalPerson } from './external-provider.ts';

const HANDLES_TRIED = 5;

interface ExternalPlace {
  readonly store: Store;
  readonly signup: 'invitation' | 'open';
  readonly providerName: string;
}

interface SignedInExternally {
  readonly accountId: number;
  /** Set for an existing account: a password change in the meantime then ends this sign-in too. */
  readonly passwordHash?: string;
}

export async function signInExternally(
  place: ExternalPlace,
  person: ExternalPerson,
  origin: Origin,
): Promise<SignedInExternally> {
  const holder = await findIdentityHolder(place.store.database, person);
  return holder === undefined ? await signUp(place, person, origin) : await enter(place, { holder, person, origin });
}

async function enter(
  { store }: ExternalPlace,
  { holder, person, origin }: { holder: Credential; person: ExternalPerson; origin: Origin },
): Promise<SignedInExternally> {
  const { accountId, passwordHash, deactivated } = holder;
  const details = { outcome: deactivated ? 'refused' : 'signed in', issuer: person.issuer };
  await store.write.recordAudit(auditedByUser(holder, origin, 'auth.signIn', details));
  if (deactivated) throw accountDeactivated();
  return { accountId, passwordHash };
}

async function signUp(place: ExternalPlace, person: ExternalPerson, origin: Origin): Promise<SignedInExternally> {
  const { store, signup, providerName } = place;
  if (signup !== 'open' || !(await hasAccounts(store.database))) throw unknownIdentity(providerName);
  if (person.email === undefined || !person.emailVerified) throw unverifiedEmail(providerName);
  const email = checkEmail(person.email);
  const { id } = await withFreeHandle(email, async (account) => {
    if ((await findCredential(store.database, email)) !== undefined) throw emailHasAccount(place, email);
    const details = { email, emailVerified: true, issuer: person.issuer };
    const audit = auditedByUser(account, origin, 'auth.signUp', details);
    const made = { account: { ...account, emailVerified: true }, identity: identityOf(person) };
    return await store.write.createExternalAccount(made, audit);
  });
  return { accountId: id };
}

export async function acceptExternally(
  place: ExternalPlace,
  { code, person }: { code: string; person: ExternalPerson },
  origin: Origin,
): Promise<SignedInExternally> {
  const { store } = place;
  const { email, hasAccount, orgName, repoName, role } = await showInvitation(store, code);
  const holder = await findIdentityHolder(store.database, person);
  const accept = async (account: Acceptance['account'] & { handle: string }, identity?: NewIdentity) => {
    const audit = auditedBy(`user:${account.handle}`, origin, {
      action: 'auth.acceptInvitation',
      target: repoName === undefined ? orgName : `${orgName}/${repoName}`,
      details: { email, role, issuer: person.issuer },
      places: [{ orgName }, { orgName: account.handle }],
    });
    const acceptance: Acceptance = { account, identity, codeHash: hashCode(code), now: Date.now() };
    return await store.write.acceptInvitation(acceptance, audit);
  };
  if (holder !== undefined) {
    if (holder.email !== email) throw otherAccount(holder, email);
    if (holder.deactivated) throw accountDeactivated();
    await accept(holder);
    return { accountId: holder.accountId, passwordHash: holder.passwordHash };
  }
  if (hasAccount) throw emailHasAccount(place, email);
  // The code may have been handed on, so only the provider can vouch for the address.
  const emailVerified = person.emailVerified && person.email?.trim().toLowerCase() === email;
  await withFreeHandle(email, (account) => accept({ ...account, emailVerified }, identityOf(person)));
  const made = await findIdentityHolder(store.database, person);
  if (made === undefined) throw unknownIdentity(place.providerName);
  return { accountId: made.accountId };
}

function identityOf({ issuer, subject, email }: ExternalPerson): NewIdentity {
  return { issuer, subject, email, now: Date.now() };
}

async function withFreeHandle<Result>(email: string, make: (account: NewAccount) => Promise<Result>): Promise<Result> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await make(passwordlessAccount(email, tried === 1 ? undefined : randomInt(1_000, 10_000)));
    } catch (error) {
      const taken = error instanceof CairnError && error.code === 'ALREADY_EXISTS';
      if (!taken || tried === HANDLES_TRIED) throw error;
    }
  }
}

/** The answer must not depend on existing addresses, so that strangers cannot probe for accounts. */
function unknownIdentity(name: string) {
  return fail('FORBIDDEN', {
    message: `No account is connected to your identity at ${name}. If you have an account, sign in with its password and connect ${name} on your account page. If not, ask an admin of an organization for an invitation.`,
    details: { reason: 'unknown_identity' },
  });
}

function unverifiedEmail(name: string) {
  return fail('FORBIDDEN', {
    message: `${name} does not confirm your email address, so no account was created. Verify the address there and start again, or sign up with a password.`,
    details: { reason: 'unverified_email' },
  });
}

function emailHasAccount({ providerName }: ExternalPlace, email: string) {
  return fail('FORBIDDEN', {
    message: `The account with the address ${email} is not connected to ${providerName}. Sign in with its password, then connect ${providerName} on your account page.`,
    details: { reason: 'email_has_account' },
  });
}

function otherAccount({ handle }: Credential, email: string) {
  return fail('CONFLICT', {
    message: `You are ${handle} here, but the invitation is for ${email}. Ask the sender to invite ${handle}, or accept the invitation with a new password.`,
    details: { reason: 'other_account' },
  });
}

export const EXTERNAL_FLOW_MS = 15 * 60_000;
const PURPOSE = 'external sign-in';

export type ExternalIntent =
  | { readonly kind: 'sign-in'; readonly next?: string | undefined }
  | { readonly kind: 'invitation'; readonly code: string }
  | { readonly kind: 'link'; readonly sessionId: string };

export interface ExternalFlow {
  readonly checks: ExternalChecks;
  readonly intent: ExternalIntent;
}

export function sealFlow(key: KeyObject, flow: ExternalFlow, now: number): string {
  return sealText(key, PURPOSE, JSON.stringify({ ...flow, expiresAt: now + EXTERNAL_FLOW_MS }));
}

export function openFlow(key: KeyObject, sealed: string | undefined, now: number): ExternalFlow {
  const text = sealed === undefined ? undefined : unsealText(key, PURPOSE, sealed);
  if (text === undefined) throw notBegun();
  const { expiresAt, ...flow } = JSON.parse(text) as ExternalFlow & { expiresAt: number };
  if (expiresAt <= now) throw notBegun();
  return flow;
}

function notBegun() {
  return fail('UNAUTHENTICATED', {
    message: 'This sign-in was not started in this browser, is over, or took too long. Start again.',
  });
}

/** An account without a password cannot be asked for it, so a sign-in this recent proves the owner's presence. */
const FRESH_MS = 10 * 60_000;

export interface AccountIdentities {
  readonly identities: readonly Identity[];
  readonly hasPassword: boolean;
}

export async function listIdentities(store: Store, accountId: number): Promise<AccountIdentities> {
  const identities = await listIdentitiesOf(store.database, accountId);
  const found = await findPassword(store.database, accountId);
  return { identities, hasPassword: found !== undefined && found.passwordHash !== NOBODYS_HASH };
}

/** A linked identity gives full access to the account, so a browser that was left open must not be enough. */
export async function confirmOwner(
  store: Store,
  { accountId, createdAt }: BrowserSession,
  { password, visitor }: { password: string | undefined; visitor: Visitor },
): Promise<void> {
  const found = await findPassword(store.database, accountId);
  if (found === undefined) throw signInAgain();
  if (found.passwordHash !== NOBODYS_HASH) {
    await signIn(store, { email: found.email, password: password ?? '', visitor });
    return;
  }
  if (createdAt + FRESH_MS < Date.now()) throw signInAgain();
}

export async function linkIdentity(
  store: Store,
  { sessionId, session, person }: { sessionId: string; session: BrowserSession | undefined; person: ExternalPerson },
  origin: Origin,
): Promise<void> {
  if (session?.sessionId !== sessionId) throw signInAgain();
  const { issuer, subject } = person;
  const audit = auditedByUser(session, origin, 'auth.linkIdentity', { issuer, subject });
  await store.write.linkIdentity({ accountId: session.accountId, sessionId, ...identityOf(person) }, audit);
}

export async function unlinkIdentity(
  store: Store,
  {
    session,
    identity,
    usableIssuer,
  }: { session: BrowserSession; identity: IdentityKey; usableIssuer: string | undefined },
  origin: Origin,
): Promise<void> {
  const { issuer, subject } = identity;
  const audit = auditedByUser(session, origin, 'auth.unlinkIdentity', { issuer, subject });
  const { accountId } = session;
  const removal = { accountId, issuer, subject, usableIssuer, noPasswordHash: NOBODYS_HASH };
  await store.write.unlinkIdentity(removal, audit);
}

function signInAgain(): CairnError {
  return fail('UNAUTHENTICATED', { message: 'Sign in again, and connect the identity within ten minutes.' });
}
