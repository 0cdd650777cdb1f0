// The only place that makes responses. Changing one afterwards would take it off the adapter's fast path.
import { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { HttpBindings } from '@hono/node-server';
import { authorOf } from '../access/audit.ts';
import { corsHeaders, preflightHeaders } from './cors.ts';
import type { EdgeContext } from './env.ts';
import { logFault, toCairnError } from './error.ts';

const compress = promisify(gzip);
// Below this size the header costs more than compression saves.
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
export const EXPLORER_POLICY = `${PAGE_POLICY}; script-src 'self'; connect-src 'self'`;

// People put secrets into URLs by mistake. These patterns keep them out of the log.
const QUERY_NAME = /^[A-Za-z]{1,20}$/;
const BEARER_FORM = /cairn_[a-z]+_\w+|eyJ[\w-]+\.[\w.-]+/g;

interface Answer {
  readonly status?: number;
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream | null;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookies?: readonly string[] | undefined;
}

export function answer(
  c: EdgeContext,
  { status = 200, body, contentType, headers, cookies }: Answer,
): Response | Promise<Response> {
  const all = allHeaders(c, { contentType, headers });
  // The adapter would otherwise buffer to learn the length. Must not be combined with a content-length.
  if (body instanceof ReadableStream && all['content-length'] === undefined) all['transfer-encoding'] = 'chunked';
  record(c, status);
  if (cookies !== undefined) return new Response(body, { status, headers: withCookies(all, cookies) });
  if (
    isBuffered(body) &&
    isCompressible(contentType) &&
    all['content-encoding'] === undefined &&
    body.length >= COMPRESS_FROM_BYTES
  ) {
    return answerCompressed(c, { status, body, headers: all });
  }
  return new Response(body, { status, headers: all });
}

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

/** For long streams: a framework response takes twice the memory. The handler then returns `ANSWERED`. */
export function openAnswer(c: EdgeContext, { contentType, headers }: Omit<Answer, 'body' | 'status'>): ServerResponse {
  const outgoing = c.env?.outgoing;
  if (!(outgoing instanceof ServerResponse)) throw new Error('the app is called without a server to write to');
  outgoing.writeHead(200, allHeaders(c, { contentType, headers }));
  record(c, 200);
  return outgoing;
}

/** For code that writes the response itself. The handler then returns `ANSWERED`. */
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

/** Streams are not compressed: clients that resume or verify a digest count their bytes. */
function isBuffered(body: Answer['body']): body is Compressed['body'] {
  return body !== null && !(body instanceof ReadableStream);
}

interface Compressed {
  readonly status: number;
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly headers: Record<string, string>;
}

// Compresses on the thread pool, so that large responses do not block others.
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
  // Only the names of query parameters are logged: values may be secret.
  const query = [...new Set(Object.keys(c.req.queries()).map(shownName))];
  const who = authorOf(c.get('principal'));
  const shownPath = path.replaceAll(BEARER_FORM, '…');
  const requestId = c.get('requestId');
  log.info({ requestId, method, path: shownPath, ...(query.length > 0 && { query }), status, ms, who }, 'request');
}

function shownName(name: string): string {
  return QUERY_NAME.test(name) ? name : '…';
}

type Piece = Uint8Array<ArrayBuffer>;
type Pieces = Pick<AsyncGenerator<Piece>, 'next' | 'return'>;

/** Pulls the next piece only after the client took the previous one. A disconnect ends the work. */
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
 * Only a broken connection can signal a failure after the status. The adapter would print a thrown error, so log it
 * here.
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
 * Frees buffers once sent. The garbage collector underestimates them, so tens of megabytes would pile up per stream.
 */
class SentPieces {
  readonly #outgoing: EdgeContext['env']['outgoing'];
  #pieces: Piece[] = [];

  constructor(c: EdgeContext) {
    // `undefined` without a server, as in tests. Nothing then tells when a piece was sent.
    this.#outgoing = c.env?.outgoing;
  }

  add(piece: Piece): void {
    if (this.#outgoing !== undefined) this.#pieces.push(piece);
  }

  // Once nothing waits in the stream's buffer, all earlier pieces are with the operating system.
  release(): void {
    if (!this.#outgoing?.headersSent || this.#outgoing.writableLength > 0) return;
    for (const { buffer } of this.#pieces.splice(0)) buffer.transfer(0);
  }
}
