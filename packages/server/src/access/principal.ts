// Who a request is. Everything that operations know about the caller comes from here.
import { type CairnError, fail } from '@cairn/protocol/errors';
import { findSessionHolder, type SessionHolder } from '../account/session.sql.ts';
import { type ComponentHolder, findComponentHolder } from '../component/component-token.sql.ts';
import type { Database, Reader } from '../engine/database.ts';
import { verifySessionToken } from '../keys/session-jwt.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';
import { hashToken, kindOfToken } from './bearer.ts';
import { findTokenHolder, type TokenHolder } from './token-holder.sql.ts';

export type TokenPrincipal = { readonly kind: 'token' } & TokenHolder;
export type SessionPrincipal = { readonly kind: 'session'; readonly expiresAt: number } & SessionHolder;
export type ComponentPrincipal = { readonly kind: 'component' } & ComponentHolder;
/** Who acts for an account. */
export type AccountPrincipal = TokenPrincipal | SessionPrincipal;
export type Principal = { readonly kind: 'anonymous' } | AccountPrincipal | ComponentPrincipal;

export const ANONYMOUS: Principal = { kind: 'anonymous' };

// Node takes headers of 16 KiB; no token of ours comes near.
const BEARER_CHARACTERS_MAX = 4_096;

export interface Presented {
  readonly authorization: string | undefined;
  /** Of the request: a session for `/mcp` is good there alone. */
  readonly path: string;
}

export interface Verification {
  readonly reader: Reader & Pick<Database, 'kept'>;
  readonly signingKeys: SigningKeys;
  readonly publicUrl: string;
}

/** A bearer that is presented must be good, on every path: a caller with a stale token should learn it at once. */
export async function authenticate(verification: Verification, { authorization, path }: Presented): Promise<Principal> {
  if (authorization === undefined) return ANONYMOUS;
  const bearer = /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(authorization)?.[1];
  if (bearer === undefined) {
    throw fail('UNAUTHENTICATED', { message: 'The Authorization header must be `Bearer TOKEN`.' });
  }
  if (bearer.length > BEARER_CHARACTERS_MAX) throw bearerRefused();
  const principal = bearer.startsWith('cairn_')
    ? await holderOf(verification, bearer)
    : await sessionOf(verification, { bearer, path });
  if (principal === undefined) throw bearerRefused();
  return principal;
}

function bearerRefused(): CairnError {
  return fail('UNAUTHENTICATED', {
    message: 'The bearer token is malformed, expired or revoked. Create another, or leave the header out.',
  });
}

async function holderOf({ reader }: Verification, bearer: string): Promise<Principal | undefined> {
  const now = Date.now();
  const hash = hashToken(bearer);
  const personal = await reader.kept(`token ${Buffer.from(hash).toString('base64')}`, async () => {
    const holder = kindOfToken(bearer) === 'personal' ? await findTokenHolder(reader, { hash, now }) : undefined;
    return holder && ({ kind: 'token', ...holder } satisfies TokenPrincipal);
  });
  if (personal !== undefined) return personal.goodUntil > now ? personal : undefined;
  const kind = kindOfToken(bearer);
  if (kind === undefined || kind === 'personal') return undefined;
  const key = { hash, now };
  const component = await findComponentHolder(reader, key);
  return component?.stage === kind ? { kind: 'component', ...component } : undefined;
}

async function sessionOf(
  { reader, signingKeys, publicUrl }: Verification,
  { bearer, path }: { bearer: string; path: string },
): Promise<Principal | undefined> {
  const signingKey = await signingKeys.keyOfToken(bearer);
  if (signingKey === undefined) return undefined;
  const now = Date.now();
  const audiences = [publicUrl, ...(path === '/mcp' ? [`${publicUrl}/mcp`] : [])];
  const claims = await verifySessionToken(signingKey, bearer, { issuer: publicUrl, audiences, nowMs: now });
  if (claims === undefined) return undefined;
  const { accountId, sessionId, expiresAt } = claims;
  const holder = await findSessionHolder(reader, { id: sessionId, accountId, now });
  return holder && { kind: 'session', expiresAt, ...holder };
}
