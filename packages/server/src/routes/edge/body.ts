// Reading a request's body: whole, up to its limits, or as a stream.
import { Readable } from 'node:stream';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import { TextDecoder } from 'node:util';
import { CairnError, fail } from '@cairn/protocol/errors';
import { scanJson } from '@cairn/protocol/json-scan';
import type { EdgeContext } from './env.ts';

/** A body that took longer may be that of a caller who has lost the right meanwhile. */
const SLOW_MS = 250;

interface BodyOptions {
  readonly contentType: string;
  readonly maxBytes: number;
}

export async function readBody(c: EdgeContext, { contentType, maxBytes }: BodyOptions): Promise<string> {
  requireContentType(c, contentType);
  requirePlain(c);
  const declared = Number(c.req.header('content-length') ?? 0);
  if (declared > maxBytes) throw tooLarge(maxBytes);
  const begun = performance.now();
  const text = await inTime(readText(bodyStream(c), maxBytes), c.get('deps').settings.limits.bodyMs);
  // Or who is about to lose a right could hold a request open, and use it afterwards.
  if (performance.now() - begun > SLOW_MS) await c.var.authenticateAgain();
  return text;
}

export function parseBody(text: string, maxDepth: number): unknown {
  try {
    scanJson(text, { maxDepth });
    return JSON.parse(text);
  } catch (error) {
    throw fail('VALIDATION_ERROR', { message: `The body is no JSON: ${(error as Error).message}`, cause: error });
  }
}

/** Parameters, such as a charset, may follow the type. */
export function requireContentType(c: EdgeContext, contentType: string): void {
  const given = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (given === contentType) return;
  throw fail('UNSUPPORTED_MEDIA_TYPE', {
    message: `Send the body as ${contentType}, not ${given ?? 'without a type'}.`,
  });
}

function requirePlain(c: EdgeContext): void {
  const encoding = c.req.header('content-encoding') ?? 'identity';
  if (encoding.toLowerCase() === 'identity') return;
  throw fail('UNSUPPORTED_MEDIA_TYPE', { message: 'Send the body as it is, without Content-Encoding.' });
}

/**
 * The body as it comes, which is read from the connection itself: the adapter makes a web stream of it only when somebody
 * asks for one. Without a server, as in tests, there is nothing but the web stream.
 */
export function bodyStream(c: EdgeContext): Readable {
  const incoming = c.env?.incoming;
  if (incoming !== undefined) return incoming as Readable;
  const { body } = c.req.raw;
  return body === null ? Readable.from([]) : Readable.fromWeb(body as NodeReadableStream);
}

/** The server itself sets no time for bodies, because a streaming submission takes as long as it takes. */
async function inTime(reading: Promise<string>, withinMs: number): Promise<string> {
  const late = Promise.withResolvers<never>();
  const message = `The body did not come within ${withinMs / 1000} seconds. Send it again.`;
  const timer = setTimeout(() => late.reject(fail('REQUEST_TIMEOUT', { message })), withinMs);
  try {
    return await Promise.race([reading, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Counts while it reads: a chunked body declares no length. */
async function readText(stream: Readable, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let bytes = 0;
  try {
    // Who sends too much is to be told so: the connection stays.
    for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      text += decode(decoder, chunk);
    }
  } catch (error) {
    if (error instanceof CairnError) throw error;
    // The client went away: no fault of ours, and nobody is left to read this.
    throw fail('VALIDATION_ERROR', { message: 'The body ended before it was complete. Send it again.', cause: error });
  }
  return text + decode(decoder);
}

function decode(decoder: TextDecoder, chunk?: Uint8Array): string {
  try {
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
  } catch (error) {
    throw fail('VALIDATION_ERROR', { message: 'The body is not valid UTF-8.', cause: error });
  }
}

function tooLarge(maxBytes: number) {
  return fail('PAYLOAD_TOO_LARGE', {
    message: `The body is larger than ${maxBytes} bytes. Send it in parts.`,
    details: { maxBytes },
  });
}
