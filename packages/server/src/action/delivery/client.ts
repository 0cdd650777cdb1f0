// Sends requests to addresses that others chose: webhooks and components. An address is checked when it is saved and
// again at each connection. Redirects are not followed.

import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { fail } from '@cairn/protocol/errors';
import {
  NameError,
  type Pinned,
  parseTarget,
  type Resolve,
  type Resolvers,
  resolveByMachine,
  resolveByNameServer,
  resolveTarget,
  type Target,
  TargetRefusal,
} from './target.ts';

export interface OutboundOptions {
  readonly allow: readonly string[];
  readonly resolve?: Resolve | undefined;
  readonly connectMs?: number | undefined;
  readonly totalMs?: number | undefined;
  readonly ca?: string | undefined;
}

interface Limits {
  readonly connectMs: number;
  readonly totalMs: number;
  readonly ca: string | undefined;
}

interface Means extends Limits {
  readonly allow: ReadonlySet<string>;
  readonly resolvers: Resolvers;
}

export function createOutbound({
  allow,
  resolve,
  connectMs = 10_000,
  totalMs = 30_000,
  ca,
}: OutboundOptions): Outbound {
  const resolvers = { publicName: resolve ?? resolveByNameServer, permittedName: resolve ?? resolveByMachine };
  const means: Means = { allow: new Set(allow), resolvers, connectMs, totalMs, ca };
  return { check: (url, path) => checkTarget(means, { url, path }), send: (request) => send(means, request) };
}

async function checkTarget(means: Means, { url, path }: { url: string; path: string }): Promise<void> {
  try {
    const target = parseTarget(url, means.allow);
    await withinTime(resolveTarget(means.resolvers, target), { connectMs: means.connectMs });
  } catch (error) {
    // A name server that is down must not prevent saving; nothing is sent before the name is resolved.
    if (error instanceof NameError || error instanceof OutboundError) return;
    if (!(error instanceof TargetRefusal)) throw error;
    throw fail('VALIDATION_ERROR', {
      message: `${path}: ${error.message}`,
      details: [{ path, message: error.message }],
    });
  }
}

async function send(means: Means, request: OutboundRequest): Promise<OutboundAnswer | OutboundFailure> {
  const startedAt = performance.now();
  const elapsedMs = () => performance.now() - startedAt;
  request.signal?.throwIfAborted();
  try {
    const target = parseTarget(request.url, means.allow);
    const { connectMs, totalMs, ca } = means;
    const addresses = await withinTime(resolveTarget(means.resolvers, target), { connectMs, signal: request.signal });
    const left = { connectMs: connectMs - elapsedMs(), totalMs: totalMs - elapsedMs() };
    const answer = await exchange(request, { target, addresses, ca, ...left });
    return { kind: 'answer', ...answer, durationMs: elapsedMs() };
  } catch (error) {
    request.signal?.throwIfAborted();
    return { kind: 'failure', ...failureOf(error), durationMs: elapsedMs() };
  }
}

const ANSWER_BYTES_MAX = 64 * 1_024;
const HEADER_BYTES_MAX = 16 * 1_024;

interface Exchange extends Limits {
  readonly target: Target;
  readonly addresses: readonly Pinned[];
}

type Answer = Pick<OutboundAnswer, 'status' | 'headers' | 'body' | 'truncated'>;

async function exchange(request: OutboundRequest, terms: Exchange): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const client = openRequest(request, terms);
  const connecting = setTimeout(() => reject(connectTimeout(terms.connectMs)), terms.connectMs);
  const late = `The answer was not complete within ${inSeconds(terms.totalMs)}.`;
  const running = setTimeout(() => reject(new OutboundError('TIMEOUT', late)), terms.totalMs);
  const progress = watchProgress(client, { target: terms.target, onConnected: () => clearTimeout(connecting) });
  const failed = (error: Error) => reject(explain(error, { target: terms.target, ...progress }));
  client.on('error', failed);
  client.on('response', (response) => readAnswer(response, request.answerBytesMax).then(resolve, failed));
  client.end(request.body);
  try {
    return await promise;
  } finally {
    clearTimeout(connecting);
    clearTimeout(running);
    client.destroy();
  }
}

function openRequest({ method, headers, body, signal }: OutboundRequest, terms: Exchange): ClientRequest {
  const { target, addresses, ca } = terms;
  const send = target.url.protocol === 'https:' ? requestHttps : requestHttp;
  return send(target.url, {
    method,
    headers: {
      'user-agent': 'Cairn',
      ...headers,
      'accept-encoding': 'identity',
      connection: 'close',
      ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
    },
    // Each request needs its own connection: an open one was checked for another name or at another time.
    agent: false,
    lookup: pinnedTo(addresses),
    maxHeaderSize: HEADER_BYTES_MAX,
    rejectUnauthorized: true,
    ...(ca !== undefined && { ca }),
    ...(signal !== undefined && { signal }),
  });
}

function pinnedTo(addresses: readonly Pinned[]): LookupFunction {
  const [first] = addresses;
  return (_name, { all }, answer) => {
    if (all || first === undefined) return answer(null, [...addresses]);
    answer(null, first.address, first.family);
  };
}

interface Progress {
  reached: boolean;
  connected: boolean;
}

function watchProgress(
  client: ClientRequest,
  { target, onConnected }: { target: Target; onConnected: () => void },
): Progress {
  const progress: Progress = { reached: false, connected: false };
  client.on('socket', (socket) => {
    socket.once('connect', () => {
      progress.reached = true;
    });
    socket.once(target.url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
      progress.connected = true;
      onConnected();
    });
  });
  return progress;
}

const DROPPED: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

function explain(error: Error, { target, reached, connected }: Progress & { target: Target }): OutboundError {
  if (error instanceof OutboundError) return error;
  const reason = reasonOf(error);
  if (reached && !connected && !DROPPED.has(reason)) {
    const message = `${target.host} could not be trusted (${reason}). Give it a certificate for its name from a widely trusted authority.`;
    return new OutboundError('TLS_ERROR', message);
  }
  const what = connected ? 'The connection broke before the answer was complete' : 'The connection failed';
  const message = `${what}: ${target.host}, port ${target.port} (${reason}). Check that the target is up.`;
  return new OutboundError('NETWORK_ERROR', message);
}

async function readAnswer(response: IncomingMessage, bytesMax = ANSWER_BYTES_MAX): Promise<Answer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > bytesMax) break;
  }
  const body = toText(Buffer.concat(chunks).subarray(0, bytesMax));
  return { status: response.statusCode ?? 0, headers: toHeaders(response), body, truncated: length > bytesMax };
}

/** Leaves out a character that was cut at the end. PostgreSQL refuses zero bytes in text. */
function toText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', '\u{fffd}');
}

function toHeaders({ headers }: IncomingMessage): Record<string, string> {
  const given = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, [value].flat().join(', ')]));
}

async function withinTime<Result>(
  work: Promise<Result>,
  { connectMs, signal }: { connectMs: number; signal?: AbortSignal | undefined },
): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(connectTimeout(connectMs)), connectMs);
  const abort = () => reject(signal?.reason);
  signal?.addEventListener('abort', abort);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** Messages contain nothing of the path and query of the URL, because those may be secret. */
class OutboundError extends Error {
  readonly code: OutboundFailure['code'];

  constructor(code: OutboundFailure['code'], message: string) {
    super(message);
    this.code = code;
  }
}

function failureOf(error: unknown): Pick<OutboundFailure, 'code' | 'message'> {
  if (error instanceof TargetRefusal) return { code: 'TARGET_REFUSED', message: error.message };
  if (error instanceof NameError) return { code: 'DNS_ERROR', message: error.message };
  if (error instanceof OutboundError) return { code: error.code, message: error.message };
  return { code: 'NETWORK_ERROR', message: `The request could not be sent (${reasonOf(error)}).` };
}

function reasonOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : 'unknown';
}

function connectTimeout(connectMs: number): OutboundError {
  const message = `The connection was not established within ${inSeconds(connectMs)}. Check that the target is up and that its firewall admits this server.`;
  return new OutboundError('CONNECT_TIMEOUT', message);
}

function inSeconds(ms: number): string {
  return `${Math.max(1, Math.round(ms / 1_000))} s`;
}

export interface OutboundRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly answerBytesMax?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface OutboundAnswer {
  readonly kind: 'answer';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly truncated: boolean;
  readonly durationMs: number;
}

/** A refused target is never connected to, so a retry is useless. */
export interface OutboundFailure {
  readonly kind: 'failure';
  readonly code: 'TARGET_REFUSED' | 'DNS_ERROR' | 'CONNECT_TIMEOUT' | 'TIMEOUT' | 'TLS_ERROR' | 'NETWORK_ERROR';
  readonly message: string;
  readonly durationMs: number;
}

export interface Outbound {
  check(url: string, path: string): Promise<void>;
  /** Throws only if `signal` is aborted. */
  send(request: OutboundRequest): Promise<OutboundAnswer | OutboundFailure>;
}
