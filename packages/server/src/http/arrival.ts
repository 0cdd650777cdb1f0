// Runs before routing: assigns the request id, authenticates the bearer, and counts the request against a limit.
import { randomUUID } from 'node:crypto';
import { type BlockList, isIP, type Socket } from 'node:net';
import { CairnError, fail } from '@cairn/protocol/errors';
import { REQUEST_ID } from '@cairn/protocol/names';
import { ROUTES, type RouteKey } from '@cairn/protocol/routes';
import { type Access, isScope } from '@cairn/protocol/scopes';
import type { Context } from '../access/context.ts';
import {
  ANONYMOUS,
  authenticate,
  type Presented,
  type Principal,
  recallPrincipal,
  requireCredential,
} from '../access/principal.ts';
import { networkOf } from '../access/usage.sql.ts';
import { type Exchange, operationContext, type RouteHandler } from './exchange.ts';
import type { Budget, Caller } from './rate-limit.ts';

// Monitoring must work while the server is busy.
const UNCOUNTED = '/health/';
const CLIENT_PATHS = /^\/oauth\/(token|revoke|device-authorization)$/;

/** Tells who the caller is and counts the request, or refuses it. Monitoring does not wait for either. */
export function arrive(c: Exchange): void | Promise<void> {
  const { path } = c;
  const given = c.header('x-request-id');
  c.requestId = given !== undefined && REQUEST_ID.test(given) ? given : randomUUID();
  c.address = findClientAddress(c);
  requireReadable(c);
  // Browsers send no credentials with a preflight.
  if (c.method === 'OPTIONS') return admit(c);
  // Spec 4.4: GET on /mcp is 405 for any credential. /metrics has its own kind of token.
  if (path === '/metrics' || (path === '/mcp' && c.method !== 'POST')) return;
  const isCounted = !path.startsWith(UNCOUNTED);
  if (!isCounted && c.header('authorization') === undefined) return;
  if (!admitAtOnce(c, isCounted)) return admitCaller(c, isCounted);
}

/** True if the caller is remembered and has permits left: the request is then answered without a wait. */
function admitAtOnce(c: Exchange, isCounted: boolean): boolean {
  const { deps, path } = c;
  const authorization = credentialIn(c);
  if (authorization !== undefined) {
    const view = deps.store.database.accessViewAtOnce();
    if (view === undefined) return false;
    const known = recallPrincipal(deps, { view, authorization, path });
    if (known === undefined) return false;
    c.view = view;
    c.principal = known;
    noteUse(c);
  }
  return !isCounted || (callsIn(path) === 1 && deps.limiter.admitAtOnce(callerOf(c)));
}

async function admitCaller(c: Exchange, isCounted: boolean): Promise<void> {
  await authenticateCounted(c, isCounted);
  if (isCounted) await admit(c);
}

/** For slow requests: the credential may have ended meanwhile. */
export async function authenticateAgain(c: Exchange): Promise<void> {
  if (c.principal !== ANONYMOUS) c.principal = await authenticate(c.deps, await presentedBy(c));
}

export async function refreshedContext(c: Exchange): Promise<Context> {
  await authenticateAgain(c);
  return operationContext(c);
}

const HOST = /^[\w.:[\]-]*$/;

/** Two Host headers arrive as one list: a proxy may have used the other one. */
function requireReadable({ target, incoming }: Exchange): void {
  if (target === '') throw fail('VALIDATION_ERROR', { message: UNREADABLE_TARGET });
  const { host } = incoming.headers;
  if (incoming.httpVersion === '1.0' && host === undefined) return;
  if (host !== undefined && HOST.test(host)) return;
  throw fail('VALIDATION_ERROR', { message: 'A request needs exactly one Host header. Send it once.' });
}

const UNREADABLE_TARGET = 'The request cannot be read: its target is invalid.';

/** On some paths an OAuth client authenticates itself, not a user. */
function credentialIn(c: Exchange): string | undefined {
  const authorization = c.header('authorization');
  const isOfClient = authorization !== undefined && CLIENT_PATHS.test(c.path) && /^basic /i.test(authorization);
  return isOfClient ? undefined : authorization;
}

async function presentedBy(c: Exchange): Promise<Presented | undefined> {
  const authorization = credentialIn(c);
  if (authorization === undefined) return undefined;
  c.view = await c.deps.store.database.accessView();
  return { view: c.view, authorization, path: c.path };
}

/** Each call of a batch counts as a request. */
async function admit(c: Exchange): Promise<void> {
  const { limiter, settings } = c.deps;
  const calls = Math.min(callsIn(c.path), settings.limits.batchCalls);
  for (let call = 0; call < calls; call++) await limiter.admit(callerOf(c));
}

const callsIn = (path: string) => (path.startsWith('/trpc/') ? path.split(/,|%2c/i).length : 1);

const callerOf = ({ principal, address, path }: Exchange): Caller => ({ principal, address, budget: budgetOf(path) });

const SIGN_IN_PATHS = /^\/(auth|oauth|\.well-known)\//;
const DATA_PATHS = /^\/(api|trpc|mcp|sse|downloads|openapi\.json)(\/|$)|\.(md|txt)$/;

function budgetOf(path: string): Budget {
  if (SIGN_IN_PATHS.test(path)) return 'sign-in';
  return DATA_PATHS.test(path) ? 'data' : 'page';
}

/** The addresses of sockets without a proxy: all requests of a connection have the same. */
const peers = new WeakMap<Socket, string | undefined>();

function findClientAddress(c: Exchange): string | undefined {
  const { socket } = c.incoming;
  const forwardedFor = c.header('x-forwarded-for');
  if (forwardedFor === undefined && peers.has(socket)) return peers.get(socket);
  const { trustedProxies } = c.deps.settings;
  const address = clientAddress({ peer: socket.remoteAddress, forwardedFor, trustedProxies });
  if (forwardedFor === undefined) peers.set(socket, address);
  return address;
}

/** An invalid bearer counts as anonymous, so token guessing runs into the anonymous limit. */
async function authenticateCounted(c: Exchange, isCounted: boolean): Promise<void> {
  const { deps } = c;
  try {
    c.principal = await authenticate(deps, await presentedBy(c));
    noteUse(c);
  } catch (error) {
    if (isCounted && error instanceof CairnError && error.code === 'UNAUTHENTICATED')
      await deps.limiter.admit({ principal: ANONYMOUS, address: c.address });
    throw error;
  }
}

function noteUse({ principal, deps: { tokenUses } }: Exchange): void {
  if (principal.kind === 'token') tokenUses.note(principal.tokenId);
  if (principal.kind === 'session') tokenUses.noteSession(principal.sessionId);
}

export function guarded(key: RouteKey, handler: RouteHandler): RouteHandler {
  // Spec 4.4 rule 1: where submissions are not enabled, callers must not learn that they exist.
  if (key.endsWith('/submissions')) return handler;
  const access: Access = ROUTES[key].access;
  const { needs, open } = access;
  return (c) => {
    const principal = c.principal;
    if (isScope(needs) && open !== true) requireCredential(principal, needs);
    refuseComponent(principal, access);
    return handler(c);
  };
}

export function refuseComponent(principal: Principal, { component, needs }: Pick<Access, 'component' | 'needs'>): void {
  if (principal.kind !== 'component' || component === 'any') return;
  if (component === principal.stage) return;
  const code = needs.startsWith('repo:checkpoint') ? 'export-component-token' : 'FORBIDDEN';
  throw fail(code, { message: 'This is not for tokens of components. Use a token of an account.' });
}

interface Arrived {
  readonly peer: string | undefined;
  readonly forwardedFor: string | undefined;
  readonly trustedProxies: BlockList;
}

/**
 * The nearest untrusted address. Entries beyond it may be forged, and clients must not choose the address they are
 * limited by.
 */
export function clientAddress({ peer, forwardedFor, trustedProxies }: Arrived): string | undefined {
  let address = peer === undefined ? undefined : parseAddress(peer);
  if (address === undefined || forwardedFor === undefined) return address;
  for (const entry of forwardedFor.split(',').reverse()) {
    if (!isIn(trustedProxies, address)) break;
    const before = parseAddress(entry.trim());
    if (before === undefined) break;
    address = before;
  }
  return address;
}

export function connectionOf(peer: string | undefined, trustedProxies: BlockList): string | undefined {
  const address = clientAddress({ peer, forwardedFor: undefined, trustedProxies });
  return address === undefined || isIn(trustedProxies, address) ? undefined : networkOf(address);
}

function isIn(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}

// The longest address has 45 characters; the rest is a zone or a port.
const ENTRY_CHARACTERS_MAX = 100;
/** Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const WITH_PORT = /^(?:\[([^[\]]+)\]|([\d.]+))(?::\d{1,5})?$/;
const MAPPED_IPV4 = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/** An IPv4-mapped IPv6 address becomes the IPv4 address. */
function parseAddress(text: string): string | undefined {
  if (text.length > ENTRY_CHARACTERS_MAX) return undefined;
  const [, ipv6, ipv4] = WITH_PORT.exec(text) ?? [];
  const [address = ''] = (ipv6 ?? ipv4 ?? text).split('%');
  const version = isIP(address);
  if (version === 4) return address;
  if (version === 0) return undefined;
  // URL normalizes to the short spelling (RFC 5952), with all groups in hexadecimal.
  const short = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [, high, low] = MAPPED_IPV4.exec(short) ?? [];
  return high === undefined || low === undefined ? short : [...bytesOf(high), ...bytesOf(low)].join('.');
}

function bytesOf(group: string): [number, number] {
  const value = Number.parseInt(group, 16);
  return [value >> 8, value & 0xff];
}
