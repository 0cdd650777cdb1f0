// Requests to an app without a port. They pass through Node's own HTTP server, on a socket file.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  request as sendRequest,
} from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';

export type AppRequest = (target: string | URL, init?: RequestInit) => Promise<Response>;

// These headers depend on the connection or the clock.
const OF_TRANSPORT = ['connection', 'date', 'keep-alive', 'transfer-encoding'];
const BODYLESS = [204, 304];

export function requestTo(listener: RequestListener): AppRequest {
  let opened: Promise<string> | undefined;
  return async (target, init) => {
    opened ??= openSocket(createServer({ joinDuplicateHeaders: true }, listener));
    const asked = new Request(String(target).startsWith('/') ? `http://localhost${target}` : target, init);
    const { pathname, search, host } = new URL(asked.url);
    const headers = { host, ...Object.fromEntries(asked.headers) };
    const place = { socketPath: await opened, agent: false, method: asked.method, path: `${pathname}${search}` };
    const sent = sendRequest({ ...place, headers });
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      sent.once('response', resolve).once('error', reject);
    });
    sent.end(asked.body === null ? undefined : Buffer.from(await asked.arrayBuffer()));
    return toResponse(await answered);
  };
}

let folder: string | undefined;
let sockets = 0;

async function openSocket(server: Server): Promise<string> {
  if (folder === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'cairn-app-'));
    process.once('exit', () => rmSync(made, { recursive: true, force: true }));
    folder = made;
  }
  const path = join(folder, `${sockets++}`);
  // Nobody closes an app, so its server must not keep the process alive.
  await once(server.listen(path).unref(), 'listening');
  return path;
}

function toResponse(answer: IncomingMessage): Response {
  const { statusCode: status = 0, rawHeaders } = answer;
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? '';
    if (!OF_TRANSPORT.includes(name)) headers.append(name, rawHeaders[at + 1] ?? '');
  }
  const isBodyless = BODYLESS.includes(status);
  if (isBodyless) answer.resume();
  return new Response(isBodyless ? null : (Readable.toWeb(answer) as ReadableStream), { status, headers });
}
