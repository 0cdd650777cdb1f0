// Browser sign-in and sign-out, and session tokens for the explorer.
import { signInFields, signOutFields } from '@cairn/protocol/sign-in-routes';
import { html } from 'hono/html';
import { answer, answerJson } from '../http/answer.ts';
import { type Exchange, type RouteHandler, readBody } from '../http/exchange.ts';
import { answerForm, answerPage } from '../http/form.ts';
import type { Html } from '../http/page.ts';
import { localPath } from '../http/query.ts';
import { visitorOf } from '../http/rate-limit.ts';
import { requireOwnForm, requireSameOrigin, sessionCookies, signedIn, signInBrowser } from '../http/signed-in.ts';
import { issueSessionToken } from '../keys/session-jwt.ts';
import { isSetUp } from './account.ts';
import { type BrowserSession, signIn as checkPassword, endBrowserSession } from './session.ts';

const SIGN_IN_TITLE = 'Sign in';

export const signInForm: RouteHandler = async (c) => {
  if (!(await isSetUp(c.deps.store))) return await answerPage(c, { title: SIGN_IN_TITLE, content: setUpFirst() });
  const next = c.query('next');
  const content = html`${form({ email: '', next }, besideOf(c))}${already(await signedIn(c), next)}`;
  return await answerPage(c, { title: SIGN_IN_TITLE, content });
};

/** A sign-in for an application needs the form even if somebody is signed in. */
function already(session: BrowserSession | undefined, next: string | undefined): Html | undefined {
  if (session === undefined || isOfApplication(next)) return undefined;
  return html`<p>You are already signed in as ${session.handle}.
    <a href="${localPath(next) ?? '/'}">Continue</a>, or sign in above with another account.</p>`;
}

const isOfApplication = (next: string | undefined): boolean => next?.startsWith('/auth/interaction/') === true;

function setUpFirst(): Html {
  return html`<h1>Sign in</h1>
    <p>This server has no account yet. Open the set-up link that the server printed when it started, or create the
      first account on its machine with <code>cairn admin create-user</code>.</p>`;
}

export const signIn: RouteHandler = async (c) => {
  requireSameOrigin(c);
  const { store } = c.deps;
  const visitor = visitorOf(c);
  return await answerForm(c, {
    title: SIGN_IN_TITLE,
    fields: signInFields,
    people: true,
    submit: async ({ email, password, next }) => {
      const known = await checkPassword(store, { email: email.toLowerCase(), password, visitor });
      const { accountId, passwordHash } = known;
      return await signInBrowser(c, { accountId, passwordHash, next });
    },
    done: (done) => done,
    again: (given, problem) => form(given, { ...besideOf(c), problem }),
  });
};

export const signOut: RouteHandler = async (c) => {
  const { store, settings } = c.deps;
  const session = await signedIn(c);
  return await answerForm(c, {
    title: 'Sign out',
    fields: signOutFields,
    people: true,
    submit: async ({ csrf }) => {
      if (session === undefined) return;
      requireOwnForm(c, session, csrf);
      await endBrowserSession(store, session);
    },
    done: () => ({
      content: html`<h1>You are signed out</h1><p><a href="/auth/sign-in">Sign in again</a></p>`,
      cookies: sessionCookies(settings),
    }),
    again: (_given, problem) => html`<h1>Sign out</h1>${problem}`,
  });
};

interface Beside {
  readonly problem?: Html;
  readonly provider: string | undefined;
  readonly open: boolean;
}

function besideOf(c: Exchange): Beside {
  const { externalProvider, settings } = c.deps;
  return { provider: externalProvider?.name, open: settings.signup === 'open' };
}

function form(
  { email, next }: { email: string; next?: string | undefined },
  { problem, provider, open }: Beside,
): Html {
  const path = localPath(next);
  const query = path === undefined ? '' : `?next=${encodeURIComponent(path)}`;
  return html`<h1>Sign in</h1>
    ${problem}
    ${isOfApplication(path) ? html`<p>Next, you decide whether a device or an application can act for you.</p>` : ''}
    <form method="post" action="/auth/sign-in">
      ${path === undefined ? '' : html`<input type="hidden" name="next" value="${path}">`}
      <label>Email <input type="email" name="email" value="${email}" required autocomplete="username" autofocus></label>
      <label>Password <input type="password" name="password" required autocomplete="current-password"></label>
      <button>Sign in</button>
    </form>
    ${provider === undefined ? '' : html`<p><a href="/auth/external${query}">Continue with ${provider}</a></p>`}
    <p><a href="/auth/forgot">Forgotten password</a></p>
    ${open ? html`<p><a href="/auth/sign-up${query}">Create an account</a></p>` : ''}`;
}

const BODY_BYTES_MAX = 1_024;
const NO_STORE = { 'cache-control': 'no-store' };

export const sessionToken: RouteHandler = async (c) => {
  requireSameOrigin(c);
  // A form cannot send JSON: a second barrier if a browser does not tell the origin.
  await readBody(c, { contentType: 'application/json', maxBytes: BODY_BYTES_MAX });
  const session = await signedIn(c);
  if (session === undefined) return await answer(c, { status: 204, body: null, headers: NO_STORE });
  const { signingKeys, settings } = c.deps;
  const issuer = { signingKeys, publicUrl: settings.publicUrl };
  const issued = await issueSessionToken(issuer, session);
  return await answerJson(c, issued, { headers: NO_STORE });
};
