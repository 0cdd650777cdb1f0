// CORS rules. Any origin may read public data, because only a page itself can add credentials. A server on loopback is
// stricter: websites must not read data that is private to the machine.
import type { Exchange } from './exchange.ts';

const OPEN_PATHS = /^\/(mcp$|mcp\/|\.well-known\/|oauth\/(token|register|revoke|device-authorization)$)/;
const COOKIE_PATHS = /^\/(auth|oauth)\//;
const EXPOSED = 'x-request-id, etag, retry-after, www-authenticate, content-encoding';
const ALLOWED_HEADERS =
  'authorization, content-type, if-none-match, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id, x-cairn-trace, x-request-id';

/** Sets `Vary` too, because caches must keep answers for different origins apart. */
export function corsHeaders(c: Exchange, vary: string | undefined): Record<string, string> {
  const origin = c.header('origin');
  const headers = { vary: vary === undefined ? 'Origin' : `Origin, ${vary}` };
  const allowed = origin === undefined ? undefined : allowedOrigin(c, origin);
  if (allowed === undefined) return headers;
  return { ...headers, 'access-control-allow-origin': allowed, 'access-control-expose-headers': EXPOSED };
}

export function preflightHeaders(): Record<string, string> {
  return {
    'access-control-allow-methods': 'GET, HEAD, POST, OPTIONS',
    'access-control-allow-headers': ALLOWED_HEADERS,
    'access-control-max-age': '600',
  };
}

function allowedOrigin(c: Exchange, origin: string): string | undefined {
  const { corsOrigins } = c.deps.settings;
  if (OPEN_PATHS.test(c.path)) return isForeignPage(c) ? undefined : '*';
  if (COOKIE_PATHS.test(c.path)) return undefined;
  if (corsOrigins.includes('*')) return '*';
  if (corsOrigins.includes(origin)) return origin;
  return isAnonymousRead(c) && !isForThisMachine(c) ? '*' : undefined;
}

const LOOPBACK = /^((.+\.)?localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const OWN_HOST = /^(localhost|127\.0\.0\.1|\[::1\])$/;

function isForThisMachine(c: Exchange): boolean {
  return LOOPBACK.test(new URL(c.deps.settings.publicUrl).hostname);
}

/** Stops pages of other machines, such as DNS rebinding. Browsers send `Origin` with every POST. */
export function isForeignPage(c: Exchange): boolean {
  const origin = c.header('origin');
  const { corsOrigins } = c.deps.settings;
  if (origin === undefined || !isForThisMachine(c)) return false;
  if (corsOrigins.includes('*') || corsOrigins.includes(origin)) return false;
  return !URL.canParse(origin) || !OWN_HOST.test(new URL(origin).hostname);
}

function isAnonymousRead(c: Exchange): boolean {
  const preflight = c.method === 'OPTIONS';
  const method = preflight ? c.header('access-control-request-method') : c.method;
  const withCredential = preflight
    ? /\bauthorization\b/i.test(c.header('access-control-request-headers') ?? '')
    : c.header('authorization') !== undefined;
  return (method === 'GET' || method === 'HEAD') && !withCredential;
}
