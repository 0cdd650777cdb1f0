// One request and its answer, as handlers see them. It stands directly on Node's own objects.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import { TextDecoder } from 'node:util';
import { createGunzip, type Gunzip } from 'node:zlib';
import { scanJson } from '@cairn/model/json';
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { Limits } from '@cairn/protocol/limits';
import { TRACE_HEADER } from '@cairn/protocol/vocabulary';
import type { Logger } from 'pino';
import type { Context, Keys, Origin } from '../access/context.ts';
import { ANONYMOUS, type Principal } from '../access/principal.ts';
import { networkOf } from '../access/usage.sql.ts';
import type { ExternalProvider } from '../account/external/external-provider.ts';
import type { Outbound } from '../action/delivery/client.ts';
import type { Config } from '../config.ts';
import type { AccessView } from '../engine/access-epoch.ts';
import type { BlobStore } from '../export/blob-store.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';
import type { Live } from '../live/live.ts';
import type { MailQueue } from '../mail/mail.ts';
import type { Store } from '../store.ts';
import { authenticateAgain } from './arrival.ts';
import type { Metrics } from './metrics.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { TokenUses } from './token-use.ts';

export interface Deps {
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly log: Logger;
  readonly live: Live;
  readonly metrics: Metrics;
  readonly limiter: RateLimiter;
  readonly bodies: BodyRoom;
  readonly mail?: MailQueue | undefined;
  readonly externalProvider?: ExternalProvider | undefined;
  readonly settings: Pick<
    Config,
    'corsOrigins' | 'limits' | 'metricsToken' | 'orgCreation' | 'signup' | 'trustedProxies' | 'webhookRetrySeconds'
  > & {
    readonly publicUrl: string;
  };
  readonly keys: Keys;
  readonly signingKeys: SigningKeys;
  readonly tokenUses: TokenUses;
  readonly outbound: Outbound;
  readonly webFolder: string;
  readonly docsFolder: string;
  readonly stopping: AbortSignal;
}

export type Answered = 'answered';
export const ANSWERED: Answered = 'answered';

export type RouteHandler = (c: Exchange) => Answered | Promise<Answered>;

export class Exchange {
  readonly deps: Deps;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly method: string;
  readonly startedAt = performance.now();
  /** The path as it was sent, without dots that lead upward. */
  readonly target: string;
  readonly search: string;
  /** Decoded, except for encoded slashes and the like. */
  readonly path: string;
  requestId = '';
  /** Client address as far as proxies are trusted; `undefined` without one, as on a socket file. */
  address: string | undefined;
  principal: Principal = ANONYMOUS;
  /** The view of callers as of the arrival; `undefined` without a credential. */
  view: AccessView | undefined;
  /** Set instead of `view`: the last view seen, which may have ended. See `proveCaller`. */
  likelyView: AccessView | undefined;
  who: string | undefined;
  /** By the clock of `startedAt`. While a body arrives, this is the body's deadline. */
  dueAt = Number.POSITIVE_INFINITY;
  /** The matched pattern, for logs and metrics, because paths may contain anything. */
  route = 'none';
  params: Readonly<Record<string, string>> = {};
  onLate: (() => void) | undefined;
  isAnswered = false;
  #searchParams: URLSearchParams | undefined;

  constructor(deps: Deps, incoming: IncomingMessage, outgoing: ServerResponse) {
    this.deps = deps;
    this.incoming = incoming;
    this.outgoing = outgoing;
    this.method = incoming.method ?? 'GET';
    const { target, search } = splitTarget(incoming.url ?? '/');
    this.target = target;
    this.search = search;
    this.path = target.includes('%') ? decodePath(target) : target;
  }

  header(name: string): string | undefined {
    const value = this.incoming.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  query(name: string): string | undefined {
    return this.search === '' ? undefined : (this.searchParams.get(name) ?? undefined);
  }

  get searchParams(): URLSearchParams {
    this.#searchParams ??= new URLSearchParams(this.search);
    return this.#searchParams;
  }
}

/** Nothing in such a path needs to be normalized: no dots after a slash, no escapes, no backslashes. */
const PLAIN_PATH = /^(?:\/(?!\.)[\w\-.~!$&'()*+,;=:@]*)+$/;

function splitTarget(url: string): { target: string; search: string } {
  const end = url.indexOf('?');
  const target = end === -1 ? url : url.slice(0, end);
  const search = end === -1 || end === url.length - 1 ? '' : url.slice(end);
  if (PLAIN_PATH.test(target) && !search.includes('#')) return { target, search };
  // URL parsing would turn a backslash into a slash.
  if (target.includes('\\')) return UNREADABLE;
  const parsed = URL.parse(url.startsWith('/') ? `http://localhost${url}` : url);
  return parsed === null || !parsed.protocol.startsWith('http')
    ? UNREADABLE
    : { target: parsed.pathname, search: parsed.search };
}

const UNREADABLE = { target: '', search: '' };

/** Keeps text that is not valid UTF-8, and encoded percent signs, because parameters are decoded again. */
function decodePath(target: string): string {
  try {
    return decodeURI(target.replaceAll('%25', '%2525'));
  } catch {
    return target;
  }
}

export function operationContext(c: Exchange, prove?: Context['prove']): Context {
  const { store, blobs, settings, keys, outbound, mail } = c.deps;
  return {
    store,
    blobs,
    keys,
    outbound,
    mail,
    limits: settings.limits,
    publicUrl: settings.publicUrl,
    orgCreation: settings.orgCreation,
    webhookRetrySeconds: settings.webhookRetrySeconds,
    principal: c.principal,
    view: c.view,
    likelyView: c.likelyView,
    prove,
    origin: originOf(c),
    trace: c.header(TRACE_HEADER),
    client: c.outgoing,
  };
}

export function originOf({ address, requestId }: Exchange): Origin {
  return { address, requestId };
}

// Reads request bodies, whole and within limits or as a stream.

const SLOW_MS = 250;

interface BodyOptions {
  readonly contentType: string;
  readonly maxBytes: number;
}

export async function readBody(c: Exchange, { contentType, maxBytes }: BodyOptions): Promise<string> {
  requireContentType(c, contentType);
  requirePlain(c);
  const { bodies, settings } = c.deps;
  const limit = bodyLimit(c, maxBytes);
  const declared = Number(c.header('content-length') ?? 0);
  if (declared > limit.maxBytes) throw tooLarge(limit);
  const begun = performance.now();
  const held = bodies.hold(holderOf(c));
  const left = c.dueAt - begun;
  c.dueAt = begun + settings.limits.bodyMs;
  const { promise: arrived, resolve, reject } = Promise.withResolvers<Buffer[]>();
  const message = `The body did not arrive within ${settings.limits.bodyMs / 1000} seconds. Send it again.`;
  c.onLate = () => reject(fail('REQUEST_TIMEOUT', { message }));
  try {
    readPieces(c.incoming, { limit, held, resolve, reject });
    const text = decode(await arrived);
    const now = performance.now();
    c.dueAt = now + left;
    // A caller about to lose a right could otherwise hold a request open and use the right afterwards.
    if (now - begun > SLOW_MS) await authenticateAgain(c);
    return text;
  } finally {
    c.onLate = undefined;
    held.release();
  }
}

interface Reading {
  readonly limit: BodyLimit;
  readonly held: HeldBody;
  readonly resolve: (pieces: Buffer[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Reads by events, because an iterator costs as much as the rest of a small request. Counts while reading, because a
 * chunked body declares no length.
 */
function readPieces(incoming: IncomingMessage, { limit, held, resolve, reject }: Reading): void {
  const pieces: Buffer[] = [];
  let bytes = 0;
  const take = (piece: Buffer) => {
    bytes += piece.byteLength;
    try {
      if (bytes > limit.maxBytes) throw tooLarge(limit);
      held.add(piece.byteLength);
      pieces.push(piece);
    } catch (error) {
      // The connection is read a moment longer, so that the client gets this error.
      incoming.off('data', take).resume();
      reject(error);
    }
  };
  const cut = () =>
    reject(fail('VALIDATION_ERROR', { message: 'The body ended before it was complete. Send it again.' }));
  const end = () => {
    incoming.off('close', cut);
    resolve(pieces);
  };
  incoming.on('data', take).once('end', end).once('close', cut).once('error', cut);
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

function decode(pieces: readonly Buffer[]): string {
  try {
    const [only = new Uint8Array()] = pieces;
    return UTF8.decode(pieces.length > 1 ? Buffer.concat(pieces) : only);
  } catch (error) {
    throw fail('VALIDATION_ERROR', { message: 'The body is not valid UTF-8. Encode it as UTF-8.', cause: error });
  }
}

interface BodyLimit {
  readonly maxBytes: number;
  readonly isAnonymous: boolean;
}

/** Anonymous calls need only small bodies, and parsing large ones blocks the event loop. */
function bodyLimit(c: Exchange, maxBytes: number): BodyLimit {
  const { anonymousBodyBytes } = c.deps.settings.limits;
  const isAnonymous = c.principal.kind === 'anonymous' && anonymousBodyBytes < maxBytes;
  return { isAnonymous, maxBytes: isAnonymous ? anonymousBodyBytes : maxBytes };
}

function holderOf(c: Exchange): string {
  const principal = c.principal;
  if (principal.kind === 'anonymous') return `address:${networkOf(c.address ?? '::')}`;
  return principal.kind === 'component' ? `component:${principal.tokenId}` : `account:${principal.accountId}`;
}

const SMALL_BYTES = 65_536;
/** Memory overhead of a chunk: a client may send its body byte by byte. */
const PIECE_BYTES = 256;

interface HeldBody {
  add(bytes: number): void;
  release(): void;
}

export class BodyRoom {
  readonly #limits: Pick<Limits, 'bodiesBytes' | 'callerBodiesBytes'>;
  readonly #heldBy = new Map<string, number>();
  #held = 0;

  constructor(limits: Pick<Limits, 'bodiesBytes' | 'callerBodiesBytes'>) {
    this.#limits = limits;
  }

  hold(holder: string): HeldBody {
    let [all, counted, isReleased] = [0, 0, false];
    return {
      add: (bytes) => {
        // A timed-out body may still arrive. Counting it would leak room, because nobody releases it again.
        if (isReleased) throw noRoom();
        all += bytes + PIECE_BYTES;
        const more = Math.max(0, all - SMALL_BYTES) - counted;
        if (more === 0) return;
        const ofHolder = (this.#heldBy.get(holder) ?? 0) + more;
        if (ofHolder > this.#limits.callerBodiesBytes || this.#held + more > this.#limits.bodiesBytes) throw noRoom();
        counted += more;
        this.#held += more;
        this.#heldBy.set(holder, ofHolder);
      },
      release: () => {
        const left = (this.#heldBy.get(holder) ?? 0) - counted;
        if (left > 0) this.#heldBy.set(holder, left);
        else this.#heldBy.delete(holder);
        this.#held -= counted;
        counted = 0;
        isReleased = true;
      },
    };
  }
}

function noRoom(): CairnError {
  const message = 'The server is receiving too many large request bodies. Wait a second, then send this one again.';
  return fail('UNAVAILABLE', { message, retryAfter: 1 });
}

export function parseBody(text: string, maxDepth: number): unknown {
  try {
    scanJson(text, { maxDepth });
    return JSON.parse(text);
  } catch (error) {
    throw fail('VALIDATION_ERROR', { message: `The body is not JSON: ${(error as Error).message}`, cause: error });
  }
}

export function requireContentType(c: Exchange, contentType: string): void {
  const given = c.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (given === contentType) return;
  throw fail('UNSUPPORTED_MEDIA_TYPE', {
    message: `Send the body as ${contentType}, not ${given ?? 'without a content type'}.`,
  });
}

function requirePlain(c: Exchange): void {
  const encoding = c.header('content-encoding') ?? 'identity';
  if (encoding.toLowerCase() === 'identity') return;
  throw fail('UNSUPPORTED_MEDIA_TYPE', {
    message: 'This path does not take compressed bodies. Send the body without Content-Encoding.',
  });
}

function tooLarge({ maxBytes, isAnonymous }: BodyLimit): CairnError {
  const message = isAnonymous
    ? `The body is larger than ${maxBytes} bytes, the limit without a credential. Send a bearer token, or a smaller body.`
    : `The body is larger than ${maxBytes} bytes. Send it in parts.`;
  return fail('PAYLOAD_TOO_LARGE', { message, details: { maxBytes } });
}

const UNCHECKED_BYTES = 1024 * 1024;
const GUNZIP_PIECE_BYTES = 65_536;

/** A few bytes of gzip can expand to gigabytes. The body stays open, because the answer needs its connection. */
export function gunzipped(body: Readable, maxRatio: number): Readable {
  const gunzip = createGunzip({ chunkSize: GUNZIP_PIECE_BYTES });
  const packed = { bytes: 0 };
  const unpacked = checked(gunzip, { packed, maxRatio });
  body.on('data', (piece: Buffer) => {
    packed.bytes += piece.length;
  });
  gunzip.on('error', (error) => unpacked.destroy(damaged(error)));
  body.on('error', (error) => unpacked.destroy(error));
  body.on('close', () => {
    if (!body.readableEnded) unpacked.destroy(new Error('the body reader was closed'));
  });
  unpacked.on('close', () => {
    body.unpipe(gunzip);
    gunzip.destroy();
  });
  return body.pipe(gunzip).pipe(unpacked);
}

interface Checks {
  readonly packed: { readonly bytes: number };
  readonly maxRatio: number;
}

function checked(gunzip: Gunzip, { packed, maxRatio }: Checks): Transform {
  let bytes = 0;
  return new Transform({
    transform: (piece: Buffer, _, done) => {
      bytes += piece.length;
      if (bytes > UNCHECKED_BYTES && bytes > maxRatio * gunzip.bytesWritten) done(tooPacked(maxRatio));
      else done(null, piece);
    },
    // Bytes after the end of the gzip data would be dropped silently.
    flush: (done) => done(packed.bytes > gunzip.bytesWritten ? damaged(new Error('data after its end')) : null),
  });
}

function damaged(error: Error): CairnError {
  const message = `The body is not complete gzip data (${error.message}). Send the rest from the acknowledged offset.`;
  return fail('VALIDATION_ERROR', { message, cause: error });
}

function tooPacked(maxRatio: number): CairnError {
  return fail('PAYLOAD_TOO_LARGE', {
    message: `The body decompresses to more than ${maxRatio} times its size. Send it without Content-Encoding.`,
    details: { maxRatio },
  });
}
