// What happens to every request before routing: it gets an id, a bearer that is presented is checked, whatever the path,
// it is counted against its limit.
import { randomUUID } from 'node:crypto';
import { CairnError, fail } from '@cairn/protocol/errors';
import { REQUEST_ID } from '@cairn/protocol/names';
import type { MiddlewareHandler } from 'hono';
import { ANONYMOUS, authenticate, type Presented, type Principal, type Verification } from '../access/principal.ts';
import { clientAddress } from './client-address.ts';
import type { Deps, EdgeContext, EdgeEnv } from './env.ts';
import type { Budget, Caller } from './rate-limit.ts';

// Whoever watches the server must not be refused when it is busy.
const UNCOUNTED_PATHS = /^\/health\//;
const CLIENT_PATHS = /^\/oauth\/(token|revoke|device-authorization)$/;

export function arrival(deps: Deps): MiddlewareHandler<EdgeEnv> {
  const { publicUrl } = deps.settings;
  const verification = { reader: deps.store.database, signingKeys: deps.signingKeys, publicUrl };
  return async (c, next) => {
    const given = c.req.header('x-request-id');
    c.set('deps', deps);
    c.set('requestId', given !== undefined && REQUEST_ID.test(given) ? given : randomUUID());
    c.set('startedAt', performance.now());
    c.set('route', 'none');
    c.set('principal', ANONYMOUS);
    c.set('authenticateAgain', async () => {});
    c.set('address', addressOf(c));
    requireOneHost(c);
    // Browsers send no credentials with a preflight.
    if (c.req.method === 'OPTIONS') {
      await admit(c);
      return next();
    }
    // Spec 4.4: GET on /mcp is 405, whatever the credential; a refusal would cost as much. /metrics has a token of its own
    // kind.
    if (c.req.path === '/metrics' || (c.req.path === '/mcp' && c.req.method !== 'POST')) return next();
    c.set('authenticateAgain', async () => {
      c.set('principal', await authenticate(verification, presentedBy(c)));
    });
    const counted = !UNCOUNTED_PATHS.test(c.req.path);
    c.set('principal', await authenticateCounted(c, verification, counted));
    if (counted) await admit(c);
    return next();
  };
}

/** HTTP/1.1 requires exactly one. With two, a proxy may have used the other one. */
function requireOneHost(c: EdgeContext): void {
  const incoming = c.env?.incoming;
  if (incoming === undefined || incoming.httpVersion === '1.0') return;
  const { rawHeaders } = incoming;
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  if (hosts !== 1)
    throw fail('VALIDATION_ERROR', { message: 'A request needs exactly one Host header. Send it once.' });
}

function presentedBy(c: EdgeContext): Presented {
  const [authorization, { path }] = [c.req.header('authorization'), c.req];
  // There, a client shows its own secret like this, and not who it comes for.
  const ofClient = CLIENT_PATHS.test(path) && /^basic /i.test(authorization ?? '');
  return { authorization: ofClient ? undefined : authorization, path };
}

/** Each call of a batch counts as a request. */
async function admit(c: EdgeContext): Promise<void> {
  const { path } = c.req;
  const { limiter, settings } = c.get('deps');
  const caller: Caller = { principal: c.get('principal'), address: c.get('address'), budget: budgetOf(path) };
  const calls = path.startsWith('/trpc/') ? path.split(/,|%2c/i).length : 1;
  // Larger batches are refused.
  for (let call = 0; call < Math.min(calls, settings.limits.batchCalls); call++) await limiter.admit(caller);
}

const SIGN_IN_PATHS = /^\/(auth|oauth|\.well-known)\//;
const DATA_PATHS = /^\/(api|trpc|mcp|sse|downloads|openapi\.json)(\/|$)|\.(md|txt)$/;

function budgetOf(path: string): Budget {
  if (SIGN_IN_PATHS.test(path)) return 'sign-in';
  return DATA_PATHS.test(path) ? 'data' : 'page';
}

function addressOf(c: EdgeContext): string | undefined {
  const { trustedProxies } = c.get('deps').settings;
  const peer = c.env?.incoming?.socket.remoteAddress;
  return clientAddress({ peer, forwardedFor: c.req.header('x-forwarded-for'), trustedProxies });
}

/** A bearer that is not good counts as none: whoever guesses tokens runs into the anonymous limit. */
async function authenticateCounted(c: EdgeContext, verification: Verification, counted: boolean): Promise<Principal> {
  const deps = c.get('deps');
  try {
    const principal = await authenticate(verification, presentedBy(c));
    if (principal.kind === 'token') deps.tokenUses.note(principal.tokenId);
    if (principal.kind === 'session') deps.tokenUses.noteSession(principal.sessionId);
    return principal;
  } catch (error) {
    if (counted && error instanceof CairnError && error.code === 'UNAUTHENTICATED')
      await deps.limiter.admit({ principal: ANONYMOUS, address: c.get('address') });
    throw error;
  }
}
