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
  repoName: z.string().optional().describe('Where the role is for one repository.'),
  role: z.string(),
});
const passwordSet = z.object({
  handle: z.string(),
  tokensEnded: z
    .literal(true)
    .optional()
    .describe('A mailed link has proven the address, so that tokens of before have ended.'),
});
const linkSent = z
  .object({ email: z.string() })
  .describe('Where a link was sent to, if it is for the holder of this address.');
const sessionToken = z.object({ accessToken: z.string(), expiresAt: z.int() });
const signedUp = z.union([z.object({ handle: z.string() }), linkSent]);

/** These routes ignore bearer tokens, because clients call them to get one. */
function signingIn(row: Omit<RouteRow, 'bearer' | 'access' | 'tag'>): RouteRow {
  return { ...row, bearer: 'none', access: ACCESS.nothing, tag: 'Signing in' };
}

const oauthRefusal = z.looseObject({ error: z.string(), error_description: z.string().optional() });
/** The library of the OAuth server answers browsers with a page. */
const REDIRECT = {
  description: 'To another page',
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
const nextQuery = z.object({ next: z.string().optional().describe('The path to go to afterwards.') });

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
    summary: 'The form that creates the first owner',
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
    summary: 'What an invitation is to, and the form that accepts it',
    auth: 'the one-time code of the invitation',
    query: codeQuery,
    refusals: [404, 409],
    answers: { 200: { description: 'The form', content: { [html]: undefined } } },
  }),
  'POST /auth/invite': signingIn({
    summary: 'Accepts an invitation: makes the account where there is none, gives it the role, and signs a browser in',
    auth: 'the one-time code of the invitation; the password, where the email address has an account',
    form: inviteFields,
    refusals: [404],
    answers: {
      200: { description: 'Who has which role where', content: { [html]: undefined, [json]: invitationAccepted } },
    },
  }),
  'GET /auth/reset': signingIn({
    summary: 'The form that sets a forgotten password anew',
    auth: 'the one-time code that an operator made',
    query: codeQuery,
    answers: { 200: { description: 'The form', content: { [html]: undefined } } },
  }),
  'POST /auth/reset': signingIn({
    summary: 'Sets a forgotten password anew, and ends all sessions',
    auth: 'the one-time code that an operator made',
    form: resetFields,
    answers: { 200: { description: 'Whose password it is', content: { [html]: undefined, [json]: passwordSet } } },
  }),
  'GET /auth/forgot': signingIn({
    summary: 'The form that asks for a reset link by mail',
    auth: 'none',
    answers: { 200: { description: 'The form', content: { [html]: undefined } } },
  }),
  'POST /auth/forgot': signingIn({
    summary: 'Mails a reset link, if the address is that of an account; the answer is the same when it is not',
    auth: 'none',
    form: forgotFields,
    answers: { 200: { description: 'Where to look for it', content: { [html]: undefined, [json]: linkSent } } },
  }),
  'GET /auth/sign-up': signingIn({
    summary: 'The form that makes an account, where sign-up is open',
    auth: 'none, or the code of a mailed link',
    query: codeQuery.extend(nextQuery.shape),
    refusals: [403],
    answers: { 200: { description: 'The form', content: { [html]: undefined } } },
  }),
  'POST /auth/sign-up': signingIn({
    summary: 'Makes an account, where sign-up is open; where mails are sent, first mails a link to the address',
    auth: 'none, or the code of a mailed link',
    form: signUpFields,
    answers: {
      200: {
        description: 'Whose account it is, or that a link was sent',
        content: { [html]: undefined, [json]: signedUp },
      },
    },
  }),
  'GET /auth/password': signingIn({
    summary: 'The form that changes a password',
    auth: 'none',
    answers: { 200: { description: 'The form', content: { [html]: undefined } } },
  }),
  'POST /auth/password': signingIn({
    summary: 'Changes a password, and ends all sessions',
    auth: 'email and password',
    form: passwordFields,
    answers: { 200: { description: 'Whose password it is', content: { [html]: undefined, [json]: passwordSet } } },
  }),
  'GET /auth/sign-in': signingIn({
    summary: 'The form where people sign in with a browser; next is the path that they go to afterwards',
    auth: 'none',
    query: nextQuery,
    answers: { 200: { description: 'The form', content: { [html]: undefined } } },
  }),
  'POST /auth/sign-in': signingIn({
    summary: 'Signs in, and sets the cookie that is looked at under /auth and /oauth alone',
    auth: 'email and password, sent from the form of this server',
    form: signInFields,
    isForPeople: true,
    answers: { 200: { description: 'A page that leads on', content: { [html]: undefined } } },
  }),
  'POST /auth/sign-out': signingIn({
    summary: 'Signs this browser out',
    auth: 'the cookie, and a form of this server',
    form: signOutFields,
    isForPeople: true,
    answers: { 200: { description: 'It is signed out', content: { [html]: undefined } } },
  }),
  'GET /auth/external': signingIn({
    summary: 'Sends a browser to the OpenID provider of the settings, to sign in, or with code to accept an invitation',
    auth: 'none',
    query: codeQuery.extend(nextQuery.shape),
    refusals: [404],
    answers: {
      302: { description: 'To the provider', content: {} },
      503: { description: 'The provider cannot be reached', content: { [html]: undefined } },
    },
  }),
  'POST /auth/external': signingIn({
    summary: 'Begins to connect an identity at the provider with the account that is signed in',
    auth: 'the cookie, a form of this server, and the password',
    form: linkFields,
    isForPeople: true,
    refusals: [404],
    answers: { 200: { description: 'A page that leads on', content: { [html]: undefined } } },
  }),
  'GET /auth/external/callback': signingIn({
    summary: 'Where the provider sends people back to',
    auth: 'what the browser kept since it left, and the answer of the provider',
    refusals: [403, 404, 409],
    answers: { 200: { description: 'A page that leads on', content: { [html]: undefined } } },
  }),
  'POST /auth/external/unlink': signingIn({
    summary: 'Disconnects an identity from the account that is signed in',
    auth: 'the cookie, and a form of this server',
    form: unlinkFields,
    isForPeople: true,
    refusals: [404],
    answers: { 200: { description: 'It is disconnected', content: { [html]: undefined } } },
  }),
  'GET /auth/account': signingIn({
    summary: "One's own account: where one is signed in, and which clients were let in",
    auth: 'the cookie of a browser',
    answers: { 200: { description: 'The page', content: { [html]: undefined } } },
  }),
  'POST /auth/sessions/end': signingIn({
    summary: 'Ends one session of the account, or all',
    auth: 'the cookie of a browser, in a form of this server',
    form: endSessionFields,
    isForPeople: true,
    answers: { 200: { description: 'That it has ended', content: { [html]: undefined } } },
  }),
  'POST /auth/session-token': signingIn({
    summary: "Gives the explorer a JWT for the browser's cookie",
    auth: 'the cookie of a browser, from a page of this server',
    refusals: [403],
    body: z.looseObject({}).describe('Empty. Only pages of this server can send JSON.'),
    answers: {
      200: { description: 'The JWT of the session', content: { [json]: sessionToken } },
      204: { description: 'Nobody is signed in', content: {} },
    },
  }),
  'GET /.well-known/openid-configuration': signingIn({
    summary: 'The OAuth server, as OpenID Connect names it; the same as oauth-authorization-server',
    auth: 'none',
    answers: { 200: { description: 'The document', content: { [oauthJson]: undefined } } },
  }),
  'GET /.well-known/jwks.json': signingIn({
    summary: 'The public keys that session tokens are signed with',
    auth: 'none',
    answers: { 200: { description: 'The keys', content: { 'application/jwk-set+json; charset=utf-8': undefined } } },
  }),
  'GET /oauth/authorize': signingIn({
    summary: 'Begins an authorization: code with PKCE (S256); leads to pages where somebody signs in and decides',
    auth: 'the cookie of who is signed in',
    refusal: OAUTH_REFUSAL,
    isForPeople: true,
    answers: { 303: { description: 'To the pages, or back to the client', content: {} } },
  }),
  'GET /oauth/authorize/:uid': signingIn({
    summary: 'Goes on with an authorization after the pages',
    auth: 'the cookie of who is signed in',
    refusal: OAUTH_REFUSAL,
    isForPeople: true,
    answers: { 303: { description: 'Back to the client, with a code', content: {} } },
  }),
  'POST /oauth/token': signingIn({
    summary: 'Tokens for a code, a device code or a refresh token, which is rotated',
    auth: 'the client, and what it was given',
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
    summary: 'Ends the session that a refresh token belongs to (RFC 7009)',
    auth: 'the client, and the token',
    otherBody: { [form]: revocation },
    refusal: OAUTH_REFUSAL,
    answers: { 200: { description: 'It is over', content: { [oauthJson]: undefined } } },
  }),
  'POST /oauth/device-authorization': signingIn({
    summary: 'Begins a sign-in on a device without a browser (RFC 8628)',
    auth: 'the client',
    otherBody: { [form]: deviceRequest },
    refusal: OAUTH_REFUSAL,
    answers: { 200: { description: 'The codes', content: { [oauthJson]: undefined } } },
  }),
  'GET /oauth/device': signingIn({
    summary: 'The page where people type the code that a device shows',
    auth: 'none',
    refusal: OAUTH_REFUSAL,
    answers: { 200: { description: 'The form', content: { [html]: undefined } }, 303: REDIRECT },
  }),
  'POST /oauth/device': signingIn({
    summary: 'Takes the code, and leads to the pages where somebody signs in and decides',
    auth: 'the cookie, and a form of this server',
    otherBody: { [form]: undefined },
    refusal: OAUTH_REFUSAL,
    refusals: [403],
    answers: { 200: { description: 'The next page', content: { [html]: undefined } }, 303: REDIRECT },
  }),
  'GET /oauth/device/:uid': signingIn({
    summary: 'Goes on after the pages',
    auth: 'the cookie of who is signed in',
    refusal: OAUTH_REFUSAL,
    answers: { 200: { description: 'The device is connected', content: { [html]: undefined } }, 303: REDIRECT },
  }),
  'GET /auth/interaction/:uid': signingIn({
    summary: 'The page where somebody decides what a client may do',
    auth: 'the cookie of who is signed in',
    refusals: [409],
    answers: { 200: { description: 'The question', content: { [html]: undefined } } },
  }),
  'POST /auth/interaction/:uid': signingIn({
    summary: 'Allows or refuses it',
    auth: 'the cookie, and a form of this server',
    form: decisionFields,
    isForPeople: true,
    answers: { 200: { description: 'A page that leads on', content: { [html]: undefined } } },
  }),
} as const satisfies Record<string, RouteRow>;
