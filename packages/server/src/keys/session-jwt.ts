// JWTs of interactive sessions. The header of a token never chooses the key or algorithm.
import { createPrivateKey, createPublicKey, hash, type KeyObject, randomUUID } from 'node:crypto';
import { scanJson } from '@cairn/model/json';
import { CairnError } from '@cairn/protocol/errors';
import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import type { BrowserSession } from '../account/session.ts';
import { deriveKey } from './secret.ts';
import type { SigningKeys } from './signing-keys.ts';

export const ALGORITHM = 'EdDSA';
/** RFC 9068: prevents confusion with other kinds of JWT. */
const TYPE = 'at+jwt';
export const SESSION_TOKEN_SECONDS = 3_600;
export const CLOCK_TOLERANCE_SECONDS = 30;
// The last character class excludes spellings with unused bits set, which would be the same signature.
const JWT_FORM = /^([\w-]+)\.([\w-]+)\.[\w-]{85}[AQgw]$/;
const SUBJECT = /^[1-9]\d{0,14}$/;
const SESSION_ID = /^[\w-]{1,64}$/;
const SCOPE = 'cairn';
const HEADER = /^\{"alg":"EdDSA","typ":"at\+jwt","kid":"[\w-]{16}"\}$/;
const ED25519_PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

export interface SigningKey {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export function deriveSigningKey(secret: string, generation = 1): SigningKey {
  const purpose = generation === 1 ? 'session-token' : `session-token ${generation}`;
  const der = Buffer.concat([ED25519_PKCS8, deriveKey(secret, purpose)]);
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(privateKey);
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return { id: hash('sha256', x, 'base64url').slice(0, 16), privateKey, publicKey };
}

function headerOf({ id }: SigningKey) {
  return { alg: ALGORITHM, typ: TYPE, kid: id };
}

export function headerText(key: SigningKey): string {
  return Buffer.from(JSON.stringify(headerOf(key))).toString('base64url');
}

export function namesSomeKey(header: string): boolean {
  return HEADER.test(Buffer.from(header, 'base64url').toString('latin1'));
}

interface SessionClaims {
  readonly accountId: number;
  readonly sessionId: string;
}

export async function signSessionToken(
  key: SigningKey,
  { issuer, audience }: { issuer: string; audience: string },
  { accountId, sessionId, tokenId, nowMs }: SessionClaims & { tokenId: string; nowMs: number },
): Promise<string> {
  const issuedAt = Math.floor(nowMs / 1_000);
  return await new SignJWT({ sid: sessionId, scope: SCOPE })
    .setProtectedHeader(headerOf(key))
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(String(accountId))
    .setJti(tokenId)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + SESSION_TOKEN_SECONDS)
    .sign(key.privateKey);
}

export async function verifySessionToken(
  key: SigningKey,
  token: string,
  { issuer, audiences, nowMs }: { issuer: string; audiences: readonly string[]; nowMs: number },
): Promise<(SessionClaims & { expiresAt: number }) | undefined> {
  const [, header = '', body = ''] = JWT_FORM.exec(token) ?? [];
  if (header !== headerText(key)) return undefined;
  try {
    const { payload } = await jwtVerify(token, key.publicKey, {
      algorithms: [ALGORITHM],
      typ: TYPE,
      issuer,
      audience: [...audiences],
      requiredClaims: ['sub', 'jti', 'sid', 'scope', 'iat', 'exp'],
      maxTokenAge: SESSION_TOKEN_SECONDS,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(nowMs),
    });
    scanJson(Buffer.from(body, 'base64url').toString());
    return claimsOf(payload);
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof CairnError) return undefined;
    throw error;
  }
}

function claimsOf({ sub, jti, sid, scope, iat, exp, aud }: JWTPayload) {
  if (typeof sub !== 'string' || !SUBJECT.test(sub)) return undefined;
  if (typeof sid !== 'string' || !SESSION_ID.test(sid)) return undefined;
  if (typeof scope !== 'string' || !scope.split(' ').includes(SCOPE)) return undefined;
  if (typeof jti !== 'string' || jti === '' || typeof aud !== 'string') return undefined;
  if (!Number.isInteger(iat) || !Number.isInteger(exp)) return undefined;
  const [issuedAt, endsAt] = [Number(iat), Number(exp)];
  if (endsAt <= issuedAt || endsAt - issuedAt > SESSION_TOKEN_SECONDS) return undefined;
  return { accountId: Number(sub), sessionId: sid, expiresAt: endsAt * 1_000 };
}

/** Trades a browser's cookie for a JWT of the same session, which is not valid for `/mcp`. */
export async function issueSessionToken(
  { signingKeys, publicUrl }: { signingKeys: SigningKeys; publicUrl: string },
  { accountId, sessionId }: BrowserSession,
): Promise<{ accessToken: string; expiresAt: number }> {
  const nowMs = Date.now();
  const place = { issuer: publicUrl, audience: publicUrl };
  const claims = { accountId, sessionId, tokenId: randomUUID(), nowMs };
  const accessToken = await signSessionToken(signingKeys.current(), place, claims);
  return { accessToken, expiresAt: (Math.floor(nowMs / 1_000) + SESSION_TOKEN_SECONDS) * 1_000 };
}
