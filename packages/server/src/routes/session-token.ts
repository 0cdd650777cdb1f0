// Where the explorer gets its JWT. Only a page of this server can ask, by script, with the cookie of its browser.
import { issueSessionToken } from '../operations/session-token.ts';
import { answerJson } from './edge/answer.ts';
import { readBody } from './edge/body.ts';
import type { RouteHandler } from './edge/env.ts';
import { requireSameOrigin } from './edge/same-origin.ts';
import { signedIn } from './edge/signed-in.ts';

const BODY_BYTES_MAX = 1_024;

export const sessionToken: RouteHandler = async (c) => {
  requireSameOrigin(c);
  // A form cannot send JSON: a second bar, should a browser not say where it comes from.
  await readBody(c, { contentType: 'application/json', maxBytes: BODY_BYTES_MAX });
  const { signingKeys, settings } = c.get('deps');
  const issuer = { signingKeys, publicUrl: settings.publicUrl };
  const issued = await issueSessionToken(issuer, await signedIn(c));
  return await answerJson(c, issued, { headers: { 'cache-control': 'no-store' } });
};
