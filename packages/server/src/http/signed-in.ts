// Who is signed in with a browser, and how a browser becomes somebody's.
import { getCookie } from 'hono/cookie';
import {
  type BrowserSession,
  beginBrowserSession,
  endBrowserSession,
  findBrowserSession,
  type NewBrowserSession,
} from '../account/browser-session.ts';
import { sessionCookieName, sessionCookies } from './cookie.ts';
import type { EdgeContext } from './env.ts';
import { type Done, onwardTo } from './form.ts';
import { localPath } from './local-path.ts';
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
