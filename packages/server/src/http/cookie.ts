// The cookie by which a browser is known, under /auth and /oauth and nowhere else.
import { generateCookie } from 'hono/cookie';
import { BROWSER_SESSION_MS } from '../account/browser-session.ts';
import { EXTERNAL_FLOW_MS } from '../account/external/external-flow.ts';

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

export function isSecure({ publicUrl }: Site): boolean {
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
