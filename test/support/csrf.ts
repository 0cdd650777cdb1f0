// The CSRF parts of a browser form, for tests that send a form without opening its page first.
import { createHash } from 'node:crypto';
import type { Browser } from './browser.ts';

export function csrfOf(browser: Browser, url: string): string {
  const { cairn_session: secret } = browser.cookiesFor(`${url}/auth/x`);
  return createHash('sha256').update(`csrf ${secret}`).digest('base64url');
}
