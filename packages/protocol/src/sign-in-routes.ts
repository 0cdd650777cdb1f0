// Sign-in routes: pages for people, and the endpoints for clients of the OAuth server.
import { z } from 'zod';
import type { RouteRow } from './row.ts';
import { ACCESS } from './scopes.ts';

const json = 'application/json';
const html = 'text/html; charset=utf-8';
const oauthJson = 'application/json; charset=utf-8';

const invitationAccepted = z.object({
  handle: z.string(),
  orgName: z.string(),
  repoName: z.string().optional().describe('Present if the role is for one repository.'),
  role: z.string(),
});
const passwordSet = z.object({
  handle: z.string(),
  tokensEnded: z
    .literal(true)
    .optional()
    .describe('Present if a mailed link has verified the address, so that earlier tokens have ended.'),
});
const linkSent = z
  .object({ email: z.string() })
  .describe('The address that a link was sent to, if that address is entitled to one.');
const sessionToken = z.object({ accessToken: z.string(), expiresAt: z.int() });
const signedUp = z.union([z.object({ handle: z.string() }), linkSent]);

/** These routes ignore bearer tokens, because clients call them to get one. */
function signingIn(row: Omit<RouteRow, 'bearer' | 'access' | 'tag'>): RouteRow {
  return { ...row, bearer: 'none', access: ACCESS.nothing, tag: 'Signing in' };
}

const oauthRefusal = z.looseObject({ error: z.string(), error_description: z.string().optional() });
/** The library of the OAuth server answers browsers with a page. */
const REDIRECT = {
  description: 'Redirect to another page',
  content: { 'text/plain; charset=utf-8': undefined, [html]: undefined },
};
const OAUTH_REFUSAL = { [oauthJson]: oauthRefusal, [html]: undefined };
const form = 'application/x-www-form-urlencoded';
const tokenRequest = z.looseObject({
  grant_type: z.enum(['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code']),
  client_id: z.string().optional(),
});
const revocation = z.looseObject({ token: z.string(), client_id: z.string().optional() });
const deviceRequest = z.looseObject({ client_id: z.string(), scope: z.string().optional() });
const clientRegistration = z.looseObject({
  client_name: z.string().optional(),
  redirect_uris: z.array(z.string()).optional(),
});

const codeQuery = z.object({ code: z.string().optional().describe('The one-time code of the link.') });
const nextQuery = z.object({ next: z.string().optional().describe('The path to open afterwards.') });

export const setupFields = z.strictObject({
  code: z.string(),
  email: z.string(),
  password: z.string(),
  name: z.string().optional(),
});
export const inviteFields = z.strictObject({ code: z.string(), password: z.string(), name: z.string().optional() });
export const resetFields = z.strictObject({ code: z.string(), newPassword: z.string() });
export const forgotFields = z.strictObject({ email: z.string() });
export const signUpFields = z.strictObject({
  code: z.string().optional(),
  email: z.string().optional(),
  name: z.string().optional(),
  password: z.string().optional(),
  next: z.string().optional(),
});
export const passwordFields = z.strictObject({ email: z.string(), password: z.string(), newPassword: z.string() });
export const signInFields = z.strictObject({ email: z.string(), password: z.string(), next: z.string().optional() });
export const signOutFields = z.strictObject({ csrf: z.string() });
export const linkFields = z.strictObject({ csrf: z.string(), password: z.string().optional() });
export const unlinkFields = z.strictObject({ csrf: z.string(), issuer: z.string(), subject: z.string() });
export const endSessionFields = z.strictObject({
  csrf: z.string(),
  id: z.string().optional(),
  all: z.string().optional(),
});
export const decisionFields = z.strictObject({ csrf: z.string(), decision: z.enum(['allow', 'refuse']) });

export const SIGN_IN_ROUTES = {
  'GET /auth/setup': signingIn({
    summary: 'Shows the form that creates the first owner',
    auth: 'the one-time set-up code',
    query: codeQuery,
    answers: { 200: { description: 'The form', content: { [html]: undefined } } },
  }),
  'POST /auth/setup': signingIn({
    summary: 'Creates the first owner',
    auth: 'the one-time set-up code',
    form: setupFields,
    answers: { 200: { description: "The owner's first token, shown once", content: { [html]: undefined } } },
  }),
  'GET /auth/invite': signingIn({
    summary: 'Shows an invitation and the form that accepts it',
    auth: 'the one-time code of the invitation',
    query: codeQuery,
    refusals: [404, 409],
    answers: { 200: { description: 'The form', content: { [html]: undefined } } },
  }),
  'POST /auth/invite': signingIn({
    summary: 'Accepts an invitation: creates the account if there is none, gives it the role, and signs the browser in',
    auth: 'the one-time code of the invitation; also the password, if the email address has an account',
    form: inviteFields,
    refusals: [404],
    answers: {
      200: { description: 'The account and its new role', content: { [html]: undefined, [json]: invitationAccepted } },
    },
  }),
  'GET /auth/reset': signingIn({
    summary: 'Shows the form that resets a forgotten password',
    auth: 'the one-time code of the reset link',
    query: codeQuery,
    answers: { 200: { description: 'The form', content: { [html]: undefined } } },
  }),
  'POST /auth/reset': signingIn({
    summary: 'Resets a forgotten password, and ends all sessions',
    auth: 'the one-time code of the reset link',
    form: resetFields,
    answers: { 200: { description: 'The account', content: { [html]: undefined, [json]: passwordSet } } },
  }),
  'GET /auth/forgot': signingIn({
    summary: 'Shows the form that requests a reset link by mail',
    auth: 'none',
    answers: { 200: { description: 'The form', content: { [html]: undefined } } },
  }),
  'POST /auth/forgot': signingIn({
    summary: 'Mails a reset link if the address belongs to an account; the answer is the same if it does not',
    auth: 'none',
    form: forgotFields,
    answers: { 200: { description: 'The address of the link', content: { [html]: undefined, [json]: linkSent } } },
  }),
  'GET /auth/sign-up': signingIn({
    summary: 'Shows the form that creates an account, if sign-up is open',
    auth: 'none, or the code of a mailed link',
    query: codeQuery.extend(nextQuery.shape),
    refusals: [403],
    answers: { 200: { description: 'The form', content: { [html]: undefined } } },
  }),
  'POST /auth/sign-up': signingIn({
    summary: 'Creates an account, if sign-up is open. A server that sends mail first mails a link to the address',
    auth: 'none, or the code of a mailed link',
    form: signUpFields,
    answers: {
      200: {
        description: 'The new account, or the address that a link was sent to',
        content: { [html]: undefined, [json]: signedUp },
      },
    },
  }),
  'GET /auth/password': signingIn({
    summary: 'Shows the form that changes a password',
    auth: 'none',
    answers: { 200: { description: 'The form', content: { [html]: undefined } } },
  }),
  'POST /auth/password': signingIn({
    summary: 'Changes a password, and ends all sessions',
    auth: 'email and password',
    form: passwordFields,
    answers: { 200: { description: 'The account', content: { [html]: undefined, [json]: passwordSet } } },
  }),
  'GET /auth/sign-in': signingIn({
    summary: 'Shows the sign-in form for browsers; next is the path to open afterwards',
    auth: 'none',
    query: nextQuery,
    answers: { 200: { description: 'The form', content: { [html]: undefined } } },
  }),
  'POST /auth/sign-in': signingIn({
    summary: 'Signs in, and sets a cookie that is valid only under /auth and /oauth',
    auth: 'email and password, sent from a form of this server',
    form: signInFields,
    isForPeople: true,
    answers: { 200: { description: 'A page that redirects', content: { [html]: undefined } } },
  }),
  'POST /auth/sign-out': signingIn({
    summary: 'Signs this browser out',
    auth: 'the cookie, and a form of this server',
    form: signOutFields,
    isForPeople: true,
    answers: { 200: { description: 'The browser is signed out', content: { [html]: undefined } } },
  }),
  'GET /auth/external': signingIn({
    summary: 'Sends the browser to the configured OpenID provider, to sign in or, with code, to accept an invitation',
    auth: 'none',
    query: codeQuery.extend(nextQuery.shape),
    refusals: [404],
    answers: {
      302: { description: 'Redirect to the provider', content: {} },
      503: { description: 'The provider cannot be reached', content: { [html]: undefined } },
    },
  }),
  'POST /auth/external': signingIn({
    summary: 'Starts to connect an identity at the provider to the signed-in account',
    auth: 'the cookie, a form of this server, and the password',
    form: linkFields,
    isForPeople: true,
    refusals: [404],
    answers: { 200: { description: 'A page that redirects', content: { [html]: undefined } } },
  }),
  'GET /auth/external/callback': signingIn({
    summary: 'Receives people who come back from the provider',
    auth: 'the cookie that the browser got when it left, and the answer of the provider',
    refusals: [403, 404, 409],
    answers: { 200: { description: 'A page that redirects', content: { [html]: undefined } } },
  }),
  'POST /auth/external/unlink': signingIn({
    summary: 'Disconnects an identity from the signed-in account',
    auth: 'the cookie, and a form of this server',
    form: unlinkFields,
    isForPeople: true,
    refusals: [404],
    answers: { 200: { description: 'The identity is disconnected', content: { [html]: undefined } } },
  }),
  'GET /auth/account': signingIn({
    summary: 'Shows your account, its sessions and its connected clients',
    auth: 'the cookie of a browser',
    answers: { 200: { description: 'The page', content: { [html]: undefined } } },
  }),
  'POST /auth/sessions/end': signingIn({
    summary: 'Ends one session of the account, or all',
    auth: 'the cookie of a browser, in a form of this server',
    form: endSessionFields,
    isForPeople: true,
    answers: { 200: { description: 'The sessions have ended', content: { [html]: undefined } } },
  }),
  'POST /auth/session-token': signingIn({
    summary: 'Exchanges the cookie of the browser for a JWT, for the explorer',
    auth: 'the cookie of a browser, from a page of this server',
    refusals: [403],
    body: z.looseObject({}).describe('Empty. Only pages of this server can send JSON.'),
    answers: {
      200: { description: 'The JWT of the session', content: { [json]: sessionToken } },
      204: { description: 'Nobody is signed in', content: {} },
    },
  }),
  'GET /.well-known/openid-configuration': signingIn({
    summary: 'Returns OpenID Connect metadata, the same as oauth-authorization-server',
    auth: 'none',
    answers: { 200: { description: 'The document', content: { [oauthJson]: undefined } } },
  }),
  'GET /.well-known/jwks.json': signingIn({
    summary: 'Returns the public keys that verify session tokens',
    auth: 'none',
    answers: { 200: { description: 'The keys', content: { 'application/jwk-set+json; charset=utf-8': undefined } } },
  }),
  'GET /oauth/authorize': signingIn({
    summary: 'Starts an authorization (code with PKCE, S256); leads to pages where the user signs in and decides',
    auth: 'the cookie of the signed-in user',
    refusal: OAUTH_REFUSAL,
    isForPeople: true,
    answers: { 303: { description: 'Redirect to the pages, or back to the client', content: {} } },
  }),
  'GET /oauth/authorize/:uid': signingIn({
    summary: 'Continues an authorization after the pages',
    auth: 'the cookie of the signed-in user',
    refusal: OAUTH_REFUSAL,
    isForPeople: true,
    answers: { 303: { description: 'Redirect to the client, with a code', content: {} } },
  }),
  'POST /oauth/token': signingIn({
    summary: 'Issues tokens for a code, a device code or a refresh token, and rotates the refresh token',
    auth: 'the client, with its code or refresh token',
    otherBody: { [form]: tokenRequest },
    refusal: OAUTH_REFUSAL,
    answers: { 200: { description: 'The tokens', content: { [oauthJson]: undefined } } },
  }),
  'POST /oauth/register': signingIn({
    summary: 'Registers a client (RFC 7591)',
    auth: 'none',
    body: clientRegistration,
    refusal: OAUTH_REFUSAL,
    answers: { 201: { description: 'The client', content: { [oauthJson]: undefined } } },
  }),
  'POST /oauth/revoke': signingIn({
    summary: 'Ends the session of a refresh token (RFC 7009)',
    auth: 'the client, and the token',
    otherBody: { [form]: revocation },
    refusal: OAUTH_REFUSAL,
    answers: { 200: { description: 'The session has ended', content: { [oauthJson]: undefined } } },
  }),
  'POST /oauth/device-authorization': signingIn({
    summary: 'Starts a sign-in on a device without a browser (RFC 8628)',
    auth: 'the client',
    otherBody: { [form]: deviceRequest },
    refusal: OAUTH_REFUSAL,
    answers: { 200: { description: 'The codes', content: { [oauthJson]: undefined } } },
  }),
  'GET /oauth/device': signingIn({
    summary: 'Shows the page where users type the code of a device',
    auth: 'none',
    refusal: OAUTH_REFUSAL,
    answers: { 200: { description: 'The form', content: { [html]: undefined } }, 303: REDIRECT },
  }),
  'POST /oauth/device': signingIn({
    summary: 'Takes the code, and leads to the pages where the user signs in and decides',
    auth: 'the cookie, and a form of this server',
    otherBody: { [form]: undefined },
    refusal: OAUTH_REFUSAL,
    refusals: [403],
    answers: { 200: { description: 'The next page', content: { [html]: undefined } }, 303: REDIRECT },
  }),
  'GET /oauth/device/:uid': signingIn({
    summary: 'Continues a device sign-in after the pages',
    auth: 'the cookie of the signed-in user',
    refusal: OAUTH_REFUSAL,
    answers: { 200: { description: 'The device is connected', content: { [html]: undefined } }, 303: REDIRECT },
  }),
  'GET /auth/interaction/:uid': signingIn({
    summary: 'Shows the page where the user allows or refuses a client',
    auth: 'the cookie of the signed-in user',
    refusals: [409],
    answers: { 200: { description: 'The page', content: { [html]: undefined } } },
  }),
  'POST /auth/interaction/:uid': signingIn({
    summary: 'Allows or refuses the client',
    auth: 'the cookie, and a form of this server',
    form: decisionFields,
    isForPeople: true,
    answers: { 200: { description: 'A page that redirects', content: { [html]: undefined } } },
  }),
} as const satisfies Record<string, RouteRow>;
