// What the edge of the server knows of a request while it is served.
import type { HttpBindings } from '@hono/node-server';
import type { Context as HonoContext } from 'hono';
import type { Logger } from 'pino';
import type { Principal } from '../../auth/principal.ts';
import type { SigningKey } from '../../auth/session-token.ts';
import type { Config } from '../../config.ts';
import type { Context, Keys } from '../../operations/context.ts';
import type { Store } from '../../store/store.ts';
import type { Metrics } from './metrics.ts';

/** What the server is made of; `createApp` gives it to every route. */
export interface Deps {
  readonly store: Store;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly settings: Pick<Config, 'corsOrigins' | 'limits' | 'metricsToken'> & { readonly publicUrl: string };
  readonly keys: Keys;
  readonly signingKey: SigningKey;
  readonly webFolder: string;
}

export interface EdgeEnv {
  Bindings: HttpBindings;
  Variables: {
    deps: Deps;
    requestId: string;
    startedAt: number;
    /** The pattern that matched, for logs and metrics; a path could hold anything. */
    route: string;
    principal: Principal;
  };
}

export type EdgeContext = HonoContext<EdgeEnv>;
export type RouteHandler = (c: EdgeContext) => Response | Promise<Response>;

export function operationContext(c: EdgeContext): Context {
  const { store, settings, keys } = c.var.deps;
  return { store, limits: settings.limits, keys, principal: c.var.principal };
}
