// Browser sessions: cookies, sign-in and protection of forms.
import { timingSafeEqual } from 'node:crypto';
import { fail } from '@cairn/protocol/errors';
import { generateCookie } from 'hono/cookie';
import { parse } from 'hono/utils/cookie';
import { EXTERNAL_FLOW_MS } from '../account/external/external-sign-in.ts';
import {
  BROWSER_SESSION_MS,
  type BrowserSession,
  beginBrowserSession,
  endBrowserSession,
  findBrowserSession,
  type NewBrowserSession,
} from '../account/session.ts';
import type { Exchange } from './exchange.ts';
import { type Done, onwardTo } from './form.ts';
import { localPath } from './query.ts';
import { visitorOf } from './rate-limit.ts';

const EXPLORER = '/';

export function cookieOf(c: Exchange, name: string): string | undefined {
  return parse(c.header('cookie') ?? '', name)[name];
}

export async function signedIn(c: Exchange): Promise<BrowserSession | undefined> {
  const { store, settings, tokenUses } = c.deps;
  const session = await findBrowserSession(store, cookieOf(c, sessionCookieName(settings)));
  if (session !== undefined) tokenUses.noteSession(session.sessionId);
  return session;
}

export async function signInBrowser(
  c: Exchange,
  { next, ...whose }: Pick<NewBrowserSession, 'accountId' | 'passwordHash'> & { next?: string | undefined },
): Promise<Done> {
  const { store, settings } = c.deps;
  const before = await signedIn(c);
  const agent = c.header('user-agent');
  const secret = await beginBrowserSession(store, { ...whose, visitor: visitorOf(c), agent });
  if (before !== undefined) await endBrowserSession(store, before);
  const onward = onwardTo(localPath(next) ?? EXPLORER, 'You are signed in');
  return { ...onward, cookies: sessionCookies(settings, secret) };
}

export const OAUTH_SESSION_COOKIE = 'cairn_oauth';
export const OAUTH_COOKIE_PATH = '/oauth';

interface Site {
  readonly publicUrl: string;
}

/** The __Host- prefix keeps related hosts from setting the cookie on https. */
export function sessionCookieName(site: Site): string {
  return isSecure(site) ? '__Host-cairn_session' : 'cairn_session';
}

function isSecure({ publicUrl }: Site): boolean {
  return publicUrl.startsWith('https:');
}

export function sessionCookies(site: Site, secret?: string): string[] {
  const flags = { httpOnly: true, secure: isSecure(site), sameSite: 'Lax' } as const;
  const maxAge = secret === undefined ? 0 : BROWSER_SESSION_MS / 1_000;
  return [
    generateCookie(sessionCookieName(site), secret ?? '', { ...flags, path: '/', maxAge }),
    generateCookie(OAUTH_SESSION_COOKIE, '', { ...flags, path: OAUTH_COOKIE_PATH, maxAge: 0 }),
  ];
}

export function externalFlowCookie(site: Site, sealed?: string): string {
  const maxAge = sealed === undefined ? 0 : EXTERNAL_FLOW_MS / 1_000;
  // Lax, because the redirect back from the provider must carry the cookie.
  const flags = { httpOnly: true, secure: isSecure(site), sameSite: 'Lax', path: '/', maxAge } as const;
  return generateCookie(externalFlowCookieName(site), sealed ?? '', flags);
}

export function externalFlowCookieName(site: Site): string {
  return isSecure(site) ? '__Host-cairn_external' : 'cairn_external';
}

/** Browsers set these headers, and no page can forge them. */
export function requireSameOrigin(c: Exchange): void {
  const { publicUrl } = c.deps.settings;
  const origin = c.header('origin') ?? 'null';
  if (origin === new URL(publicUrl).origin) return;
  // A page may hide its origin; the browser still says whether it is ours.
  if (origin === 'null' && c.header('sec-fetch-site') === 'same-origin') return;
  throw fail('FORBIDDEN', {
    message: `This form was not sent from a page of this server. Open ${publicUrl}${c.path} and send it from there.`,
  });
}

export function requireOwnForm(c: Exchange, { csrf }: BrowserSession, given: string): void {
  requireSameOrigin(c);
  const [expected, shown] = [Buffer.from(csrf), Buffer.from(given)];
  if (expected.length === shown.length && timingSafeEqual(expected, shown)) return;
  throw fail('FORBIDDEN', {
    message: 'This form belongs to another sign-in. Reload the page, then send it again.',
  });
}
