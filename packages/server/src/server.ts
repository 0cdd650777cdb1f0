// A running server: store, app and sockets, opened in order and closed in reverse.
import { createSecretKey, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { CairnError } from '@cairn/protocol/errors';
import type { Limits } from '@cairn/protocol/limits';
import { getRequestListener } from '@hono/node-server';
import type { Logger } from 'pino';
import { type AppOptions, createApp } from './app.ts';
import { sealingKey } from './auth/sealing.ts';
import { deriveKey, fingerprintOf, openSecret } from './auth/secret.ts';
import { RELOAD_EVERY_MS, SigningKeys } from './auth/signing-keys.ts';
import { type BlobStore, openBlobStore } from './blobs/blob-store.ts';
import {
  blobLocation,
  type Config,
  ConfigError,
  databaseFile,
  docsFolder,
  externalSettings,
  mailSettings,
  webFolder,
} from './config.ts';
import { ExternalProvider } from './external/provider.ts';
import { answerUnreadable, closeServer, createHttpServer, holdRequests, listen } from './http-server.ts';
import { startDeliveries } from './jobs/delivery/delivery.ts';
import { startExportBuilds } from './jobs/export-build.ts';
import { buildIndexes } from './jobs/index-build.ts';
import { carryOutboxes } from './jobs/outbox.ts';
import { repeat } from './jobs/repetition.ts';
import { followSearchAtLeisure } from './jobs/search-index.ts';
import { sweep } from './jobs/sweep.ts';
import type { MailQueue } from './mail/mail.ts';
import { createMailQueue } from './mail/queue.ts';
import { createSmtp } from './mail/smtp.ts';
import { createAccount, issueSetupCode } from './operations/account.ts';
import type { Keys } from './operations/context.ts';
import { DeliveryMeter } from './operations/delivery-meter.ts';
import { createLive } from './operations/live.ts';
import { followSigningKey } from './operations/signing-key.ts';
import { createOutbound } from './outbound/client.ts';
import { createMetrics, METRICS_CONTENT_TYPE, type Metrics } from './routes/edge/metrics.ts';
import { createRateLimiter, type RateLimiter } from './routes/edge/rate-limit.ts';
import { createTokenUses } from './routes/edge/token-use.ts';
import { hasAccounts } from './store/account.ts';
import type { StoreLocation } from './store/database.ts';
import { openStore, type Store } from './store/store.ts';

const SWEEP_EVERY_MS = 3_600_000;
const INDEX_EVERY_MS = 1_000;
const SEARCH_EVERY_MS = 250;
const EXPORT_EVERY_MS = 500;
const OUTBOX_EVERY_MS = 250;
const DELIVERY_EVERY_MS = 250;

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
    const secret = await openSecret(store, { given: config.secret, folder: config.data });
    await createConfiguredOwner(store, config);
    const live = createLive(store, {
      onError: (err) => log.error({ err }, 'Live streams are behind; it is tried again.'),
    });
    const deliveries = new DeliveryMeter();
    const metrics = createMetrics({ store, live, deliveries });
    const limiter = createRateLimiter({ usage: store.usage, limits: config.limits, log });
    closing.push(() => limiter.close());
    const mail = openMail(config, { limiter, log });
    if (mail !== undefined) closing.push(() => mail.close());
    if (config.metricsPort !== undefined) closing.push(await serveMetrics(metrics, config.metricsPort));
    const server = createHttpServer(log);
    const serve = holdRequests(server);
    const port = await listen(server, { port: config.port, host: config.host });
    closing.push(() => closeServer(server));
    const publicUrl = config.publicUrl ?? `http://localhost:${port}`;
    const settings = { ...config, publicUrl };
    const blobs = openBlobStore(blobLocation(config), { key: downloadKey(secret), publicUrl });
    const signingKeys = new SigningKeys({ reader: store.database, secret });
    await signingKeys.reload();
    const { limits, runRetentionDays } = config;
    closing.push(startJobs({ store, blobs, log, signingKeys, limits, runRetentionDays }));
    const keys = deriveKeys(secret);
    const tokenUses = createTokenUses({ usage: store.usage, log });
    closing.push(() => tokenUses.close());
    // Before the sockets, which wait for what they serve.
    closing.push(() => live.close());
    const outbound = createOutbound({ allow: config.outboundAllow });
    const onFailure = (err: unknown, details: object) =>
      log.error({ err, ...details }, 'A delivery was not looked after.');
    const { webhookRetrySeconds } = config;
    const deliverer = { store, keys, outbound, publicUrl, webhookRetrySeconds, meter: deliveries, onFailure };
    closing.push(await startDeliveries(deliverer, { everyMs: DELIVERY_EVERY_MS }));
    const stopping = new AbortController();
    const edge = { log, live, metrics, limiter, tokenUses, settings, keys, signingKeys, stopping: stopping.signal };
    const externalProvider = openExternalProvider(config, publicUrl);
    const beside = { blobs, outbound, mail, externalProvider, webFolder: webFolder(), docsFolder: docsFolder() };
    const app = createApp({ ...edge, ...beside, store }, options);
    const errorHandler = (error: unknown) => answerUnreadable(log, error);
    serve(getRequestListener(app.fetch, { hostname: 'localhost', errorHandler }));
    // First of all, so that they are over when the connections are to close.
    closing.push(async () => stopping.abort());
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

export function openMail(
  config: Config,
  { limiter, log }: { limiter: RateLimiter; log: Logger },
): MailQueue | undefined {
  const settings = mailSettings(config);
  if (settings === undefined) return undefined;
  return createMailQueue({ send: createSmtp(settings.smtp, settings.from), allow: limiter.mayMail, log });
}

/** Asked for nothing before somebody signs in there. */
export function openExternalProvider(config: Config, publicUrl: string): ExternalProvider | undefined {
  const settings = externalSettings(config);
  return settings && new ExternalProvider(settings, { redirectUri: `${publicUrl}/auth/external/callback` });
}

export function deriveKeys(secret: string): Keys {
  const keyFor = (purpose: string) => createSecretKey(deriveKey(secret, purpose));
  return {
    cursor: keyFor('cursor'),
    entityTag: keyFor('entity tag'),
    exportToken: keyFor('export token'),
    externalFlow: keyFor('external sign-in'),
    fingerprint: fingerprintOf(secret),
    liveTicket: keyFor('live ticket'),
    oauthCookie: keyFor('oauth cookie'),
    sealing: sealingKey(secret),
    signUp: keyFor('sign-up'),
    trace: keyFor('trace'),
  };
}

/** What links to downloads are signed with. */
export function downloadKey(secret: string): KeyObject {
  return createSecretKey(deriveKey(secret, 'download'));
}

interface JobDeps {
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly log: Logger;
  readonly signingKeys: SigningKeys;
  readonly limits: Limits;
  readonly runRetentionDays: number;
}

function startJobs({ store, blobs, log, signingKeys, limits, runRetentionDays }: JobDeps): () => Promise<void> {
  const jobs = [
    {
      name: 'sweep',
      everyMs: SWEEP_EVERY_MS,
      work: (signal: AbortSignal) => sweep({ store, blobs, runRetentionDays }, Date.now(), signal),
    },
    { name: 'outbox', everyMs: OUTBOX_EVERY_MS, work: (signal: AbortSignal) => carryOutboxes(store, signal) },
    { name: 'index build', everyMs: INDEX_EVERY_MS, work: (signal: AbortSignal) => buildIndexes(store, signal) },
    {
      name: 'search index',
      everyMs: SEARCH_EVERY_MS,
      work: (signal: AbortSignal) => followSearchAtLeisure(store, signal),
    },
    { name: 'signing key', everyMs: RELOAD_EVERY_MS, work: () => followSigningKey(store, signingKeys) },
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
