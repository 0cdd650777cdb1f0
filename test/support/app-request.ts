// Requests to an app without a port. They pass through Node's own HTTP server, over a pair of streams in memory.
import { createServer, type IncomingMessage, type RequestListener, request as sendRequest } from 'node:http';
import { duplexPair, Readable } from 'node:stream';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';

export type AppRequest = (target: string | URL, init?: RequestInit) => Promise<Response>;

const BODYLESS = [204, 304];

export function requestTo(listener: RequestListener): AppRequest {
  const server = createServer({ joinDuplicateHeaders: true }, listener);
  return async (target, init) => {
    const asked = new Request(String(target).startsWith('/') ? `http://localhost${target}` : target, init);
    const { pathname, search, host } = new URL(asked.url);
    const [ours, theirs] = duplexPair();
    server.emit('connection', theirs);
    const headers = { host, ...Object.fromEntries(asked.headers) };
    const createConnection = () => ours as never;
    const sent = sendRequest({ createConnection, method: asked.method, path: `${pathname}${search}`, headers });
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      sent.once('response', resolve).once('error', reject);
    });
    sent.end(asked.body === null ? undefined : Buffer.from(await asked.arrayBuffer()));
    return toResponse(await answered);
  };
}

function toResponse(answer: IncomingMessage): Response {
  const { statusCode: status = 0, rawHeaders } = answer;
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  const isBodyless = BODYLESS.includes(status);
  if (isBodyless) answer.resume();
  return new Response(isBodyless ? null : (Readable.toWeb(answer) as NodeReadableStream as ReadableStream), {
    status,
    headers,
  });
}
