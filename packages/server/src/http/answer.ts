// The one place where a response is made: it sets every header, compresses, logs and counts. Nothing touches a response
// after this, because that would take it off the adapter's fast path.
import { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { HttpBindings } from '@hono/node-server';
import { authorOf } from '../access/audit.ts';
import { corsHeaders, preflightHeaders } from './cors.ts';
import type { EdgeContext } from './env.ts';
import { logFault, toCairnError } from './error.ts';

const compress = promisify(gzip);
// Below this the header costs more than compression saves.
const COMPRESS_FROM_BYTES = 1_024;

const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
};
const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'";
export const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/** The explorer runs the scripts that this server serves, and talks to it alone. */
export const EXPLORER_POLICY = `${PAGE_POLICY}; script-src 'self'; connect-src 'self'`;

// Where they do not belong, people put secrets all the same: a code as a query without a name, a token into the path.
const QUERY_NAME = /^[A-Za-z]{1,20}$/;
const BEARER_FORM = /cairn_[a-z]+_\w+|eyJ[\w-]+\.[\w.-]+/g;

interface Answer {
  readonly status?: number;
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream | null;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Values of `Set-Cookie`. */
  readonly cookies?: readonly string[] | undefined;
}

export function answer(
  c: EdgeContext,
  { status = 200, body, contentType, headers, cookies }: Answer,
): Response | Promise<Response> {
  const all = allHeaders(c, { contentType, headers });
  // So that the adapter sends each piece when it comes, and does not wait for more to learn the length of the whole. One
  // whose length is known says so instead: both together are no valid answer.
  if (body instanceof ReadableStream && all['content-length'] === undefined) all['transfer-encoding'] = 'chunked';
  record(c, status);
  if (cookies !== undefined) return new Response(body, { status, headers: withCookies(all, cookies) });
  if (
    isWhole(body) &&
    isCompressible(contentType) &&
    all['content-encoding'] === undefined &&
    body.length >= COMPRESS_FROM_BYTES
  ) {
    return answerCompressed(c, { status, body, headers: all });
  }
  return new Response(body, { status, headers: all });
}

/** For paths that exist; unknown paths get a 404. */
export function answerPreflight(c: EdgeContext): Response | Promise<Response> {
  return answer(c, { status: 204, body: null, headers: preflightHeaders() });
}

function withCookies(headers: Record<string, string>, cookies: readonly string[]): Headers {
  const all = new Headers(headers);
  for (const cookie of cookies) all.append('set-cookie', cookie);
  return all;
}

interface HeaderChoice {
  readonly contentType: string | undefined;
  readonly headers: Answer['headers'] | undefined;
}

function allHeaders(c: EdgeContext, { contentType, headers }: HeaderChoice): Record<string, string> {
  const { settings } = c.get('deps');
  return {
    'x-request-id': c.get('requestId'),
    ...SECURITY_HEADERS,
    'content-security-policy': contentType?.startsWith('text/html') ? PAGE_POLICY : DATA_POLICY,
    ...(settings.publicUrl.startsWith('https:') && { 'strict-transport-security': 'max-age=31536000' }),
    ...(contentType !== undefined && { 'content-type': contentType }),
    ...headers,
    ...corsHeaders(c, headers?.vary),
  };
}

/**
 * For what writes to the connection itself, for as long as it likes: an answer of the framework takes twice the memory.
 * Gives what to write to; the handler then returns `ANSWERED`.
 */
export function openAnswer(c: EdgeContext, { contentType, headers }: Omit<Answer, 'body' | 'status'>): ServerResponse {
  const outgoing = c.env?.outgoing;
  if (!(outgoing instanceof ServerResponse)) throw new Error('the app is called without a server to write to');
  outgoing.writeHead(200, allHeaders(c, { contentType, headers }));
  record(c, 200);
  return outgoing;
}

/**
 * For what answers by itself, in its own way: the headers that all answers have are set, and it is logged and counted when
 * it is over. The handler then returns `ANSWERED`.
 */
export function handOver(c: EdgeContext, headers?: Answer['headers']): Required<HttpBindings> {
  const { incoming, outgoing } = c.env ?? {};
  if (incoming === undefined || !(outgoing instanceof ServerResponse)) {
    throw new Error('the app is called without a server to answer');
  }
  const all = allHeaders(c, { contentType: undefined, headers });
  for (const [name, value] of Object.entries(all)) outgoing.setHeader(name, value);
  outgoing.once('close', () => record(c, outgoing.statusCode));
  return { incoming, outgoing };
}

export { RESPONSE_ALREADY_SENT as ANSWERED } from '@hono/node-server/utils/response';

export function answerJson(
  c: EdgeContext,
  value: unknown,
  extra: Omit<Answer, 'body'> = {},
): Response | Promise<Response> {
  return answer(c, { ...extra, body: JSON.stringify(value), contentType: 'application/json' });
}

/** A stream is sent as it is: who resumes it, or compares a digest, counts its bytes. */
function isWhole(body: Answer['body']): body is Compressed['body'] {
  return body !== null && !(body instanceof ReadableStream);
}

interface Compressed {
  readonly status: number;
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly headers: Record<string, string>;
}

// On the thread pool: a large answer must not hold up the others.
async function answerCompressed(c: EdgeContext, { status, body, headers }: Compressed): Promise<Response> {
  headers.vary = `${headers.vary}, Accept-Encoding`;
  if (!acceptsGzip(c.req.header('accept-encoding'))) return new Response(body, { status, headers });
  headers['content-encoding'] = 'gzip';
  const packed = await compress(body, { level: constants.Z_BEST_SPEED });
  return new Response(packed, { status, headers });
}

function isCompressible(contentType: string | undefined): boolean {
  return (
    contentType !== undefined && /^(text\/|application\/(json|schema\+json|javascript)|image\/svg)/.test(contentType)
  );
}

function acceptsGzip(header: string | undefined): boolean {
  return header?.split(',').some((part) => /^\s*(gzip|\*)\s*(;(?!\s*q=0(\.0*)?\s*$).*)?$/.test(part)) ?? false;
}

function record(c: EdgeContext, status: number): void {
  const { log, metrics } = c.get('deps');
  const { method, path } = c.req;
  const ms = Math.round((performance.now() - c.get('startedAt')) * 1000) / 1000;
  metrics.observeRequest({ method, route: c.get('route') ?? 'none', status, ms });
  if (!log.isLevelEnabled('info')) return;
  // Of the query only names: values may be secret.
  const query = [...new Set(Object.keys(c.req.queries()).map(shownName))];
  const who = authorOf(c.get('principal'));
  const shownPath = path.replaceAll(BEARER_FORM, '…');
  const requestId = c.get('requestId');
  log.info({ requestId, method, path: shownPath, ...(query.length > 0 && { query }), status, ms, who }, 'request');
}

function shownName(name: string): string {
  return QUERY_NAME.test(name) ? name : '…';
}

// A body that is made while it is sent.

type Piece = Uint8Array<ArrayBuffer>;
type Pieces = Pick<AsyncGenerator<Piece>, 'next' | 'return'>;

/** Makes the next piece only when the client has taken the one before; a client that goes away ends the work. */
export function streamOf(c: EdgeContext, pieces: Pieces): ReadableStream<Piece> {
  const sent = new SentPieces(c);
  return new ReadableStream(
    {
      pull: async (controller) => {
        sent.release();
        try {
          const { done, value } = await pieces.next();
          if (done) return controller.close();
          sent.add(value);
          controller.enqueue(value);
        } catch (thrown) {
          cut(c, controller, thrown);
        }
      },
      cancel: async () => {
        await pieces.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

/**
 * The status is sent, and says that all is well: who reads can tell only by the connection, which ends before its time.
 * It ends here, because the adapter would tell of whatever is thrown on the console, past the log.
 */
function cut(c: EdgeContext, controller: ReadableStreamDefaultController, thrown: unknown): void {
  logFault(c, toCairnError(thrown));
  const outgoing = c.env?.outgoing;
  if (outgoing === undefined) {
    controller.error(thrown);
    return;
  }
  outgoing.destroy();
  controller.close();
}

/**
 * Gives memory back as soon as it is sent. Left to the garbage collector, which counts it for little, tens of megabytes
 * would pile up for each stream before anything is collected.
 */
class SentPieces {
  readonly #outgoing: EdgeContext['env']['outgoing'];
  #pieces: Piece[] = [];

  constructor(c: EdgeContext) {
    // None when the app is called without a server: then nobody can tell how long a piece is needed.
    this.#outgoing = c.env?.outgoing;
  }

  add(piece: Piece): void {
    if (this.#outgoing !== undefined) this.#pieces.push(piece);
  }

  /** Whoever asks for the next piece has written those before; once nothing waits to be sent, they are with the system. */
  release(): void {
    if (!this.#outgoing?.headersSent || this.#outgoing.writableLength > 0) return;
    for (const { buffer } of this.#pieces.splice(0)) buffer.transfer(0);
  }
}
