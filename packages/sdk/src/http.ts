// Plain requests beside the procedures: for what is streamed, and for what is downloaded.
import { CairnError, ERRORS, type ErrorBody, type ErrorCode, fail, isErrorCode } from '@cairn/protocol/errors';
import { stopIfAborted } from './abort.ts';
import { type CallerOptions, sendAs, sendOnceAs } from './caller.ts';
import { type Bytes, chunksOf } from './line.ts';
import type { RetryOptions } from './retry.ts';

/** Where the server is, who asks, and how. */
export interface HttpOptions extends CallerOptions {
  /** Where the server is, such as `https://cairn.example.com`. */
  readonly url: string;
  /** Takes the place of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** How reads, commits with a submission id, exports, imports and streams are tried again. */
  readonly retry?: RetryOptions | undefined;
}

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

interface Request {
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal | undefined;
}

interface Upload extends Request {
  /** A stream is sent while the answer to it is read, where the runtime can do that. */
  readonly body: Bytes | ReadableStream<Bytes>;
}

export interface Http {
  readonly retry: RetryOptions;
  /** Whether a token that the server refuses may be followed by another. */
  readonly tokenChanges: boolean;
  /** What the server answers below its address; a refusal is thrown. */
  get(path: string, query: Query, request?: Request): Promise<Response>;
  post(path: string, query: Query, upload: Upload): Promise<Response>;
  /** What is at a signed URL, which may be another server's: the token is not sent there. */
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
    return await accepted(await send(options, asked));
  };
  return {
    retry: options.retry ?? {},
    tokenChanges: options.getToken !== undefined,
    get: (path, query, given = {}) => ask(path, query, given),
    post: ask,
    download: (url, given = {}) => request(url, given),
  };
}

/** Below the path of the server's address, where it has one. */
export function addressOf(url: string, path: string): string {
  const base = url.endsWith('/') ? url : `${url}/`;
  if (URL.canParse(path, base)) return new URL(path, base).href;
  throw fail('VALIDATION_ERROR', {
    message: `${JSON.stringify(url)} is no address of a server. Write it whole, such as http://localhost:8787.`,
  });
}

export function noAnswer(url: string, cause: unknown): CairnError {
  return fail('NETWORK_ERROR', {
    message: `No usable answer from ${url}: ${reasonOf(cause)}. Is it the address of a Cairn server, and is it running?`,
    cause,
  });
}

/** What went wrong, in words: `fetch` says no more than that it failed, and keeps the reason behind it. */
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

/** Where a name has several addresses, none of which answers, the error has a code and no message. */
function wordsOf(error: Error): string {
  return error.message || ('code' in error ? String(error.code) : error.name);
}

function queryText(query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
  return parameters.size === 0 ? '' : `?${parameters}`;
}

/** An answer in JSON, which may end too early as any other. */
export async function jsonOf<Result>(answer: Response): Promise<Result> {
  try {
    return (await answer.json()) as Result;
  } catch (error) {
    throw noAnswer(originOf(answer), error);
  }
}

interface Cuttable {
  readonly signal: AbortSignal | undefined;
  /** The error for a body that ends too early. */
  readonly cut: (reason: string) => CairnError;
}

/** The bytes of an answer as they come; nobody asks for more than is used. */
export async function* bodyOf({ body }: Response, { signal, cut }: Cuttable): AsyncGenerator<Bytes, void> {
  if (body === null) return;
  try {
    yield* chunksOf(body);
  } catch (error) {
    stopIfAborted(signal);
    throw cut(reasonOf(error));
  }
}

/** What was answered, unless it is a refusal, which is thrown. */
export async function accepted(answer: Response): Promise<Response> {
  if (answer.ok) return answer;
  // A refusal that was cut says nothing: what was refused, and why, is only in all of it.
  const text = await answer.text().catch((error: unknown) => {
    throw noAnswer(originOf(answer), error);
  });
  throw refusalIn(answer, text);
}

export function refusalIn(answer: Response, text: string): CairnError {
  return sentError(text) ?? foreignError(answer);
}

function sentError(text: string): CairnError | undefined {
  try {
    const { code, ...rest } = (JSON.parse(text) as ErrorBody).error;
    return isErrorCode(code) ? new CairnError(code, rest) : undefined;
  } catch {
    return undefined;
  }
}

/** Something between here and the server has answered, such as a proxy. */
export function foreignError(answer: Response): CairnError {
  const { status } = answer;
  const codes = Object.keys(ERRORS) as ErrorCode[];
  const refused = status < 500 ? codes.find((code) => ERRORS[code].status === status) : undefined;
  return fail(refused ?? 'NETWORK_ERROR', {
    message: `${originOf(answer)} answered ${status}, but not as a Cairn server does. Is it the address of one?`,
    ...retryAfterOf(answer),
  });
}

/** When a server that is no Cairn wants to be asked again: in so many seconds, or at a time. */
export function retryAfterOf({ headers }: Response): { retryAfter?: number } {
  const text = headers.get('retry-after') ?? '';
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - Date.now()) / 1_000);
  return Number.isFinite(seconds) ? { retryAfter: Math.max(0, seconds) } : {};
}

/** An answer of a `fetch` that was given need not say where it is from. */
function originOf({ url }: Response): string {
  return URL.canParse(url) ? new URL(url).origin : 'the server';
}
