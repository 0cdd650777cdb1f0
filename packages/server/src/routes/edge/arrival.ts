// What happens to every request before routing: it gets an id, browsers' preflights are answered, and a bearer that is
// presented is checked, whatever the path.
import { randomUUID } from 'node:crypto';
import { REQUEST_ID } from '@cairn/protocol/names';
import type { MiddlewareHandler } from 'hono';
import { ANONYMOUS, authenticate } from '../../auth/principal.ts';
import { answer } from './answer.ts';
import { preflightHeaders } from './cors.ts';
import type { Deps, EdgeEnv } from './env.ts';

export function arrival(deps: Deps): MiddlewareHandler<EdgeEnv> {
  const { publicUrl } = deps.settings;
  const verification = { reader: deps.store.database, signingKey: deps.signingKey, publicUrl };
  return async (c, next) => {
    const given = c.req.header('x-request-id');
    c.set('deps', deps);
    c.set('requestId', given !== undefined && REQUEST_ID.test(given) ? given : randomUUID());
    c.set('startedAt', performance.now());
    c.set('route', 'none');
    c.set('principal', ANONYMOUS);
    if (c.req.method === 'OPTIONS') return answer(c, { status: 204, body: null, headers: preflightHeaders() });
    // Spec 4.4: GET on /mcp is 405, whatever the credential. /metrics has a token of its own kind.
    if (c.req.path === '/metrics' || (c.req.path === '/mcp' && c.req.method !== 'POST')) return next();
    const presented = { authorization: c.req.header('authorization'), path: c.req.path };
    c.set('principal', await authenticate(verification, presented));
    return next();
  };
}
