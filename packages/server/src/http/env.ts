import { TRACE_HEADER } from '@cairn/protocol/vocabulary';
import type { HttpBindings } from '@hono/node-server';
import type { Context as HonoContext } from 'hono';
import type { Logger } from 'pino';
import type { Context, Keys, Origin } from '../access/context.ts';
import type { Principal } from '../access/principal.ts';
import type { ExternalProvider } from '../account/external/external-provider.ts';
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

export interface Deps {
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly log: Logger;
  readonly live: Live;
  readonly metrics: Metrics;
  readonly limiter: RateLimiter;
  readonly bodies: BodyRoom;
  readonly mail?: MailQueue | undefined;
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
  /** Aborted when the server begins to stop, so that long answers end. */
  readonly stopping: AbortSignal;
}

export interface EdgeEnv {
  /** Absent without a server, as in tests. */
  Bindings: Partial<HttpBindings>;
  Variables: {
    deps: Deps;
    requestId: string;
    startedAt: number;
    /** Client address as far as proxies are trusted; `undefined` without a socket. */
    address: string | undefined;
    /** `undefined` for routes that may take any time. */
    clock: RequestClock | undefined;
    /** The matched pattern, for logs and metrics, because paths may contain anything. */
    route: string;
    principal: Principal;
    /** For slow requests: the credential may have ended meanwhile. */
    authenticateAgain: () => Promise<void>;
  };
}

/** Use `c.get(...)`, not `c.var`, which builds an object of all variables each time. */
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

export async function refreshedContext(c: EdgeContext): Promise<Context> {
  await c.get('authenticateAgain')();
  return operationContext(c);
}

export function originOf(c: EdgeContext): Origin {
  return { address: c.get('address'), requestId: c.get('requestId') };
}
