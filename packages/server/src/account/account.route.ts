// The account pages: sessions, connected clients and passwords.

import { utcTimeText } from '@cairn/model/time-text';
import type { SessionRecord } from '@cairn/protocol/account';
import { endSessionFields, passwordFields, resetFields } from '@cairn/protocol/sign-in-routes';
import { html } from 'hono/html';
import type { z } from 'zod';
import { type Exchange, originOf, type RouteHandler } from '../http/exchange.ts';
import { answerForm, answerPage, answerRefusal, csrfField, type Done, onwardTo } from '../http/form.ts';
import type { Html } from '../http/page.ts';
import { visitorOf } from '../http/rate-limit.ts';
import { requireOwnForm, sessionCookies, signedIn } from '../http/signed-in.ts';
import { identitySection } from './oauth/interaction.route.ts';
import { changePassword, checkResetCode, type PasswordSet, resetPassword } from './password.ts';
import { type BrowserSession, endEverySession, endOneSession, newestSessions } from './session.ts';

const ACCOUNT_TITLE = 'Your account';
const SESSIONS_MAX = 200;

export const accountPage: RouteHandler = async (c) => {
  const session = await signedIn(c);
  if (session === undefined)
    return await answerPage(c, { title: ACCOUNT_TITLE, ...onwardTo('/auth/sign-in', 'Sign in first') });
  return await answerPage(c, { title: ACCOUNT_TITLE, content: await account(c, session) });
};

export const endSessions: RouteHandler = async (c) => {
  const session = await signedIn(c);
  return await answerForm(c, {
    title: ACCOUNT_TITLE,
    fields: endSessionFields,
    people: true,
    submit: async (given) => {
      if (session === undefined) return onwardTo('/auth/sign-in', 'Sign in first');
      requireOwnForm(c, session, given.csrf);
      return await end(c, session, given);
    },
    done: (done) => done,
    again: async (_given, problem) =>
      session === undefined ? html`<h1>Your account</h1>${problem}` : await account(c, session, problem),
  });
};

async function end(
  c: Exchange,
  session: BrowserSession,
  { id, all }: z.output<typeof endSessionFields>,
): Promise<Done> {
  const { store, settings } = c.deps;
  const origin = originOf(c);
  if (all !== undefined) await endEverySession(store, session, { origin });
  else await endOneSession(store, session, { id: id ?? '', origin });
  if (all === undefined && id !== session.sessionId) return onwardTo('/auth/account', 'The session has ended');
  const content = html`<h1>You are signed out${all === undefined ? '' : ' everywhere'}</h1>
    <p><a href="/auth/sign-in">Sign in again</a></p>`;
  return { content, cookies: sessionCookies(settings) };
}

async function account(c: Exchange, session: BrowserSession, problem?: Html): Promise<Html> {
  const { handle, email, csrf } = session;
  const all = await newestSessions(c.deps.store, session, SESSIONS_MAX);
  const { browser: browsers = [], client: clients = [] } = Object.groupBy(all, ({ kind }) => kind);
  return html`<h1>${handle}</h1>
    ${problem}
    <p>You sign in as ${email}.</p>
    <p><a href="/auth/password">Change your password</a></p>
    <h2>Browsers</h2>
    <ul>${browsers.map((one) => sessionItem(one, csrf))}</ul>
    <form method="post" action="/auth/sign-out">${csrfField(csrf)}<button>Sign out</button></form>
    <h2>Connected clients</h2>
    ${clients.length === 0 ? html`<p>None.</p>` : html`<ul>${clients.map((one) => sessionItem(one, csrf))}</ul>`}
    ${await identitySection(c, session)}
    <h2>Everywhere</h2>
    <p>This ends all sessions at once, including this browser. Tokens stay valid.</p>
    <form method="post" action="/auth/sessions/end">
      ${csrfField(csrf)}<input type="hidden" name="all" value="yes"><button>Sign out everywhere</button>
    </form>`;
}

function sessionItem(one: SessionRecord, csrf: string): Html {
  return html`<li>
    <strong>${nameOf(one)}</strong>${one.current ? ' (this browser)' : ''}<br>
    <small>since ${utcTimeText(one.createdAt)}${one.address === undefined ? '' : `, from ${one.address}`}${
      one.lastUsedAt === undefined ? '' : `, last used ${utcTimeText(one.lastUsedAt)}`
    }</small>
    ${one.current ? '' : endForm(one, csrf)}</li>`;
}

function endForm(one: SessionRecord, csrf: string): Html {
  return html`<form method="post" action="/auth/sessions/end">
      ${csrfField(csrf)}<input type="hidden" name="id" value="${one.id}">
      <button class="secondary" aria-label="End: ${nameOf(one)}, since ${utcTimeText(one.createdAt)}">End</button>
    </form>`;
}

function nameOf({ kind, client, agent }: SessionRecord): string {
  if (client === undefined) return kind === 'browser' ? browserName(agent) : 'A client';
  return client.host === undefined ? client.name : `${client.name} (${client.host})`;
}

const titlePassword = 'Password';

export const resetForm: RouteHandler = async (c) => {
  const code = c.query('code') ?? '';
  try {
    const { handle } = await checkResetCode(c.deps.store, code);
    return await answerPage(c, { title: titlePassword, content: newPassword({ handle, code }) });
  } catch (error) {
    return await answerRefusal(c, error, { title: titlePassword, content: passwordRefused });
  }
};

export const reset: RouteHandler = async (c) => {
  const { store } = c.deps;
  return await answerForm(c, {
    title: titlePassword,
    fields: resetFields,
    submit: (given) => resetPassword(store, given, originOf(c)),
    done,
    again: async ({ code }, problem) =>
      await checkResetCode(store, code).then(
        ({ handle }) => newPassword({ handle, code, problem }),
        () => passwordRefused(problem),
      ),
  });
};

export const passwordForm: RouteHandler = (c) => answerPage(c, { title: titlePassword, content: change('') });

export const password: RouteHandler = async (c) => {
  const { store } = c.deps;
  return await answerForm(c, {
    title: titlePassword,
    fields: passwordFields,
    submit: (given) => changePassword(store, given, visitorOf(c)),
    done,
    again: ({ email }, problem) => change(email, problem),
  });
};

function passwordRefused(problem: Html): Html {
  return html`<h1>Password</h1>${problem}<p><a href="/auth/forgot">Forgotten password</a></p>`;
}

function newPassword({ handle, code, problem }: { handle: string; code: string; problem?: Html }): Html {
  return html`<h1>New password for ${handle}</h1>
    ${problem}
    <form method="post" action="/auth/reset">
      <input type="hidden" name="code" value="${code}">
      ${newPasswordField()}
      <button>Set the password</button>
    </form>`;
}

function change(email: string, problem?: Html): Html {
  return html`<h1>Change your password</h1>
    ${problem}
    <form method="post" action="/auth/password">
      <label>Email <input type="email" name="email" value="${email}" required autocomplete="username"></label>
      <label>Current password <input type="password" name="password" required autocomplete="current-password"></label>
      ${newPasswordField()}
      <button>Change the password</button>
    </form>`;
}

function newPasswordField(): Html {
  return html`<label>New password
    <input type="password" name="newPassword" required minlength="12" autocomplete="new-password">
    <small>At least 12 characters</small></label>`;
}

function done({ handle, tokensEnded }: PasswordSet): Html {
  const tokens = tokensEnded
    ? 'This link has verified your address, so earlier tokens and other ways to sign in have ended, too'
    : 'Tokens stay valid';
  return html`<h1>Password changed</h1>
    <p>The password of ${handle} is set, and all its sessions have ended. ${tokens}.</p>
    <p><a href="/auth/sign-in">Sign in</a></p>`;
}

// The order matters: most browsers also name the ones they resemble.
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Headless)?Chrom(e|ium)\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(iPhone|iPad)\b/, 'iOS'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bWindows\b/, 'Windows'],
  [/\b(Linux|X11)\b/, 'Linux'],
];

export function browserName(agent: string | undefined): string {
  if (agent === undefined) return 'A browser';
  const [, browser] = BROWSERS.find(([form]) => form.test(agent)) ?? [];
  if (browser === undefined) return agent;
  const [, system] = SYSTEMS.find(([form]) => form.test(agent)) ?? [];
  return system === undefined ? browser : `${browser} on ${system}`;
}
