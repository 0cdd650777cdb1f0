// Forms that change something are taken from our own pages alone. A browser says where a form comes from, and no page can
// make it say something else.
import { timingSafeEqual } from 'node:crypto';
import { fail } from '@cairn/protocol/errors';
import type { BrowserSession } from '../account/browser-session.ts';
import type { EdgeContext } from './env.ts';

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
