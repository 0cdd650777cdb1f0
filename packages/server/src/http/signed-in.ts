// Who is signed in with a browser, and how a browser becomes somebody's.
import { timingSafeEqual } from 'node:crypto';
import { fail } from '@cairn/protocol/errors';
import { generateCookie, getCookie } from 'hono/cookie';
import { EXTERNAL_FLOW_MS } from '../account/external/external-sign-in.ts';
import {
  BROWSER_SESSION_MS,
  type BrowserSession,
  beginBrowserSession,
  endBrowserSession,
  findBrowserSession,
  type NewBrowserSession,
} from '../account/session.ts';
import type { EdgeContext } from './env.ts';
import { type Done, onwardTo } from './form.ts';
import { localPath } from './query.ts';
import { visitorOf } from './rate-limit.ts';

/** Where people go who were on their way to nowhere else. */
const EXPLORER = '/';

export async function signedIn(c: EdgeContext): Promise<BrowserSession | undefined> {
  const { store, settings, tokenUses } = c.get('deps');
  const session = await findBrowserSession(store, getCookie(c, sessionCookieName(settings)));
  if (session !== undefined) tokenUses.noteSession(session.sessionId);
  return session;
}

/** Makes this browser that of an account, whoever it was before, and leads on. */
export async function signInBrowser(
  c: EdgeContext,
  { next, ...whose }: Pick<NewBrowserSession, 'accountId' | 'passwordHash'> & { next?: string | undefined },
): Promise<Done> {
  const { store, settings } = c.get('deps');
  const before = await signedIn(c);
  const agent = c.req.header('user-agent');
  const secret = await beginBrowserSession(store, { ...whose, visitor: visitorOf(c), agent });
  if (before !== undefined) await endBrowserSession(store, before);
  const onward = onwardTo(localPath(next) ?? EXPLORER, 'You are signed in');
  return { ...onward, cookies: sessionCookies(settings, secret) };
}

// The cookie by which a browser is known, under /auth and /oauth and nowhere else.

/** What the OAuth server keeps of who is signed in; it begins anew with each sign-in. */
export const OAUTH_SESSION_COOKIE = 'cairn_oauth';
export const OAUTH_COOKIE_PATH = '/oauth';

interface Site {
  readonly publicUrl: string;
}

/** On https in a form that no other host, however it is related to ours, can set. */
export function sessionCookieName(site: Site): string {
  return isSecure(site) ? '__Host-cairn_session' : 'cairn_session';
}

function isSecure({ publicUrl }: Site): boolean {
  return publicUrl.startsWith('https:');
}

/** What a browser is told to show from now on; without a secret, nothing. */
export function sessionCookies(site: Site, secret?: string): string[] {
  const flags = { httpOnly: true, secure: isSecure(site), sameSite: 'Lax' } as const;
  const maxAge = secret === undefined ? 0 : BROWSER_SESSION_MS / 1_000;
  return [
    generateCookie(sessionCookieName(site), secret ?? '', { ...flags, path: '/', maxAge }),
    generateCookie(OAUTH_SESSION_COOKIE, '', { ...flags, path: OAUTH_COOKIE_PATH, maxAge: 0 }),
  ];
}

/** What a browser keeps while its owner is at another provider; without a value, nothing. */
export function externalFlowCookie(site: Site, sealed?: string): string {
  const maxAge = sealed === undefined ? 0 : EXTERNAL_FLOW_MS / 1_000;
  // Lax, not strict: the browser shows it when the provider sends it back.
  const flags = { httpOnly: true, secure: isSecure(site), sameSite: 'Lax', path: '/', maxAge } as const;
  return generateCookie(externalFlowCookieName(site), sealed ?? '', flags);
}

export function externalFlowCookieName(site: Site): string {
  return isSecure(site) ? '__Host-cairn_external' : 'cairn_external';
}

// Forms that change something are taken from our own pages alone. A browser says where a form comes from, and no page can
// make it say something else.

export function requireSameOrigin(c: EdgeContext): void {
  const { publicUrl } = c.get('deps').settings;
  const origin = c.req.header('origin') ?? 'null';
  if (origin === new URL(publicUrl).origin) return;
  // A page may keep its own address to itself; then the browser says at least whether it is ours.
  if (origin === 'null' && c.req.header('sec-fetch-site') === 'same-origin') return;
  throw fail('FORBIDDEN', {
    message: `This form is taken from the pages of this server alone. Open ${publicUrl}${c.req.path} and send it from there.`,
  });
}

/** The same, for what rests on the cookie: the form must have been made for this browser. */
export function requireOwnForm(c: EdgeContext, { csrf }: BrowserSession, given: string): void {
  requireSameOrigin(c);
  const [expected, shown] = [Buffer.from(csrf), Buffer.from(given)];
  if (expected.length === shown.length && timingSafeEqual(expected, shown)) return;
  throw fail('FORBIDDEN', {
    message: 'This form was made before you signed in. Load the page again, and send it then.',
  });
}
