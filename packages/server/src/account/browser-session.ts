// Who is signed in with a browser. It shows a random value in a cookie, of which the database has the hash; every sign-in
// makes a new one, so that nobody can prepare it for somebody else.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { type CairnError, fail } from '@cairn/protocol/errors';
import { auditedBy } from '../access/audit.ts';
import type { Origin } from '../access/context.ts';
import { hashCode } from '../keys/secret.ts';
import type { Store } from '../store.ts';
import { type Credential, findCredential } from './account.sql.ts';
import { signInRefused } from './password.sql.ts';
import { NOBODYS_HASH, verifyPassword } from './password-hash.ts';
import { type BrowserSessionHolder, findBrowserSession as findHolder, type SessionClient } from './session.sql.ts';

/** Then the password is asked for again. */
export const BROWSER_SESSION_MS = 14 * 86_400_000;
const SECRET = /^[\w-]{43}$/;
const AGENT_CHARACTERS_MAX = 200;

export interface BrowserSession extends BrowserSessionHolder {
  /** What forms carry that were made for this browser: pages of others do not know it. */
  readonly csrf: string;
}

export interface NewBrowserSession {
  readonly accountId: number;
  /** What the password was held against, where one was given: it must be that still. */
  readonly passwordHash?: string | undefined;
  readonly visitor: Visitor;
  /** What the browser calls itself. */
  readonly agent: string | undefined;
}

/** What the browser is to show from now on. */
export async function beginBrowserSession(
  store: Store,
  { accountId, passwordHash, visitor, agent }: NewBrowserSession,
): Promise<string> {
  const secret = randomBytes(32).toString('base64url');
  const createdAt = Date.now();
  await store.write('createSession', {
    id: randomUUID(),
    secretHash: hashCode(secret),
    expiresAt: createdAt + BROWSER_SESSION_MS,
    address: visitor.address,
    agent: agent?.slice(0, AGENT_CHARACTERS_MAX),
    restsOn: { passwordHash },
    ...{ accountId, createdAt },
  });
  return secret;
}

export async function findBrowserSession(
  store: Store,
  secret: string | undefined,
): Promise<BrowserSession | undefined> {
  if (secret === undefined || !SECRET.test(secret)) return undefined;
  const holder = await findHolder(store.database, { secretHash: hashCode(secret), now: Date.now() });
  return holder && { ...holder, csrf: csrfOf(secret) };
}

function csrfOf(secret: string): string {
  return createHash('sha256').update(`csrf ${secret}`).digest('base64url');
}

/** Signs out this browser, and the JWTs that it was given. */
export async function endBrowserSession(store: Store, { sessionId, accountId }: BrowserSession): Promise<void> {
  await store.write('endSession', { id: sessionId, accountId, now: Date.now() });
}

// Who gives a password, and whether it is theirs.

/** Slows down who guesses passwords: refuses an attempt, or lets it pass. */
export interface SignInThrottle {
  trySignIn(email: string): Promise<void>;
  signedIn(email: string): Promise<void>;
}

/** Somebody who is not signed in. */
export interface Visitor extends Origin {
  readonly throttle?: SignInThrottle | undefined;
}

export interface SignIn {
  readonly email: string;
  readonly password: string;
  readonly visitor: Visitor;
}

/** Whose password it is. An unknown email and a wrong password are one refusal, and take the same time. */
export async function signIn(store: Store, { email, password, visitor }: SignIn): Promise<Credential> {
  const { throttle } = visitor;
  await throttle?.trySignIn(email);
  const credential = await findCredential(store.database, email);
  const good = await verifyPassword(password, credential?.passwordHash ?? NOBODYS_HASH);
  if (credential !== undefined) await tell(store, credential, { visitor, good });
  if (credential === undefined || !good) throw signInRefused();
  await throttle?.signedIn(email);
  // Told only to who knows the password.
  if (credential.deactivated) throw accountDeactivated();
  return credential;
}

export function accountDeactivated(): CairnError {
  return fail('FORBIDDEN', { message: 'This account is deactivated. An operator of the server can reactivate it.' });
}

/** Of addresses that no account has nothing is kept: what people type there may be a password. */
async function tell(
  store: Store,
  { accountId, handle, deactivated }: Credential,
  { visitor, good }: { visitor: Visitor; good: boolean },
): Promise<void> {
  const outcome = good && !deactivated ? 'signed in' : 'refused';
  const actor = good ? `user:${handle}` : 'anonymous';
  const entry = { target: `user:${handle}`, details: { outcome }, places: [{ accountId }] };
  await store.write('recordAudit', auditedBy(actor, visitor, { action: 'auth.signIn', ...entry }));
}

// The session of a client: what somebody who is signed in has let it do in their name. It has the id of the grant.

export interface NewClientSession {
  readonly grantId: string;
  /** Where somebody has decided. */
  readonly decidedIn: string;
  readonly accountId: number;
  readonly handle: string;
  readonly client: SessionClient;
  /** What its tokens are for. */
  readonly resource: string;
  readonly expiresAt: number;
  readonly origin: Origin;
}

export async function beginClientSession(store: Store, session: NewClientSession): Promise<void> {
  const { grantId: id, decidedIn, accountId, handle, client, resource, expiresAt, origin } = session;
  const audit = auditedBy(`user:${handle}`, origin, {
    action: 'auth.authorizeClient',
    target: `user:${handle}`,
    details: { clientId: client.id, clientName: client.name, resource },
    places: [{ accountId }],
  });
  const begun = { address: origin.address, createdAt: Date.now(), expiresAt, restsOn: { sessionId: decidedIn } };
  await store.write('createSession', { id, accountId, client, ...begun }, audit);
  // A client that registered itself stays for as long as somebody trusts it.
  await store.write('extendOauthItem', { kind: 'Client', idHash: hashCode(client.id), expiresAt });
}
