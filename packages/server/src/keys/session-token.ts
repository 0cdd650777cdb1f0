// The explorer's trade: for the cookie of a browser, a JWT of the same session, which the page keeps in memory.
import { randomUUID } from 'node:crypto';
import type { BrowserSession } from '../account/browser-session.ts';
import { SESSION_TOKEN_SECONDS, signSessionToken } from './session-jwt.ts';
import type { SigningKeys } from './signing-keys.ts';

export interface SessionToken {
  readonly accessToken: string;
  readonly expiresAt: number;
}

interface Issuer {
  readonly signingKeys: SigningKeys;
  readonly publicUrl: string;
}

/** For the server itself; not for `/mcp` alone. It ends with the session, and so with signing out. */
export async function issueSessionToken(
  { signingKeys, publicUrl }: Issuer,
  { accountId, sessionId }: BrowserSession,
): Promise<SessionToken> {
  const nowMs = Date.now();
  const place = { issuer: publicUrl, audience: publicUrl };
  const claims = { accountId, sessionId, tokenId: randomUUID(), nowMs };
  const accessToken = await signSessionToken(signingKeys.current(), place, claims);
  return { accessToken, expiresAt: (Math.floor(nowMs / 1_000) + SESSION_TOKEN_SECONDS) * 1_000 };
}
