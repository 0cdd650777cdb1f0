// Plain HTTP requests outside of the procedures, such as streams and downloads.
import { CairnError, ERRORS, type ErrorBody, type ErrorCode, fail, isErrorCode } from '@cairn/protocol/errors';
import { type CallerOptions, sendAs, sendOnceAs } from './caller.ts';
import { type Bytes, chunksOf } from './line.ts';
import { type RetryOptions, stopIfAborted } from './retry.ts';

/** Address of the server, credentials of the caller, and transport options. */
export interface HttpOptions extends CallerOptions {
  /** Address of the server, such as `https://cairn.example.com`. */
  readonly url: string;
  /** Replacement for the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Retries of reads, commits with a submission id, exports, imports and streams. */
  readonly retry?: RetryOptions | undefined;
}

const EXAMPLE_URL = 'http://localhost:8787';

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

interface Request {
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal | undefined;
}

interface Upload extends Request {
  /** A stream is sent while its answer is read, if the runtime supports that. */
  readonly body: Bytes | ReadableStream<Bytes>;
}

export interface Http {
  readonly retry: RetryOptions;
  /** True if a refused token may be followed by another one. */
  readonly tokenChanges: boolean;
  /** Requests a path below the server's address. Throws if the server refuses. */
  get(path: string, query: Query, request?: Request): Promise<Response>;
  post(path: string, query: Query, upload: Upload): Promise<Response>;
  /** Requests a signed URL. It may point to another server, so the token is not sent. */
  download(url: string, request?: Request): Promise<Response>;
}

export function createHttp(options: HttpOptions): Http {
  const request = async (address: string, { headers = {}, signal, body }: Request & Partial<Upload>) => {
    try {
      const send = options.fetch ?? globalThis.fetch;
      const upload = body !== undefined && ({ method: 'POST', body: body as ReadableStream, duplex: 'half' } as const);
      return await send(address, { headers, ...upload, ...(signal !== undefined && { signal }) });
    } catch (error) {
      stopIfAborted(signal);
      throw noAnswer(new URL(address).origin, error);
    }
  };
  const ask = async (path: string, query: Query, { headers, ...rest }: Request & Partial<Upload>) => {
    const address = `${addressOf(options.url, path)}${queryText(query)}`;
    const send = rest.body instanceof ReadableStream ? sendOnceAs : sendAs;
    const asked = (caller: Record<string, string>) => request(address, { ...rest, headers: { ...headers, ...caller } });
    return await accepted(await send(options, asked), options.url);
  };
  return {
    retry: options.retry ?? {},
    tokenChanges: options.getToken !== undefined,
    get: (path, query, given = {}) => ask(path, query, given),
    post: ask,
    download: (url, given = {}) => request(url, given),
  };
}

/** Resolves the path below the path of the server's address, if it has one. */
export function addressOf(url: string, path: string): string {
  if (typeof url === 'string') {
    const base = url.endsWith('/') ? url : `${url}/`;
    if (URL.canParse(path, base) && /^https?:/i.test(base)) return new URL(path, base).href;
  }
  throw fail('VALIDATION_ERROR', { message: `${JSON.stringify(url)} is not a server address. ${howToWrite(url)}` });
}

const HOST_ALONE = /^(?:[\w-]+(?:\.[\w-]+)*|\[[0-9a-f:]+\])(?::\d+)?(?:\/|$)/i;

function howToWrite(url: unknown): string {
  if (typeof url !== 'string') return `Give it as a string, such as ${EXAMPLE_URL}.`;
  if (HOST_ALONE.test(url)) return `Write http:// or https:// before it: http://${url}.`;
  return `Write it in full, such as ${EXAMPLE_URL}.`;
}

export function noAnswer(url: string, cause: unknown): CairnError {
  return fail('NETWORK_ERROR', {
    message: `No usable answer from ${url}: ${reasonOf(cause)}. Is it the address of a Cairn server, and is it running?`,
    cause,
  });
}

/** Describes the error with its causes: the message of `fetch` alone says only that it failed. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const reasons: string[] = [];
  for (let one: unknown = error; one instanceof Error && reasons.length < REASONS_MAX; one = one.cause) {
    reasons.push(wordsOf(one));
  }
  const [first = '', ...behind] = new Set(reasons);
  return behind.length === 0 ? first : `${first} (${behind.join(': ')})`;
}

const REASONS_MAX = 5;

/** If a name has several addresses and none answers, the error has a code but no message. */
function wordsOf(error: Error): string {
  if (error instanceof SyntaxError) return 'it is not valid JSON, or it is incomplete';
  return error.message || ('code' in error ? String(error.code) : error.name);
}

function queryText(query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
  return parameters.size === 0 ? '' : `?${parameters}`;
}

export async function jsonOf<Result>(answer: Response, url?: string): Promise<Result> {
  if (isPage(answer)) throw foreignError(answer, url);
  try {
    return (await answer.json()) as Result;
  } catch (error) {
    throw noAnswer(originOf(answer), error);
  }
}

interface Cuttable {
  readonly signal: AbortSignal | undefined;
  readonly cut: (reason: string) => CairnError;
}

/** Yields the body as it arrives, and reads no more than the consumer asks for. */
export async function* bodyOf({ body }: Response, { signal, cut }: Cuttable): AsyncGenerator<Bytes, void> {
  if (body === null) return;
  try {
    yield* chunksOf(body);
  } catch (error) {
    stopIfAborted(signal);
    throw cut(reasonOf(error));
  }
}

/** Returns a successful answer and throws a refusal. `url` is the server's address as it was given. */
export async function accepted(answer: Response, url?: string): Promise<Response> {
  if (answer.ok) return answer;
  // A truncated refusal is useless: its code and its reason need the whole body.
  const text = await answer.text().catch((error: unknown) => {
    throw noAnswer(originOf(answer), error);
  });
  throw refusalIn(answer, text, url);
}

export function refusalIn(answer: Response, text: string, url?: string): CairnError {
  return sentError(text) ?? foreignError(answer, url);
}

function sentError(text: string): CairnError | undefined {
  try {
    const { code, ...rest } = (JSON.parse(text) as ErrorBody).error;
    return isErrorCode(code) ? new CairnError(code, rest) : undefined;
  } catch {
    return undefined;
  }
}

/** Something other than a Cairn server has answered: a proxy in front of it, or another server at this address. */
export function foreignError(answer: Response, url: string = originOf(answer)): CairnError {
  const { status } = answer;
  const codes = Object.keys(ERRORS) as ErrorCode[];
  const refused = status < 500 ? codes.find((code) => ERRORS[code].status === status) : undefined;
  return fail(refused ?? 'NETWORK_ERROR', { message: foreignWords(status, url), ...retryAfterOf(answer) });
}

/** Statuses that point to another server at this address, rather than to a proxy in front of Cairn. */
const NOT_THERE: ReadonlySet<number> = new Set([400, 404, 405, 410]);

function foreignWords(status: number, url: string): string {
  if (status >= 400 && !NOT_THERE.has(status)) {
    const between = `${url} answered ${status}, but not like a Cairn server: something in front of it, such as a proxy,`;
    return status < 500 ? `${between} refuses the request.` : `${between} cannot reach the server. Try again later.`;
  }
  const origin = URL.canParse(url) ? new URL(url).origin : undefined;
  const hasPath = origin !== undefined && url.replace(/\/$/, '') !== origin;
  const right = hasPath ? `without the path, such as ${origin}` : `such as ${EXAMPLE_URL}`;
  return `There is no Cairn server at ${url}, which answered ${status}. Give the address of a Cairn server, ${right}.`;
}

/** Cairn never answers a program with an HTML page. */
export function isPage({ headers }: Response): boolean {
  return headers.get('content-type')?.includes('html') === true;
}

/** Reads the `retry-after` header of a foreign server: a number of seconds, or a date. */
export function retryAfterOf({ headers }: Response): { retryAfter?: number } {
  const text = headers.get('retry-after') ?? '';
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - Date.now()) / 1_000);
  return Number.isFinite(seconds) ? { retryAfter: Math.max(0, seconds) } : {};
}

/** The answer of a custom `fetch` may have no URL. */
function originOf({ url }: Response): string {
  return URL.canParse(url) ? new URL(url).origin : 'the server';
}
