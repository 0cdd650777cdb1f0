// One request and its answer, as handlers see them. It stands directly on Node's own objects.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { TRACE_HEADER } from '@cairn/protocol/vocabulary';
import type { Logger } from 'pino';
import type { Context, Keys, Origin } from '../access/context.ts';
import { ANONYMOUS, type Principal } from '../access/principal.ts';
import type { ExternalProvider } from '../account/external/external-provider.ts';
import type { Outbound } from '../action/delivery/client.ts';
import type { Config } from '../config.ts';
import type { AccessView } from '../engine/access-epoch.ts';
import type { BlobStore } from '../export/blob-store.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';
import type { Live } from '../live/live.ts';
import type { MailQueue } from '../mail/mail.ts';
import type { Store } from '../store.ts';
import type { BodyRoom } from './body.ts';
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

/** A handler returns this after it has answered, so that a path without an answer does not compile. */
export type Answered = 'answered';
export const ANSWERED: Answered = 'answered';

export type RouteHandler = (c: Exchange) => Answered | Promise<Answered>;

export class Exchange {
  readonly deps: Deps;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly method: string;
  readonly startedAt = performance.now();
  /** The path as it was sent, without dots that lead upward. */
  readonly target: string;
  /** Begins with `?` unless it is empty. */
  readonly search: string;
  /** Decoded, except for encoded slashes and the like. */
  readonly path: string;
  requestId = '';
  /** Client address as far as proxies are trusted; `undefined` without one, as on a socket file. */
  address: string | undefined;
  principal: Principal = ANONYMOUS;
  /** The view of callers as of the arrival; `undefined` without a credential. */
  view: AccessView | undefined;
  /** Instead of `view`: the one seen last, which may have ended meanwhile. See `proveCaller`. */
  likelyView: AccessView | undefined;
  /** The author of what the caller does, if it is known already. */
  who: string | undefined;
  /** By the clock of `startedAt`. While a body arrives, it is the time of that. */
  dueAt = Number.POSITIVE_INFINITY;
  /** The matched pattern, for logs and metrics, because paths may contain anything. */
  route = 'none';
  params: Readonly<Record<string, string>> = {};
  /** What happens at `dueAt`, instead of an answer that the request took too long. */
  onLate: (() => void) | undefined;
  /** A later answer, as of a request that ran out of time, goes nowhere. */
  isAnswered = false;
  #searchParams: URLSearchParams | undefined;

  constructor(deps: Deps, incoming: IncomingMessage, outgoing: ServerResponse) {
    this.deps = deps;
    this.incoming = incoming;
    this.outgoing = outgoing;
    this.method = incoming.method ?? 'GET';
    const { target, search } = splitTarget(incoming.url ?? '/');
    this.target = target;
    this.search = search;
    this.path = target.includes('%') ? decodePath(target) : target;
  }

  header(name: string): string | undefined {
    const value = this.incoming.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  query(name: string): string | undefined {
    return this.search === '' ? undefined : (this.searchParams.get(name) ?? undefined);
  }

  get searchParams(): URLSearchParams {
    this.#searchParams ??= new URLSearchParams(this.search);
    return this.#searchParams;
  }
}

/** Nothing in such a path needs to be normalized: no dots after a slash, no escapes, no backslashes. */
const PLAIN_PATH = /^(?:\/(?!\.)[\w\-.~!$&'()*+,;=:@]*)+$/;

function splitTarget(url: string): { target: string; search: string } {
  const end = url.indexOf('?');
  const target = end === -1 ? url : url.slice(0, end);
  const search = end === -1 || end === url.length - 1 ? '' : url.slice(end);
  if (PLAIN_PATH.test(target) && !search.includes('#')) return { target, search };
  // A backslash would become a slash on the way.
  if (target.includes('\\')) return UNREADABLE;
  // Proxies may send a whole URL.
  const parsed = URL.parse(url.startsWith('/') ? `http://localhost${url}` : url);
  return parsed === null || !parsed.protocol.startsWith('http')
    ? UNREADABLE
    : { target: parsed.pathname, search: parsed.search };
}

const UNREADABLE = { target: '', search: '' };

/** Text that is not valid UTF-8 stays as it is. An encoded percent sign does too, because parameters are decoded again. */
function decodePath(target: string): string {
  try {
    return decodeURI(target.replaceAll('%25', '%2525'));
  } catch {
    return target;
  }
}

export function operationContext(c: Exchange, prove?: Context['prove']): Context {
  const { store, blobs, settings, keys, outbound, mail } = c.deps;
  return {
    store,
    blobs,
    keys,
    outbound,
    mail,
    limits: settings.limits,
    publicUrl: settings.publicUrl,
    orgCreation: settings.orgCreation,
    webhookRetrySeconds: settings.webhookRetrySeconds,
    principal: c.principal,
    view: c.view,
    likelyView: c.likelyView,
    prove,
    origin: originOf(c),
    trace: c.header(TRACE_HEADER),
    client: c.outgoing,
  };
}

export function originOf({ address, requestId }: Exchange): Origin {
  return { address, requestId };
}
