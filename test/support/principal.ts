// Credentials of every kind, as the server would issue them.
import { randomUUID } from 'node:crypto';
import { hashToken, mintToken } from '../../packages/server/src/access/principal.ts';
import type { NewComponentToken } from '../../packages/server/src/component/component-token.sql.ts';
import { deriveSigningKey, type SigningKey, signSessionToken } from '../../packages/server/src/keys/session-jwt.ts';
import type { Store } from '../../packages/server/src/store.ts';

/** The secret of test apps (server.ts). */
export const TEST_SECRET = 'the secret of a test app';
export const TEST_URL = 'http://localhost:8787';
const HOUR_MS = 3_600_000;
const CENTURY_MS = 36_500 * 24 * HOUR_MS;

type ComponentOptions = Partial<Omit<NewComponentToken, 'hash'>> & { readonly repoId: number };

export async function createComponentToken(store: Store, options: ComponentOptions): Promise<string> {
  const { kind = 'runtime' } = options;
  const token = mintToken(kind);
  const now = Date.now();
  await store.write.createComponentToken({
    kind,
    component: 'acme/alerts',
    reads: [{ refs: ['**'] }],
    writes: [{ refs: ['**'] }],
    createdAt: now,
    expiresAt: now + HOUR_MS,
    ...options,
    hash: hashToken(token),
  });
  return token;
}

interface SessionOptions {
  readonly accountId: number;
  readonly url?: string;
  readonly audience?: string;
  readonly key?: SigningKey;
  readonly nowMs?: number;
  /** An authorized client; a browser's session by default. */
  readonly client?: { readonly id: string; readonly name: string };
  readonly address?: string;
}

export interface TestSession {
  readonly sessionId: string;
  readonly token: string;
}

export async function createSession(store: Store, options: SessionOptions): Promise<TestSession> {
  const { accountId, url = TEST_URL, audience = url, key = deriveSigningKey(TEST_SECRET) } = options;
  const { nowMs = Date.now(), client, address } = options;
  const sessionId = randomUUID();
  const session = { id: sessionId, accountId, createdAt: nowMs, expiresAt: nowMs + CENTURY_MS };
  await store.write.createSession({ ...session, client, address });
  const claims = { accountId, sessionId, tokenId: randomUUID(), nowMs };
  return { sessionId, token: await signSessionToken(key, { issuer: url, audience }, claims) };
}
