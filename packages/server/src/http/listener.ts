// The sockets of the server: arrival timeouts, connection limits, unreadable requests and shutdown.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Server as NetServer, Socket } from 'node:net';
import { fail } from '@cairn/protocol/errors';
import type { Logger } from 'pino';
import { lastAnswerTo } from './arrival.ts';

// Together with the store's own closing time, this stays within the 10 s promised to operators.
const STOP_WITHIN_MS = 4_000;
const CLOSE_IDLE_EVERY_MS = 50;

interface Connection {
  readonly timer: NodeJS.Timeout;
  noted: ServerResponse | undefined;
}

type Connections = Map<Socket, Connection>;

const connections = new WeakMap<Server, Connections>();

interface ConnectionRules {
  readonly headersMs: number;
  /** 0 means no limit. */
  readonly addressConnections: number;
  /** Maps an address to the network that shares the limit; `undefined` for trusted proxies, which have none. */
  readonly counted: (address: string | undefined) => string | undefined;
}

export function createHttpServer(log: Logger, rules: ConnectionRules): Server {
  const open: Connections = new Map();
  const isTooMany = countByAddress(rules);
  const server = createServer({
    // Checked in `arrival.ts`, so that the client gets a JSON error.
    requireHostHeader: false,
    // Otherwise the second of two credentials would be dropped silently.
    joinDuplicateHeaders: true,
    // `endIdle` replaces it.
    headersTimeout: 0,
    // A streaming submission may take any time. Code that reads a body sets its own timeout.
    requestTimeout: 0,
  });
  connections.set(server, open);
  server.on('connection', (socket) => {
    if (isTooMany(socket)) return void socket.destroy();
    const timer = setTimeout(() => endIdle(log, socket, open.get(socket)), rules.headersMs).unref();
    open.set(socket, { timer, noted: undefined });
    socket.once('close', () => {
      clearTimeout(timer);
      open.delete(socket);
    });
  });
  server.on('clientError', (error, socket) =>
    refuseUnreadable(log, error, { socket: socket as Socket, answer: lastAnswerTo(socket as Socket) }),
  );
  return server;
}

/** Ends a connection that waits for headers for the whole time. An answer counts from when the timer found it over. */
function endIdle(log: Logger, socket: Socket, connection: Connection | undefined): void {
  if (connection === undefined) return;
  const { noted, timer } = connection;
  const answer = lastAnswerTo(socket);
  if (answer === noted) {
    refuseUnreadable(log, new LateError(), { socket, answer: undefined });
    return;
  }
  if (answer?.closed) connection.noted = answer;
  timer.refresh();
}

function countByAddress({ addressConnections, counted }: ConnectionRules): (socket: Socket) => boolean {
  const counts = new Map<string, number>();
  return (socket) => {
    const key = addressConnections === 0 ? undefined : counted(socket.remoteAddress);
    if (key === undefined) return false;
    const count = counts.get(key) ?? 0;
    if (count >= addressConnections) return true;
    counts.set(key, count + 1);
    socket.once('close', () => {
      const left = (counts.get(key) ?? 1) - 1;
      if (left === 0) counts.delete(key);
      else counts.set(key, left);
    });
    return false;
  };
}

class LateError extends Error {
  readonly code = 'ERR_HTTP_REQUEST_TIMEOUT';
  override readonly message = 'The headers did not arrive in time. Send the request again.';
}

interface ListenAddress {
  readonly port: number;
  readonly host: string;
  readonly reusePort?: boolean;
}

export function listen(server: NetServer, { port, host, reusePort = false }: ListenAddress): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, reusePort }, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Holds early requests, because the app needs the port to be known before it can be made. */
export function holdRequests(server: Server): (serve: RequestListener) => void {
  const held: Parameters<RequestListener>[] = [];
  const hold: RequestListener = (...request) => void held.push(request);
  server.on('request', hold);
  return (serve) => {
    server.off('request', hold);
    server.on('request', serve);
    for (const request of held) serve(...request);
  };
}

export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((done) => server.close(() => done()));
  // Otherwise the operator's supervisor would have to kill the process.
  const cut = setTimeout(() => server.closeAllConnections(), STOP_WITHIN_MS);
  const close = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
  await closed;
  await Promise.all([...(connections.get(server)?.keys() ?? [])].map((socket) => once(socket, 'close')));
  clearTimeout(cut);
  clearInterval(close);
}

interface Refused {
  readonly socket: Socket;
  readonly answer: ServerResponse | undefined;
}

const UNREADABLE_STATUS: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

function refuseUnreadable(log: Logger, error: Error, { socket, answer }: Refused): void {
  if (!socket.writable) return;
  // An error response in the middle of another response would become part of its body.
  if (answer?.headersSent && !answer.writableEnded) {
    socket.destroy();
    return;
  }
  if (answer?.writableEnded && !answer.shouldKeepAlive) return;
  const errorCode = 'code' in error ? String(error.code) : '';
  const status = UNREADABLE_STATUS[errorCode] ?? 400;
  const message = 'The target or the headers of the request are invalid, too large or incomplete. Check the request.';
  const requestId = randomUUID();
  // The error itself may hold raw bytes with a bearer token, so only its message is logged.
  log.info({ requestId, status, code: errorCode, reason: error.message }, 'A request could not be read.');
  const body = JSON.stringify({ error: fail('VALIDATION_ERROR', { message }).fields });
  const headers = { 'content-type': 'application/json', 'x-request-id': requestId };
  const lines = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`);
  // Otherwise a client that never closes its end would keep the connection open.
  socket.destroySoon();
}
