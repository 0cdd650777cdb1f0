// A running server: store, app and sockets, opened in order and closed in reverse.
import { createSecretKey, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { CairnError } from '@cairn/protocol/errors';
import type { Logger } from 'pino';
import type { Keys } from './access/context.ts';
import { hasAccounts } from './account/account.sql.ts';
import { createAccount, issueSetupCode } from './account/account.ts';
import { ExternalProvider } from './account/external/external-provider.ts';
import { createOutbound } from './action/delivery/client.ts';
import { DeliveryMeter } from './action/delivery/delivery-verdict.ts';
import { type AppOptions, createApp } from './app.ts';
import { followSigningKeys, type Stop, startBackground } from './background.ts';
import {
  blobLocation,
  type Config,
  ConfigError,
  docsFolder,
  externalSettings,
  mailSettings,
  publicUrlOf,
  setupLink,
  storeLocation,
  webFolder,
} from './config.ts';
import { openBlobStore } from './export/blob-store.ts';
import { serverId } from './export/export-stream.ts';
import { networkOfPeer } from './http/arrival.ts';
import { BodyRoom } from './http/exchange.ts';
import { closeServer, createHttpServer, holdRequests, listen } from './http/listener.ts';
import { createMetrics, METRICS_CONTENT_TYPE, type Metrics } from './http/metrics.ts';
import { createRateLimiter, type RateLimiter } from './http/rate-limit.ts';
import { createTokenUses } from './http/token-use.ts';
import { sealingKey } from './keys/sealing.ts';
import { deriveKey, fingerprintOf, openSecret } from './keys/secret.ts';
import { SigningKeys } from './keys/signing-keys.ts';
import { createLive } from './live/live.ts';
import { createMailQueue, type MailQueue } from './mail/mail.ts';
import { createSmtp } from './mail/smtp.ts';
import { openStore, type Store } from './store.ts';

export interface RunningServer {
  readonly url: string;
  readonly store: Store;
  readonly setupUrl: string | undefined;
  stop(): Promise<void>;
}

export async function startServer(config: Config, log: Logger, options: AppOptions = {}): Promise<RunningServer> {
  const closing: Stop[] = [];
  const stop = async () => {
    for (const close of closing.splice(0).reverse()) await close();
  };
  try {
    const store = await openStore(storeLocation(config));
    closing.push(() => store.close());
    const secret = await openSecret(store, { given: config.secret, folder: config.data });
    // Created before the first backup, so that a restored server keeps it.
    await serverId(store);
    await createConfiguredOwner(store, config);
    const live = createLive(store, {
      onError: (err) => log.error({ err }, 'Live streams are behind; the server retries.'),
    });
    const meter = new DeliveryMeter();
    const metrics = createMetrics({ store, live, meter });
    const limiter = createRateLimiter({ usage: store.usage, limits: config.limits, log });
    closing.push(() => limiter.close());
    const mail = openMail(config, { limiter, log });
    if (mail !== undefined) closing.push(() => mail.close());
    if (config.metricsPort !== undefined) closing.push(await serveMetrics(metrics, config.metricsPort));
    const counted = (peer: string | undefined) => networkOfPeer(peer, config.trustedProxies);
    const server = createHttpServer(log, { ...config.limits, counted });
    const serve = holdRequests(server);
    closing.push(() => closeServer(server));
    const publicUrl = publicUrlOf(config, await listen(server, config));
    const settings = { ...config, publicUrl };
    const blobs = openBlobStore(blobLocation(config), { key: downloadKey(secret), publicUrl });
    const signingKeys = new SigningKeys({ reader: store.database, secret });
    await signingKeys.reload();
    closing.push(followSigningKeys(store, signingKeys, log));
    const keys = deriveKeys(secret);
    const tokenUses = createTokenUses({ usage: store.usage, log });
    closing.push(() => tokenUses.close());
    // Closed before the sockets, which wait for the streams that they serve.
    closing.push(() => live.close());
    const outbound = createOutbound({ allow: config.outboundAllow });
    closing.push(await startBackground({ store, blobs, outbound, keys, meter, log, settings }));
    const stopping = new AbortController();
    const bodies = new BodyRoom(config.limits);
    const edge = {
      log,
      live,
      metrics,
      limiter,
      bodies,
      tokenUses,
      settings,
      keys,
      signingKeys,
      stopping: stopping.signal,
    };
    const externalProvider = openExternalProvider(config, publicUrl);
    const beside = { blobs, outbound, mail, externalProvider, webFolder: webFolder(), docsFolder: docsFolder() };
    serve(createApp({ ...edge, ...beside, store }, options));
    // Closed first of all, so that long requests are over when the connections close.
    closing.push(async () => stopping.abort());
    return { url: publicUrl, store, setupUrl: setupLink(publicUrl, await issueSetupCode(store)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

export function openMail(
  config: Config,
  { limiter, log }: { limiter: RateLimiter; log: Logger },
): MailQueue | undefined {
  const settings = mailSettings(config);
  if (settings === undefined) return undefined;
  return createMailQueue({ send: createSmtp(settings.smtp, settings.from), allow: limiter.mayMail, log });
}

export function openExternalProvider(config: Config, publicUrl: string): ExternalProvider | undefined {
  const settings = externalSettings(config);
  return settings && new ExternalProvider(settings, { redirectUri: `${publicUrl}/auth/external/callback` });
}

export function deriveKeys(secret: string): Keys {
  const keyFor = (purpose: string) => createSecretKey(deriveKey(secret, purpose));
  return {
    cursor: keyFor('cursor'),
    entityTag: Buffer.from(deriveKey(secret, 'entity tag')).toString('base64'),
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

export function downloadKey(secret: string): KeyObject {
  return createSecretKey(deriveKey(secret, 'download'));
}

/** If several nodes start together, one creates the owner and the others find it. */
export async function createConfiguredOwner(store: Store, { ownerEmail, ownerPassword }: Config): Promise<void> {
  if (ownerEmail === undefined || ownerPassword === undefined || (await hasAccounts(store.database))) return;
  try {
    await createAccount(store, { email: ownerEmail, password: ownerPassword, operator: true });
  } catch (error) {
    if (error instanceof CairnError && error.code === 'ALREADY_EXISTS') return;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`CAIRN_OWNER_EMAIL or CAIRN_OWNER_PASSWORD cannot be used: ${reason}`, { cause: error });
  }
}

export async function serveMetrics(metrics: Pick<Metrics, 'render'>, port: number): Promise<() => Promise<void>> {
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const found = request.url === '/metrics';
    const text = found ? await metrics.render().catch(() => undefined) : 'This port serves only /metrics.\n';
    const status = text === undefined ? 500 : 404;
    response.writeHead(found && text !== undefined ? 200 : status, { 'content-type': METRICS_CONTENT_TYPE });
    response.end(text ?? 'The metrics cannot be read right now.\n');
  });
  await listen(server, { port, host: '127.0.0.1' });
  return () => closeServer(server);
}
