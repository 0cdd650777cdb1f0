// The identities that an account is connected with: made and ended by who is signed in to it.
import { type CairnError, fail } from '@cairn/protocol/errors';
import { auditedBy } from '../../access/audit.ts';
import type { Origin } from '../../access/context.ts';
import type { Store } from '../../store.ts';
import { type BrowserSession, signIn, type Visitor } from '../browser-session.ts';
import { NOBODYS_HASH } from '../password-hash.ts';
import {
  findPassword,
  type Identity,
  type IdentityKey,
  listIdentities as listIdentitiesOf,
} from './external-identity.sql.ts';
import type { ExternalPerson } from './openid.ts';

/** For so long after signing in, an account without a password counts as that of who sits there. */
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

/**
 * Asked before an identity is connected, because whoever has it has the account from then on: a browser that was left open
 * is not enough.
 */
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

interface Linking {
  /** Who was signed in when it began, and must be still. */
  readonly sessionId: string;
  readonly session: BrowserSession | undefined;
  readonly person: ExternalPerson;
}

export async function linkIdentity(
  store: Store,
  { sessionId, session, person }: Linking,
  origin: Origin,
): Promise<void> {
  if (session?.sessionId !== sessionId) throw signInAgain();
  const { accountId, handle } = session;
  const { issuer, subject, email } = person;
  const audit = auditedBy(`user:${handle}`, origin, {
    action: 'auth.linkIdentity',
    target: `user:${handle}`,
    details: { issuer, subject },
    places: [{ accountId }],
  });
  await store.write('linkIdentity', { accountId, sessionId, issuer, subject, email, now: Date.now() }, audit);
}

export async function unlinkIdentity(
  store: Store,
  {
    session: { accountId, handle },
    identity: { issuer, subject },
    usableIssuer,
  }: { session: BrowserSession; identity: IdentityKey; usableIssuer: string | undefined },
  origin: Origin,
): Promise<void> {
  const audit = auditedBy(`user:${handle}`, origin, {
    action: 'auth.unlinkIdentity',
    target: `user:${handle}`,
    details: { issuer, subject },
    places: [{ accountId }],
  });
  const removal = { accountId, issuer, subject, usableIssuer, noPasswordHash: NOBODYS_HASH };
  await store.write('unlinkIdentity', removal, audit);
}

function signInAgain(): CairnError {
  return fail('UNAUTHENTICATED', { message: 'Sign in again, and connect the identity within ten minutes.' });
}
