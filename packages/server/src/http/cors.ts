// Which pages of other origins may read an answer. Credentials are a header that only the page itself can add, so an
// answer that anyone can get without one may be read by anyone. A server on loopback is different:
// any website that its user visits could read data that is otherwise private to the machine.
import type { EdgeContext } from './env.ts';

// Of the OAuth server, what clients call for themselves, without a cookie.
const OPEN_PATHS = /^\/(mcp$|mcp\/|\.well-known\/|oauth\/(token|register|revoke|device-authorization)$)/;
const COOKIE_PATHS = /^\/(auth|oauth)\//;
const EXPOSED = 'x-request-id, etag, retry-after, www-authenticate, content-encoding';
const ALLOWED_HEADERS =
  'authorization, content-type, if-none-match, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id, x-cairn-trace, x-request-id';

/** With the `Vary` of the whole answer, because a cache must keep what one origin was allowed apart from the rest. */
export function corsHeaders(c: EdgeContext, vary: string | undefined): Record<string, string> {
  const origin = c.req.header('origin');
  const headers = { vary: vary === undefined ? 'Origin' : `Origin, ${vary}` };
  const allowed = origin === undefined ? undefined : allowedOrigin(c, origin);
  if (allowed === undefined) return headers;
  return { ...headers, 'access-control-allow-origin': allowed, 'access-control-expose-headers': EXPOSED };
}

/** What a browser asks for before it sends anything but a simple request. */
export function preflightHeaders(): Record<string, string> {
  return {
    'access-control-allow-methods': 'GET, HEAD, POST, OPTIONS',
    'access-control-allow-headers': ALLOWED_HEADERS,
    'access-control-max-age': '600',
  };
}

function allowedOrigin(c: EdgeContext, origin: string): string | undefined {
  const { corsOrigins } = c.get('deps').settings;
  if (OPEN_PATHS.test(c.req.path)) return isForeignPage(c) ? undefined : '*';
  if (COOKIE_PATHS.test(c.req.path)) return undefined;
  if (corsOrigins.includes('*')) return '*';
  if (corsOrigins.includes(origin)) return origin;
  return isAnonymousRead(c) && !isForThisMachine(c) ? '*' : undefined;
}

const LOOPBACK = /^((.+\.)?localhost|127(\.\d{1,3}){3}|\[::1\])$/;
/** Hosts of pages that cannot belong to anybody else. */
const OWN_HOST = /^(localhost|127\.0\.0\.1|\[::1\])$/;

function isForThisMachine(c: EdgeContext): boolean {
  return LOOPBACK.test(new URL(c.get('deps').settings.publicUrl).hostname);
}

/**
 * True if a page of another machine calls a server on loopback, for example by DNS rebinding. Browsers send `Origin` with
 * every POST; other clients need not.
 */
export function isForeignPage(c: EdgeContext): boolean {
  const origin = c.req.header('origin');
  const { corsOrigins } = c.get('deps').settings;
  if (origin === undefined || !isForThisMachine(c)) return false;
  if (corsOrigins.includes('*') || corsOrigins.includes(origin)) return false;
  return !URL.canParse(origin) || !OWN_HOST.test(new URL(origin).hostname);
}

/** Of a preflight, what the browser asks leave for. */
function isAnonymousRead(c: EdgeContext): boolean {
  const preflight = c.req.method === 'OPTIONS';
  const method = preflight ? c.req.header('access-control-request-method') : c.req.method;
  const withCredential = preflight
    ? /\bauthorization\b/i.test(c.req.header('access-control-request-headers') ?? '')
    : c.req.header('authorization') !== undefined;
  return (method === 'GET' || method === 'HEAD') && !withCredential;
}
