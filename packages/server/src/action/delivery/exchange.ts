// One request and its answer, over a connection of its own to an address that was checked.
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { connectTimeout, OutboundError, reasonOf, timeout } from './failure.ts';
import type { OutboundAnswer, OutboundRequest } from './outbound.ts';
import type { Pinned } from './resolve.ts';
import type { Target } from './target.ts';

const ANSWER_BYTES_MAX = 64 * 1_024;
const HEADER_BYTES_MAX = 16 * 1_024;

export interface Exchange {
  readonly target: Target;
  readonly addresses: readonly Pinned[];
  readonly connectMs: number;
  readonly totalMs: number;
  readonly ca: string | undefined;
}

export type Answer = Pick<OutboundAnswer, 'status' | 'headers' | 'body' | 'truncated'>;

export async function exchange(request: OutboundRequest, terms: Exchange): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const client = open(request, terms);
  const connecting = setTimeout(() => reject(connectTimeout(terms.connectMs)), terms.connectMs);
  const running = setTimeout(() => reject(timeout(terms.totalMs)), terms.totalMs);
  const progress = watchProgress(client, { target: terms.target, onConnected: () => clearTimeout(connecting) });
  const failed = (error: Error) => reject(explain(error, { target: terms.target, ...progress }));
  client.on('error', failed);
  client.on('response', (response) => readAnswer(response, request.answerBytesMax).then(resolve, failed));
  client.end(request.body);
  try {
    return await promise;
  } finally {
    clearTimeout(connecting);
    clearTimeout(running);
    client.destroy();
  }
}

function open({ method, headers, body, signal }: OutboundRequest, terms: Exchange): ClientRequest {
  const { target, addresses, ca } = terms;
  const send = target.url.protocol === 'https:' ? requestHttps : requestHttp;
  return send(target.url, {
    method,
    headers: {
      'user-agent': 'Cairn',
      ...headers,
      'accept-encoding': 'identity',
      connection: 'close',
      ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
    },
    // A connection for each request: one that is kept open was checked for another name or another time.
    agent: false,
    lookup: pinnedTo(addresses),
    maxHeaderSize: HEADER_BYTES_MAX,
    rejectUnauthorized: true,
    ...(ca !== undefined && { ca }),
    ...(signal !== undefined && { signal }),
  });
}

/** Answers the addresses that were checked, whatever the name means by now. */
function pinnedTo(addresses: readonly Pinned[]): LookupFunction {
  const [first] = addresses;
  return (_name, { all }, answer) => {
    if (all || first === undefined) return answer(null, [...addresses]);
    answer(null, first.address, first.family);
  };
}

interface Progress {
  /** Something answered, whether or not it speaks TLS as it should. */
  reached: boolean;
  connected: boolean;
}

function watchProgress(
  client: ClientRequest,
  { target, onConnected }: { target: Target; onConnected: () => void },
): Progress {
  const progress: Progress = { reached: false, connected: false };
  client.on('socket', (socket) => {
    socket.once('connect', () => {
      progress.reached = true;
    });
    socket.once(target.url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
      progress.connected = true;
      onConnected();
    });
  });
  return progress;
}

const DROPPED: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

function explain(error: Error, { target, reached, connected }: Progress & { target: Target }): OutboundError {
  if (error instanceof OutboundError) return error;
  const reason = reasonOf(error);
  if (reached && !connected && !DROPPED.has(reason)) {
    const message = `${target.host} could not be trusted (${reason}). Give it a certificate for its name, from an authority that is widely trusted.`;
    return new OutboundError('TLS_ERROR', message);
  }
  const what = connected ? 'The connection broke off before the answer was complete' : 'There is no connection';
  const message = `${what}: ${target.host}, port ${target.port} (${reason}). Check that the target is up.`;
  return new OutboundError('NETWORK_ERROR', message);
}

/** The beginning of the answer is enough; the rest is not waited for, however long it is. */
async function readAnswer(response: IncomingMessage, bytesMax = ANSWER_BYTES_MAX): Promise<Answer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > bytesMax) break;
  }
  const body = toText(Buffer.concat(chunks).subarray(0, bytesMax));
  return { status: response.statusCode ?? 0, headers: toHeaders(response), body, truncated: length > bytesMax };
}

/** A character that was cut in two at the end is left out. Zero bytes are no text for PostgreSQL. */
function toText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', '\u{fffd}');
}

function toHeaders({ headers }: IncomingMessage): Record<string, string> {
  const given = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, [value].flat().join(', ')]));
}
