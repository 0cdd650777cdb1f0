// A running server: store, app and sockets, opened in order and closed in reverse.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { fail } from '@cairn/protocol/errors';
import { getRequestListener } from '@hono/node-server';
import type { Logger } from 'pino';
import { type AppOptions, createApp } from './app.ts';
import { checkSecret, loadSecret } from './auth/secret.ts';
import { type Config, databaseFile, webFolder } from './config.ts';
import { createAccount, issueSetupCode } from './operations/account.ts';
import { createMetrics, type Metrics } from './routes/edge/metrics.ts';
import { hasAccounts } from './store/account.ts';
import type { StoreLocation } from './store/database.ts';
import { openStore, type Store } from './store/store.ts';

const STOP_WITHIN_MS = 8_000;

export interface RunningServer {
  readonly url: string;
  readonly store: Store;
  /** Where the first owner is made; `undefined` when there is an account already. */
  readonly setupUrl: string | undefined;
  /** Takes no new requests, lets those in hand finish, and closes the store. */
  stop(): Promise<void>;
}

export async function startServer(config: Config, log: Logger, options: AppOptions = {}): Promise<RunningServer> {
  const closing: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const close of closing.splice(0).reverse()) await close();
  };
  try {
    const store = await openStore(storeLocation(config));
    closing.push(() => store.close());
    await checkSecret(store, loadSecret({ given: config.secret, folder: config.data }));
    await createConfiguredOwner(store, config);
    const metrics = createMetrics(store);
    if (config.metricsPort !== undefined) closing.push(await serveMetrics(metrics, config.metricsPort));
    const server = createServer();
    const port = await listen(server, { port: config.port, host: config.host });
    closing.push(() => closeServer(server));
    const publicUrl = config.publicUrl ?? `http://localhost:${port}`;
    const settings = { ...config, publicUrl };
    const app = createApp({ store, log, metrics, settings, webFolder: webFolder() }, options);
    server.on('request', getRequestListener(app.fetch, { errorHandler: answerUnreadable }));
    server.on('clientError', refuseUnreadable);
    const code = await issueSetupCode(store);
    return { url: publicUrl, store, setupUrl: code && `${publicUrl}/auth/setup?code=${code}`, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

export function storeLocation(config: Config): StoreLocation {
  return config.databaseUrl === undefined
    ? { engine: 'sqlite', file: databaseFile(config) }
    : { engine: 'postgres', url: config.databaseUrl };
}

async function createConfiguredOwner(store: Store, { ownerEmail, ownerPassword }: Config): Promise<void> {
  if (ownerEmail === undefined || ownerPassword === undefined || (await hasAccounts(store.database))) return;
  await createAccount(store, { email: ownerEmail, password: ownerPassword, operator: true });
}

interface ListenAddress {
  readonly port: number;
  readonly host: string;
}

function listen(server: Server, { port, host }: ListenAddress): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((done) => {
    // A request that does not end by itself is cut; waiting for ever would make the operator kill us.
    const cut = setTimeout(() => server.closeAllConnections(), STOP_WITHIN_MS);
    server.close(() => {
      clearTimeout(cut);
      done();
    });
    server.closeIdleConnections();
  });
}

async function serveMetrics(metrics: Metrics, port: number): Promise<() => Promise<void>> {
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const found = request.url === '/metrics';
    response.writeHead(found ? 200 : 404, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
    response.end(found ? await metrics.render() : 'Only /metrics is here.\n');
  });
  await listen(server, { port, host: '127.0.0.1' });
  return () => closeServer(server);
}

// Requests that never become one for the app: an impossible host or target, or not HTTP at all.
const unreadable = fail('VALIDATION_ERROR', {
  message: 'The request cannot be read: its target or a header is invalid.',
});

function unreadableParts() {
  const body = JSON.stringify({ error: unreadable.fields });
  return { body, headers: { 'content-type': 'application/json', 'x-request-id': randomUUID() } };
}

function answerUnreadable(): Response {
  const { body, headers } = unreadableParts();
  return new Response(body, { status: unreadable.status, headers });
}

function refuseUnreadable(_error: Error, socket: Socket): void {
  if (!socket.writable) return;
  const { body, headers } = unreadableParts();
  const lines = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' });
  socket.end(
    `HTTP/1.1 400 Bad Request\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  );
}
