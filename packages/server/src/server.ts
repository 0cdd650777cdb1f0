// A running server: store, app and sockets, opened in order and closed in reverse.
import { createSecretKey, type KeyObject, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { CairnError, fail } from '@cairn/protocol/errors';
import type { Limits } from '@cairn/protocol/limits';
import { getRequestListener } from '@hono/node-server';
import type { Logger } from 'pino';
import { type AppOptions, createApp } from './app.ts';
import { checkSecret, deriveKey, loadSecret } from './auth/secret.ts';
import { deriveSigningKey } from './auth/session-token.ts';
import { type BlobStore, openBlobStore } from './blobs/blob-store.ts';
import { blobLocation, type Config, ConfigError, databaseFile, webFolder } from './config.ts';
import { startExportBuilds } from './jobs/export-build.ts';
import { buildIndexes } from './jobs/index-build.ts';
import { repeat } from './jobs/repetition.ts';
import { followSearchAtLeisure } from './jobs/search-index.ts';
import { sweep } from './jobs/sweep.ts';
import { createAccount, issueSetupCode } from './operations/account.ts';
import type { Keys } from './operations/context.ts';
import { createMetrics, METRICS_CONTENT_TYPE, type Metrics } from './routes/edge/metrics.ts';
import { createRateLimiter } from './routes/edge/rate-limit.ts';
import { createTokenUses } from './routes/edge/token-use.ts';
import { hasAccounts } from './store/account.ts';
import type { StoreLocation } from './store/database.ts';
import { openStore, type Store } from './store/store.ts';

// With the store's own time to close, within the 10 s that operators are promised.
const STOP_WITHIN_MS = 4_000;
const SWEEP_EVERY_MS = 3_600_000;
const INDEX_EVERY_MS = 1_000;
const SEARCH_EVERY_MS = 250;
const EXPORT_EVERY_MS = 500;

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
    const secret = loadSecret({ given: config.secret, folder: config.data });
    await checkSecret(store, secret);
    await createConfiguredOwner(store, config);
    const metrics = createMetrics(store);
    const limiter = createRateLimiter({ usage: store.usage, limits: config.limits, log });
    closing.push(() => limiter.close());
    if (config.metricsPort !== undefined) closing.push(await serveMetrics(metrics, config.metricsPort));
    // Simple load balancers send no Host; no address is made from it.
    const server = createServer({ requireHostHeader: false });
    const port = await listen(server, { port: config.port, host: config.host });
    closing.push(() => closeServer(server));
    const publicUrl = config.publicUrl ?? `http://localhost:${port}`;
    const settings = { ...config, publicUrl };
    const blobs = openBlobStore(blobLocation(config), { key: downloadKey(secret), publicUrl });
    closing.push(startJobs({ store, blobs, log, limits: config.limits }));
    const [keys, signingKey] = [deriveKeys(secret), deriveSigningKey(secret)];
    const tokenUses = createTokenUses({ usage: store.usage, log });
    closing.push(() => tokenUses.close());
    const deps = { store, blobs, log, metrics, limiter, tokenUses, settings, keys, signingKey, webFolder: webFolder() };
    const app = createApp(deps, options);
    const errorHandler = (error: unknown) => answerUnreadable(log, error);
    server.on('request', getRequestListener(app.fetch, { hostname: 'localhost', errorHandler }));
    server.on('clientError', (error, socket) => refuseUnreadable(log, error, socket as Socket));
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

export function deriveKeys(secret: string): Keys {
  const keyFor = (purpose: string) => createSecretKey(deriveKey(secret, purpose));
  return { cursor: keyFor('cursor'), entityTag: keyFor('entity tag'), exportToken: keyFor('export token') };
}

/** What links to downloads are signed with. */
export function downloadKey(secret: string): KeyObject {
  return createSecretKey(deriveKey(secret, 'download'));
}

interface JobDeps {
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly log: Logger;
  readonly limits: Limits;
}

function startJobs({ store, blobs, log, limits }: JobDeps): () => Promise<void> {
  const jobs = [
    {
      name: 'sweep',
      everyMs: SWEEP_EVERY_MS,
      work: (signal: AbortSignal) => sweep({ store, blobs }, Date.now(), signal),
    },
    { name: 'index build', everyMs: INDEX_EVERY_MS, work: (signal: AbortSignal) => buildIndexes(store, signal) },
    {
      name: 'search index',
      everyMs: SEARCH_EVERY_MS,
      work: (signal: AbortSignal) => followSearchAtLeisure(store, signal),
    },
  ];
  const stops = jobs.map(({ name, everyMs, work }) =>
    repeat({ everyMs, work, onError: (err) => log.error({ err, job: name }, 'A job failed; it is tried again.') }),
  );
  const onFailure = (err: unknown, details: object) => log.error({ err, ...details }, 'An export was not built.');
  stops.push(startExportBuilds({ store, blobs, limits, onFailure }, { everyMs: EXPORT_EVERY_MS }));
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}

/** Of nodes that start together one makes the owner, and the others find it made. */
async function createConfiguredOwner(store: Store, { ownerEmail, ownerPassword }: Config): Promise<void> {
  if (ownerEmail === undefined || ownerPassword === undefined || (await hasAccounts(store.database))) return;
  try {
    await createAccount(store, { email: ownerEmail, password: ownerPassword, operator: true });
  } catch (error) {
    if (error instanceof CairnError && error.code === 'ALREADY_EXISTS') return;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`CAIRN_OWNER_EMAIL or CAIRN_OWNER_PASSWORD cannot be used: ${reason}`, { cause: error });
  }
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
    const text = found ? await metrics.render().catch(() => undefined) : 'Only /metrics is here.\n';
    const status = text === undefined ? 500 : 404;
    response.writeHead(found && text !== undefined ? 200 : status, { 'content-type': METRICS_CONTENT_TYPE });
    response.end(text ?? 'The metrics cannot be read right now.\n');
  });
  await listen(server, { port, host: '127.0.0.1' });
  return () => closeServer(server);
}

// Requests that never become one for the app: an impossible host or target, headers beyond all measure, or not HTTP.
const UNREADABLE_STATUS: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

function unreadable(log: Logger, error: unknown) {
  const errorCode = error instanceof Error && 'code' in error ? String(error.code) : '';
  const status = UNREADABLE_STATUS[errorCode] ?? 400;
  const message = 'The request cannot be read: its target or headers are invalid, too large or incomplete.';
  const requestId = randomUUID();
  // Not the error itself: it may hold the bytes that were sent, and a bearer token among them.
  const reason = error instanceof Error ? error.message : 'none given';
  log.info({ requestId, status, code: errorCode, reason }, 'unreadable request');
  const body = JSON.stringify({ error: fail('VALIDATION_ERROR', { message }).fields });
  return { status, body, headers: { 'content-type': 'application/json', 'x-request-id': requestId } };
}

function answerUnreadable(log: Logger, error: unknown): Response {
  const { status, body, headers } = unreadable(log, error);
  return new Response(body, { status, headers });
}

function refuseUnreadable(log: Logger, error: Error, socket: Socket): void {
  if (!socket.writable) return;
  const { status, body, headers } = unreadable(log, error);
  const lines = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`);
}
