// Where the explorer gets its JWT. Only a page of this server can ask, by script, with the cookie of its browser.

import { answer, answerJson } from '../http/answer.ts';
import { readBody } from '../http/body.ts';
import type { RouteHandler } from '../http/env.ts';
import { requireSameOrigin } from '../http/same-origin.ts';
import { signedIn } from '../http/signed-in.ts';
import { issueSessionToken } from './session-token.ts';

const BODY_BYTES_MAX = 1_024;
const NO_STORE = { 'cache-control': 'no-store' };

export const sessionToken: RouteHandler = async (c) => {
  requireSameOrigin(c);
  // A form cannot send JSON: a second bar, should a browser not say where it comes from.
  await readBody(c, { contentType: 'application/json', maxBytes: BODY_BYTES_MAX });
  const session = await signedIn(c);
  // No failure: a page asks before it knows whether somebody is signed in.
  if (session === undefined) return await answer(c, { status: 204, body: null, headers: NO_STORE });
  const { signingKeys, settings } = c.get('deps');
  const issuer = { signingKeys, publicUrl: settings.publicUrl };
  const issued = await issueSessionToken(issuer, session);
  return await answerJson(c, issued, { headers: NO_STORE });
};
