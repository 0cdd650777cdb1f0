// Authenticates a request. Everything that operations know about the caller comes from here.
import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type CairnError, fail } from '@cairn/protocol/errors';
import { findSessionHolder, findSessionHolders, type SessionHolder } from '../account/session.sql.ts';
import { type ComponentHolder, findComponentHolder, findComponentHolders } from '../component/component-token.sql.ts';
import type { AccessView } from '../engine/access-epoch.ts';
import type { Reader } from '../engine/database.ts';
import { CLOCK_TOLERANCE_SECONDS, verifySessionToken } from '../keys/session-jwt.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';
import { rememberIn } from './access.ts';
import { findTokenHolder, findTokenHolders, type TokenHolder } from './token-scope.sql.ts';

export type TokenPrincipal = { readonly kind: 'token' } & TokenHolder;
export type SessionPrincipal = { readonly kind: 'session'; readonly expiresAt: number } & SessionHolder;
type ComponentPrincipal = { readonly kind: 'component' } & ComponentHolder;
export type AccountPrincipal = TokenPrincipal | SessionPrincipal;
export type Principal = { readonly kind: 'anonymous' } | AccountPrincipal | ComponentPrincipal;

export const ANONYMOUS: Principal = { kind: 'anonymous' };

const TOLERANCE_MS = CLOCK_TOLERANCE_SECONDS * 1_000;
// Node accepts 16 KiB of headers; Cairn's tokens stay far below this limit.
const BEARER_CHARACTERS_MAX = 4_096;

export interface Presented {
  readonly view: AccessView;
  readonly authorization: string;
  readonly path: string;
}

export interface Verification {
  readonly store: { readonly database: Reader };
  readonly signingKeys: SigningKeys;
  readonly settings: { readonly publicUrl: string };
}

/** A presented token must be valid even on public paths, so that callers learn at once that it is stale. */
export async function authenticate(verification: Verification, presented: Presented | undefined): Promise<Principal> {
  if (presented === undefined) return ANONYMOUS;
  const { view, authorization } = presented;
  const bearer = bearerIn(authorization);
  if (bearer === undefined) {
    throw fail('UNAUTHENTICATED', { message: 'The Authorization header must be `Bearer TOKEN`.' });
  }
  if (bearer.length > BEARER_CHARACTERS_MAX) throw bearerRefused();
  const caller = { bearer, path: presented.path, now: Date.now() };
  const find = () => (isOurs(bearer) ? holderOf(verification, caller) : sessionOf(verification, caller));
  const known = await rememberIn(view, keyOf(verification, caller), find);
  const principal = known === undefined ? await componentOf(verification, caller) : known.principal;
  if (principal === undefined || (known !== undefined && known.goodUntil <= caller.now)) throw bearerRefused();
  return principal;
}

/** The caller must compare `goodUntil` with the clock. */
export function recallCaller(
  verification: Verification,
  { view, authorization, path }: Presented,
): KnownCaller | undefined {
  const bearer = bearerIn(authorization);
  if (bearer === undefined || bearer.length > BEARER_CHARACTERS_MAX) return undefined;
  return view.found.get(keyOf(verification, { bearer, path })) as KnownCaller | undefined;
}

export interface KnownCaller {
  readonly principal: AccountPrincipal;
  readonly goodUntil: number;
}

interface Caller {
  readonly bearer: string;
  readonly path: string;
  readonly now: number;
}

const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i;
const bearerIn = (authorization: string) => BEARER.exec(authorization)?.[1];
const isOurs = (bearer: string) => bearer.startsWith('cairn_');

/** The key is not the bearer itself, because memory may be dumped. Sessions add audience and signing keys. */
function keyOf({ signingKeys }: Verification, { bearer, path }: Omit<Caller, 'now'>): string {
  const key = hash('sha256', bearer, 'base64url');
  return isOurs(bearer) ? key : `${key} ${path === '/mcp'} ${signingKeys.version}`;
}

function bearerRefused(): CairnError {
  return fail('UNAUTHENTICATED', {
    message: 'The bearer token is malformed, expired or revoked. Create another, or leave the header out.',
  });
}

async function holderOf({ store }: Verification, { bearer, now }: Caller): Promise<KnownCaller | undefined> {
  if (kindOfToken(bearer) !== 'personal') return undefined;
  const holder = await findTokenHolder(store.database, { hash: hashToken(bearer), now });
  return holder && { principal: { kind: 'token', ...holder }, goodUntil: holder.goodUntil };
}

/** Tokens of components are looked up each time: installs change with commits. */
async function componentOf({ store }: Verification, { bearer, now }: Caller): Promise<Principal | undefined> {
  const kind = kindOfToken(bearer);
  if (kind === undefined || kind === 'personal') return undefined;
  const component = await findComponentHolder(store.database, { hash: hashToken(bearer), now });
  return component?.stage === kind ? { kind: 'component', ...component } : undefined;
}

async function sessionOf(
  { store, signingKeys, settings: { publicUrl } }: Verification,
  { bearer, path, now }: Caller,
): Promise<KnownCaller | undefined> {
  const signingKey = await signingKeys.keyOfToken(bearer);
  if (signingKey === undefined) return undefined;
  const audiences = [publicUrl, ...(path === '/mcp' ? [`${publicUrl}/mcp`] : [])];
  const claims = await verifySessionToken(signingKey, bearer, { issuer: publicUrl, audiences, nowMs: now });
  if (claims === undefined) return undefined;
  const { accountId, sessionId, expiresAt } = claims;
  const holder = await findSessionHolder(store.database, { id: sessionId, accountId, now });
  if (holder === undefined) return undefined;
  const goodUntil = Math.min(expiresAt + TOLERANCE_MS, holder.sessionEndsAt);
  return { principal: { kind: 'session', expiresAt, ...holder }, goodUntil };
}

// Secret scanners recognize the prefix. The checksum rejects mistyped tokens without a database lookup.
const PREFIXES = { personal: 'cairn_pat_', setup: 'cairn_setup_', runtime: 'cairn_run_' } as const;

type TokenKind = keyof typeof PREFIXES;

const KINDS = Object.keys(PREFIXES) as TokenKind[];
const SECRET_CHARACTERS = 43;
const CHECKSUM_CHARACTERS = 6;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const TOKEN_BODY = new RegExp(`^[0-9A-Za-z]{${SECRET_CHARACTERS + CHECKSUM_CHARACTERS}}$`);

export function mintToken(kind: TokenKind = 'personal'): string {
  const begun = PREFIXES[kind] + base62(BigInt(`0x${randomBytes(32).toString('hex')}`), SECRET_CHARACTERS);
  return begun + checksum(begun);
}

export function kindOfToken(value: string): TokenKind | undefined {
  const kind = KINDS.find((candidate) => value.startsWith(PREFIXES[candidate]));
  if (kind === undefined || !TOKEN_BODY.test(value.slice(PREFIXES[kind].length))) return undefined;
  const begun = value.slice(0, -CHECKSUM_CHARACTERS);
  return value.endsWith(checksum(begun)) ? kind : undefined;
}

/** A fast hash suffices: with 256 random bits there is nothing to guess. */
export function hashToken(value: string): Uint8Array {
  return new Uint8Array(hash('sha256', value, 'buffer'));
}

function checksum(begun: string): string {
  return base62(BigInt(crc32(begun)), CHECKSUM_CHARACTERS);
}

function base62(number: bigint, length: number): string {
  let digits = '';
  for (let rest = number; digits.length < length; rest /= 62n) digits = BASE62[Number(rest % 62n)] + digits;
  return digits;
}

/** Lookup key of a long stream. A token is found by the presented value, so that its rotation ends the stream. */
export type Shown =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'token' | 'component'; readonly hash: string }
  | { readonly kind: 'session'; readonly id: string; readonly accountId: number; readonly expiresAt: number };

export function shownBy(principal: Principal): Shown {
  switch (principal.kind) {
    case 'anonymous':
      return { kind: 'anonymous' };
    case 'session': {
      const { sessionId: id, accountId, expiresAt } = principal;
      return { kind: 'session', id, accountId, expiresAt };
    }
    case 'token':
    case 'component':
      return { kind: principal.kind, hash: Buffer.from(principal.hash).toString('base64url') };
  }
}

/** Needs a constant number of reads. `undefined` stands for expired or revoked credentials. */
export async function findPrincipals(
  reader: Reader,
  { shown, now }: { shown: readonly Shown[]; now: number },
): Promise<(Principal | undefined)[]> {
  const found = new Map<Shown, Principal | undefined>();
  const [tokens, components] = [shown.filter(isOf('token')), shown.filter(isOf('component'))];
  const sessions = shown.filter(isOf('session')).filter(({ expiresAt }) => expiresAt > now);
  const holders = await findTokenHolders(reader, { hashes: tokens.map(hashOf), now });
  for (const [at, one] of tokens.entries()) found.set(one, holders[at] && { kind: 'token', ...holders[at] });
  const installs = await findComponentHolders(reader, { hashes: components.map(hashOf), now });
  for (const [at, one] of components.entries()) found.set(one, installs[at] && { kind: 'component', ...installs[at] });
  const people = await findSessionHolders(reader, { keys: sessions, now });
  for (const [at, one] of sessions.entries()) {
    found.set(one, people[at] && { kind: 'session', expiresAt: one.expiresAt, ...people[at] });
  }
  return shown.map((one) => (one.kind === 'anonymous' ? ANONYMOUS : found.get(one)));
}

function isOf<Kind extends 'token' | 'component' | 'session'>(kind: Kind) {
  return (one: Shown): one is Extract<Shown, { kind: Kind extends 'session' ? 'session' : 'token' }> =>
    one.kind === kind;
}

function hashOf({ hash }: Extract<Shown, { kind: 'token' }>): Uint8Array {
  return Buffer.from(hash, 'base64url');
}
