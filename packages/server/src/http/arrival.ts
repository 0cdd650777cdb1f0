// Runs before routing: assigns the request id, authenticates the bearer, and counts the request against a limit.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type BlockList, isIP, type Socket } from 'node:net';
import { CairnError, fail } from '@cairn/protocol/errors';
import { REQUEST_ID } from '@cairn/protocol/names';
import { ROUTES, type RouteKey } from '@cairn/protocol/routes';
import { type Access, isScope } from '@cairn/protocol/scopes';
import { authorOf, requireCredential } from '../access/access.ts';
import type { Context } from '../access/context.ts';
import {
  ANONYMOUS,
  authenticate,
  type KnownCaller,
  type Presented,
  type Principal,
  recallCaller,
} from '../access/principal.ts';
import { networkOf } from '../access/usage.sql.ts';
import type { AccessView } from '../engine/access-epoch.ts';
import { type Exchange, operationContext, type RouteHandler } from './exchange.ts';
import type { Budget, Caller } from './rate-limit.ts';

// Monitoring must work while the server is busy.
const UNCOUNTED = '/health/';
const CLIENT_PATHS = /^\/oauth\/(token|revoke|device-authorization)$/;

interface Connection {
  readonly peer: string | undefined;
  answer: ServerResponse;
  caller?: RememberedCaller;
}

interface RememberedCaller {
  readonly authorization: string;
  readonly view: AccessView;
  readonly known: KnownCaller;
  readonly who: string;
  readonly notedAt: number;
}

const connections = new WeakMap<Socket, Connection>();

/** The last requested answer on a connection; `undefined` before whole headers have arrived. */
export function lastAnswerTo(socket: Socket): ServerResponse | undefined {
  return connections.get(socket)?.answer;
}

/** Kept per connection, because a listener for each answer costs a quarter of a small request. */
function connectionOf({ incoming, outgoing, deps }: Exchange): Connection {
  const { socket } = incoming;
  const known = connections.get(socket);
  if (known !== undefined) {
    known.answer = outgoing;
    return known;
  }
  const { trustedProxies } = deps.settings;
  const peer = clientAddress({ peer: socket.remoteAddress, forwardedFor: undefined, trustedProxies });
  const connection: Connection = { peer, answer: outgoing };
  connections.set(socket, connection);
  return connection;
}

const UNREAD_WITHIN_MS = 500;

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function cutUnread(incoming: IncomingMessage): void {
  if (incoming.complete) return;
  setTimeout(() => incoming.complete || incoming.socket.destroySoon(), UNREAD_WITHIN_MS).unref();
}

export function arrive(c: Exchange, provesView = false): void | Promise<void> {
  const { path } = c;
  const given = c.header('x-request-id');
  c.requestId = given !== undefined && REQUEST_ID.test(given) ? given : randomUUID();
  const connection = connectionOf(c);
  if (hasBody(c.incoming)) c.outgoing.once('finish', () => cutUnread(c.incoming));
  c.address = c.header('x-forwarded-for') === undefined ? connection.peer : forwardedAddress(c);
  requireReadable(c);
  // Browsers send no credentials with a preflight.
  if (c.method === 'OPTIONS') return admit(c);
  // Spec 4.4: GET on /mcp is 405 for any credential. /metrics has its own kind of token.
  if (path === '/metrics' || (path === '/mcp' && c.method !== 'POST')) return;
  const isCounted = !path.startsWith(UNCOUNTED);
  if (!isCounted && c.header('authorization') === undefined) return;
  const isKnown = recognize(c, connection, provesView);
  if (!isKnown || !admitAtOnce(c, isCounted)) return admitCaller(c, isCounted);
}

const NOTED_MS = 10_000;

function recognize(c: Exchange, connection: Connection, provesView: boolean): boolean {
  const authorization = credentialIn(c);
  if (authorization === undefined) return true;
  const { deps, path } = c;
  const { database } = deps.store;
  const likely = provesView ? database.views.likely : undefined;
  const view = likely ?? database.accessViewAtOnce();
  if (view === undefined) return false;
  const { caller } = connection;
  const isSame = caller !== undefined && caller.authorization === authorization && caller.view === view;
  const known = isSame ? caller.known : recallCaller(deps, { view, authorization, path });
  const now = Date.now();
  if (known === undefined || known.goodUntil <= now) return false;
  if (likely === undefined) c.view = view;
  else c.likelyView = view;
  c.principal = known.principal;
  c.who = isSame ? caller.who : authorOf(known.principal);
  if (isSame && now - caller.notedAt < NOTED_MS) return true;
  noteUse(c);
  // Sessions are not cached: they count for some paths only, and end with the server's key.
  if (known.principal.kind === 'token') connection.caller = { authorization, view, known, who: c.who, notedAt: now };
  return true;
}

/** Requests the present view for a request that was admitted by a cached view and did not prove it by its own read. */
export function proveCaller(c: Exchange): void | Promise<void> {
  const { likelyView } = c;
  if (likelyView === undefined) return;
  c.likelyView = undefined;
  if (c.deps.store.database.accessViewAtOnce() !== likelyView) return authenticateAgain(c);
  c.view = likelyView;
}

function admitAtOnce(c: Exchange, isCounted: boolean): boolean {
  return !isCounted || (callsIn(c.path) === 1 && c.deps.limiter.admitAtOnce(callerOf(c)));
}

async function admitCaller(c: Exchange, isCounted: boolean): Promise<void> {
  await authenticateCounted(c, isCounted);
  if (isCounted) await admit(c);
}

export async function authenticateAgain(c: Exchange): Promise<void> {
  if (c.principal === ANONYMOUS) return;
  c.principal = await authenticate(c.deps, await presentedBy(c));
  c.who = undefined;
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

const UNREADABLE_TARGET = 'The request target is invalid. Check the URL.';

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

function forwardedAddress(c: Exchange): string | undefined {
  const { trustedProxies } = c.deps.settings;
  const { remoteAddress } = c.incoming.socket;
  return clientAddress({ peer: remoteAddress, forwardedFor: c.header('x-forwarded-for'), trustedProxies });
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
  const scope = isScope(needs) && open !== true ? needs : undefined;
  return (c) => {
    const principal = c.principal;
    if (scope !== undefined && principal === ANONYMOUS) requireCredential(principal, scope);
    if (principal.kind === 'component') refuseComponent(principal, access);
    return handler(c);
  };
}

export function refuseComponent(principal: Principal, { component, needs }: Pick<Access, 'component' | 'needs'>): void {
  if (principal.kind !== 'component' || component === 'any') return;
  if (component === principal.stage) return;
  const code = needs.startsWith('repo:checkpoint') ? 'export-component-token' : 'FORBIDDEN';
  throw fail(code, { message: 'Component tokens cannot be used here. Use a token of an account.' });
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

export function networkOfPeer(peer: string | undefined, trustedProxies: BlockList): string | undefined {
  const address = clientAddress({ peer, forwardedFor: undefined, trustedProxies });
  return address === undefined || isIn(trustedProxies, address) ? undefined : networkOf(address);
}

function isIn(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}

const ENTRY_CHARACTERS_MAX = 100;
const WITH_PORT = /^(?:\[([^[\]]+)\]|([\d.]+))(?::\d{1,5})?$/;
const MAPPED_IPV4 = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

function parseAddress(text: string): string | undefined {
  if (text.length > ENTRY_CHARACTERS_MAX) return undefined;
  const [, ipv6, ipv4] = WITH_PORT.exec(text) ?? [];
  const [address = ''] = (ipv6 ?? ipv4 ?? text).split('%');
  const version = isIP(address);
  if (version === 4) return address;
  if (version === 0) return undefined;
  const short = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [, high, low] = MAPPED_IPV4.exec(short) ?? [];
  return high === undefined || low === undefined ? short : [...bytesOf(high), ...bytesOf(low)].join('.');
}

function bytesOf(group: string): [number, number] {
  const value = Number.parseInt(group, 16);
  return [value >> 8, value & 0xff];
}
