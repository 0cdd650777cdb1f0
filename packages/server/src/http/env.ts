// What the edge of the server knows of a request while it is served.
import { TRACE_HEADER } from '@cairn/protocol/subscription-event';
import type { HttpBindings } from '@hono/node-server';
import type { Context as HonoContext } from 'hono';
import type { Logger } from 'pino';
import type { Context, Keys, Origin } from '../access/context.ts';
import type { Principal } from '../access/principal.ts';
import type { ExternalProvider } from '../account/external/openid.ts';
import type { Outbound } from '../action/delivery/client.ts';
import type { Config } from '../config.ts';
import { ReadBounds } from '../engine/read-bounds.ts';
import type { BlobStore } from '../export/blob-store.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';
import type { Live } from '../live/live.ts';
import type { MailQueue } from '../mail/mail.ts';
import type { Store } from '../store.ts';
import type { BodyRoom } from './body.ts';
import type { RequestClock } from './deadline.ts';
import type { Metrics } from './metrics.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { TokenUses } from './token-use.ts';

/** What the server is made of; `createApp` gives it to every route. */
export interface Deps {
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly log: Logger;
  readonly live: Live;
  readonly metrics: Metrics;
  readonly limiter: RateLimiter;
  readonly bodies: BodyRoom;
  /** None where no SMTP server is set. */
  readonly mail?: MailQueue | undefined;
  /** None where no OpenID provider is set. */
  readonly externalProvider?: ExternalProvider | undefined;
  readonly settings: Pick<
    Config,
    'corsOrigins' | 'limits' | 'metricsToken' | 'orgCreation' | 'signup' | 'trustedProxies' | 'webhookRetrySeconds'
  > & {
    readonly publicUrl: string;
  };
  readonly keys: Keys;
  readonly signingKeys: SigningKeys;
  readonly tokenUses: TokenUses;
  readonly outbound: Outbound;
  readonly webFolder: string;
  readonly docsFolder: string;
  /** Aborted when the server begins to stop: answers that would not end by themselves end then. */
  readonly stopping: AbortSignal;
}

export interface EdgeEnv {
  /** None when the app is called without a server, as by tests. */
  Bindings: Partial<HttpBindings>;
  Variables: {
    deps: Deps;
    requestId: string;
    startedAt: number;
    /** Of the client, as far as proxies can be trusted; `undefined` when the request came through no socket. */
    address: string | undefined;
    /** Limits the request. Routes that last as long as their data have none. */
    clock: RequestClock | undefined;
    /** The pattern that matched, for logs and metrics; a path could hold anything. */
    route: string;
    principal: Principal;
    /** For what took long to arrive: the credential may have ended meanwhile. */
    authenticateAgain: () => Promise<void>;
  };
}

/** `c.get(...)`, not `c.var`: that makes an object of all variables each time. */
export type EdgeContext = HonoContext<EdgeEnv>;
export type RouteHandler = (c: EdgeContext) => Response | Promise<Response>;

export function operationContext(c: EdgeContext): Context {
  const { store, blobs, settings, keys, outbound, mail } = c.get('deps');
  const { limits, publicUrl, orgCreation, webhookRetrySeconds } = settings;
  return {
    ...{ store, blobs, limits, keys, outbound, mail, publicUrl, orgCreation, webhookRetrySeconds },
    principal: c.get('principal'),
    origin: originOf(c),
    trace: c.req.header(TRACE_HEADER),
    bounds: new ReadBounds(() => c.env?.outgoing?.destroyed === true),
  };
}

/** The same for what takes long: the caller as they are now. */
export async function refreshedContext(c: EdgeContext): Promise<Context> {
  await c.get('authenticateAgain')();
  return operationContext(c);
}

export function originOf(c: EdgeContext): Origin {
  return { address: c.get('address'), requestId: c.get('requestId') };
}
