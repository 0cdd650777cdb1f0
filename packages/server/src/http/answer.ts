// The only place that writes answers, besides code that `openAnswer` or `handOver` let write itself.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { type DestinationStream, type Logger, symbols } from 'pino';
import { authorOf } from '../access/access.ts';
import { corsHeaders, preflightHeaders } from './cors.ts';
import { logFault, toCairnError } from './error.ts';
import { ANSWERED, type Answered, type Exchange } from './exchange.ts';

const compress = promisify(gzip);
const COMPRESS_FROM_BYTES = 1_024;

const SECURITY_HEADERS = [
  ...['x-content-type-options', 'nosniff'],
  ...['x-frame-options', 'DENY'],
  ...['cross-origin-opener-policy', 'same-origin'],
];
const SECURE_HEADERS = [...SECURITY_HEADERS, 'strict-transport-security', 'max-age=31536000'];
const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'";
export const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
export const EXPLORER_POLICY = `${PAGE_POLICY}; script-src 'self'; connect-src 'self'`;

type Headers = Readonly<Record<string, string>>;

interface Answer {
  readonly status?: number;
  readonly body: string | Uint8Array | null;
  readonly contentType?: string | undefined;
  readonly headers?: Headers;
  readonly cookies?: readonly string[] | undefined;
}

export function answer(c: Exchange, given: Answer): Answered | Promise<Answered> {
  const { status = 200, body, contentType, headers = {}, cookies } = given;
  if (isCompressible(given)) return answerCompressed(c, { ...given, body: body ?? '' });
  return writeAnswer(c, { status, body, list: headerList(c, { contentType, headers, cookies }) });
}

interface Written {
  readonly status: number;
  readonly body: string | Uint8Array | null;
  /** Alternating names and values, which Node writes without looking at each. */
  readonly list: string[];
}

function writeAnswer(c: Exchange, { status, body, list }: Written): Answered {
  if (!begin(c, status)) return ANSWERED;
  if (body !== null) list.push('content-length', String(Buffer.byteLength(body)));
  else if (status !== 204 && status !== 304) list.push('content-length', '0');
  c.outgoing.writeHead(status, list).end(body);
  return ANSWERED;
}

/** False if the request is answered already. */
function begin(c: Exchange, status: number): boolean {
  if (c.isAnswered) return false;
  c.isAnswered = true;
  record(c, status);
  return true;
}

export function answerPreflight(c: Exchange): Answered | Promise<Answered> {
  return answer(c, { status: 204, body: null, headers: preflightHeaders() });
}

export function answerJson(
  c: Exchange,
  value: unknown,
  extra: Omit<Answer, 'body'> = {},
): Answered | Promise<Answered> {
  return answer(c, { ...extra, body: JSON.stringify(value), contentType: 'application/json' });
}

function headerList(c: Exchange, { contentType, headers = {}, cookies = [] }: Omit<Answer, 'body'>): string[] {
  const list = c.deps.settings.publicUrl.startsWith('https:') ? SECURE_HEADERS.slice() : SECURITY_HEADERS.slice();
  list.push('x-request-id', c.requestId);
  if (contentType !== undefined) list.push('content-type', contentType);
  if (headers['referrer-policy'] === undefined) list.push('referrer-policy', 'no-referrer');
  if (headers['content-security-policy'] === undefined) {
    list.push('content-security-policy', contentType?.startsWith('text/html') ? PAGE_POLICY : DATA_POLICY);
  }
  for (const name in headers) {
    if (name !== 'vary') list.push(name, headers[name] as string);
  }
  for (const cookie of cookies) list.push('set-cookie', cookie);
  if (c.header('origin') === undefined) {
    list.push('vary', headers.vary === undefined ? 'Origin' : `Origin, ${headers.vary}`);
    return list;
  }
  const cors = corsHeaders(c, headers.vary);
  for (const name in cors) list.push(name, cors[name] as string);
  return list;
}

export function openAnswer(
  c: Exchange,
  { contentType, headers = {}, status = 200 }: Omit<Answer, 'body' | 'cookies'>,
): ServerResponse {
  const list = headerList(c, { contentType, headers });
  if (begin(c, status)) c.outgoing.writeHead(status, list);
  return c.outgoing;
}

export function handOver(c: Exchange): { incoming: IncomingMessage; outgoing: ServerResponse } {
  const { incoming, outgoing } = c;
  const list = headerList(c, {});
  for (let at = 0; at < list.length; at += 2) outgoing.setHeader(list[at] as string, list[at + 1] as string);
  c.isAnswered = true;
  outgoing.once('close', () => record(c, outgoing.statusCode));
  return { incoming, outgoing };
}

function isCompressible({ body, contentType = '', headers }: Answer): boolean {
  if (body === null || body.length < COMPRESS_FROM_BYTES || headers?.['content-encoding'] !== undefined) return false;
  return /^(text\/|application\/(json|schema\+json|javascript)|image\/svg)/.test(contentType);
}

async function answerCompressed(
  c: Exchange,
  { status = 200, body, contentType, headers = {}, cookies }: Answer & { body: string | Uint8Array },
): Promise<Answered> {
  const vary = headers.vary === undefined ? 'Accept-Encoding' : `${headers.vary}, Accept-Encoding`;
  const list = headerList(c, { contentType, headers: { ...headers, vary }, cookies });
  if (!acceptsGzip(c.header('accept-encoding'))) return writeAnswer(c, { status, body, list });
  list.push('content-encoding', 'gzip');
  return writeAnswer(c, { status, body: await compress(body, { level: constants.Z_BEST_SPEED }), list });
}

function acceptsGzip(header: string | undefined): boolean {
  return header?.split(',').some((part) => /^\s*(gzip|\*)\s*(;(?!\s*q=0(\.0*)?\s*$).*)?$/.test(part)) ?? false;
}

type Piece = Uint8Array<ArrayBuffer>;
type Pieces = Pick<AsyncGenerator<Piece>, 'next' | 'return'>;

/**
 * Requests the next piece only after the operating system took the previous one, and frees that at once, because the
 * garbage collector underestimates buffers. Streams are not compressed: clients that resume count bytes.
 */
export async function answerPieces(
  c: Exchange,
  pieces: Pieces,
  given: Omit<Answer, 'body' | 'cookies'>,
): Promise<Answered> {
  const outgoing = openAnswer(c, given);
  if (c.method === 'HEAD') outgoing.end();
  outgoing.once('close', () => void pieces.return(undefined).catch(() => {}));
  try {
    while (outgoing.writable) {
      const { done, value } = await pieces.next();
      if (done) break;
      const isSent = await new Promise<boolean>((resolve) => {
        outgoing.write(value, (error) => resolve(error === undefined || error === null));
      });
      if (isSent) value.buffer.transfer(0);
    }
    outgoing.end();
  } catch (thrown) {
    // After the status, only a broken connection can report a failure.
    logFault(c, toCairnError(thrown));
    outgoing.destroy();
  } finally {
    // The client may have disconnected before anybody listened.
    await pieces.return(undefined).catch(() => {});
  }
  return ANSWERED;
}

// The record of each request: a log line and its duration.

// People put secrets into URLs by mistake. These patterns keep them out of the log.
const QUERY_NAME = /^[A-Za-z]{1,20}$/;
const ONE_PARAMETER = /^\?([A-Za-z]{1,20})=[^&]*$/;
const BEARER_FORM = /cairn_[a-z]+_\w+|eyJ[\w-]+\.[\w.-]+/g;

function record(c: Exchange, status: number): void {
  const { log, metrics } = c.deps;
  const { method, path, route, requestId, startedAt } = c;
  const ms = Math.round((performance.now() - startedAt) * 1000) / 1000;
  metrics.durations.observe({ method, route, status, ms });
  if (!log.isLevelEnabled('info')) return;
  const shown = path.includes('cairn_') || path.includes('eyJ') ? path.replaceAll(BEARER_FORM, '…') : path;
  const who = c.who ?? authorOf(c.principal);
  logRequest(log, { requestId, method, path: shown, query: queryNames(c), status, ms, who });
}

function queryNames(c: Exchange): string[] | undefined {
  if (c.search === '') return undefined;
  const [, only] = ONE_PARAMETER.exec(c.search) ?? [];
  if (only !== undefined) return [only];
  const names = [...new Set(c.searchParams.keys())].map((name) => (QUERY_NAME.test(name) ? name : '…'));
  return [...new Set(names)];
}

interface RequestLine {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly query: readonly string[] | undefined;
  readonly status: number;
  readonly ms: number;
  readonly who: string;
}

const INFO = 30;

/** Writes the format of all other lines by hand, because the general way costs three times as much. */
function logRequest(log: Logger, { requestId, method, path, query, status, ms, who }: RequestLine): void {
  const queried = query === undefined ? '' : `"query":${JSON.stringify(query)},`;
  const { [symbols.streamSym]: stream } = log as unknown as Record<symbol, DestinationStream>;
  stream?.write(
    `{"level":${INFO},"time":${Date.now()},"requestId":"${requestId}","method":"${method}","path":${JSON.stringify(path)},${queried}"status":${status},"ms":${ms},"who":${JSON.stringify(who)},"msg":"request"}\n`,
  );
}

interface ObservedRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly ms: number;
}

const DURATION = 'cairn_http_request_duration_seconds';
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Durations {
  readonly labels: string;
  readonly counts: number[];
  sum: number;
}

/** The histogram of the library builds a text from the labels for each request, which costs more than routing it. */
export class RequestDurations {
  readonly #byKey = new Map<string, Durations>();

  observe({ method, route, status, ms }: ObservedRequest): void {
    const key = `${method} ${status} ${route}`;
    let found = this.#byKey.get(key);
    if (found === undefined) {
      const labels = `method="${method}",route="${route}",status="${status}"`;
      found = { labels, counts: new Array(BUCKETS.length + 1).fill(0), sum: 0 };
      this.#byKey.set(key, found);
    }
    const seconds = ms / 1_000;
    let at = 0;
    while (at < BUCKETS.length && seconds > (BUCKETS[at] as number)) at++;
    found.counts[at] = (found.counts[at] as number) + 1;
    found.sum += seconds;
  }

  render(): string {
    const lines = [
      `# HELP ${DURATION} Time from the arrival of a request to its answer.`,
      `# TYPE ${DURATION} histogram`,
    ];
    for (const { labels, counts, sum } of this.#byKey.values()) {
      let total = 0;
      for (const [at, count] of counts.entries()) {
        total += count;
        lines.push(`${DURATION}_bucket{le="${BUCKETS[at] ?? '+Inf'}",${labels}} ${total}`);
      }
      lines.push(`${DURATION}_sum{${labels}} ${sum}`, `${DURATION}_count{${labels}} ${total}`);
    }
    return lines.join('\n');
  }
}
