// Who is signed in with a browser. It shows a random value in a cookie, of which the database has the hash; every sign-in
// makes a new one, so that nobody can prepare it for somebody else.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { hashCode } from '../keys/code.ts';
import type { Store } from '../store.ts';
import { type BrowserSessionHolder, findBrowserSession as findHolder } from './session.sql.ts';
import type { Visitor } from './sign-in.ts';

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
