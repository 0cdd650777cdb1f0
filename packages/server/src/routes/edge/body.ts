// Reading a request's body, up to its limit.
import { TextDecoder } from 'node:util';
import { CairnError, fail } from '@cairn/protocol/errors';
import type { EdgeContext } from './env.ts';

const SLOW_MS = 250;

interface BodyOptions {
  readonly contentType: string;
  readonly maxBytes: number;
}

export async function readBody(c: EdgeContext, { contentType, maxBytes }: BodyOptions): Promise<string> {
  const given = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (given !== contentType) {
    throw fail('UNSUPPORTED_MEDIA_TYPE', {
      message: `Send the body as ${contentType}, not ${given ?? 'without a type'}.`,
    });
  }
  const declared = Number(c.req.header('content-length') ?? 0);
  if (declared > maxBytes) throw tooLarge(maxBytes);
  const begun = performance.now();
  const text = await readText(c.req.raw.body, maxBytes);
  // Or who is about to lose a right could hold a request open, and use it afterwards.
  if (performance.now() - begun > SLOW_MS) await c.var.authenticateAgain();
  return text;
}

/** Counts while it reads: a chunked body declares no length. */
async function readText(stream: ReadableStream<Uint8Array> | null, maxBytes: number): Promise<string> {
  if (stream === null) return '';
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let bytes = 0;
  try {
    for await (const chunk of stream) {
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
