// The page of one's own account: where one is signed in, which clients were let in, and how to end that.
import type { SessionRecord } from '@cairn/protocol/session';
import { endSessionFields } from '@cairn/protocol/sign-in-routes';
import { utcTimeText } from '@cairn/protocol/time-text';
import { html } from 'hono/html';
import type { z } from 'zod';
import { browserName } from '../http/browser-name.ts';
import { type EdgeContext, originOf, type RouteHandler } from '../http/env.ts';
import { answerForm, answerPage, type Done, onwardTo } from '../http/form.ts';
import type { Html } from '../http/page.ts';
import { requireOwnForm, sessionCookies, signedIn } from '../http/signed-in.ts';
import type { BrowserSession } from './browser-session.ts';
import { identitySection } from './oauth/identity-section.route.ts';
import { endEverySession, endOneSession, newestSessions } from './session.ts';

const title = 'Your account';
const SESSIONS_MAX = 200;

export const accountPage: RouteHandler = async (c) => {
  const session = await signedIn(c);
  if (session === undefined) return await answerPage(c, { title, ...onwardTo('/auth/sign-in', 'Sign in first') });
  return await answerPage(c, { title, content: await account(c, session) });
};

export const endSessions: RouteHandler = async (c) => {
  const session = await signedIn(c);
  return await answerForm(c, {
    title,
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

/** `all` is everything, this browser too. */
async function end(
  c: EdgeContext,
  session: BrowserSession,
  { id, all }: z.output<typeof endSessionFields>,
): Promise<Done> {
  const { store, settings } = c.get('deps');
  const origin = originOf(c);
  if (all !== undefined) await endEverySession(store, session, { origin });
  else await endOneSession(store, session, { id: id ?? '', origin });
  if (all === undefined && id !== session.sessionId) return onwardTo('/auth/account', 'It has ended');
  return { content: signedOut(all !== undefined), cookies: sessionCookies(settings) };
}

function signedOut(everywhere: boolean): Html {
  return html`<h1>You are signed out${everywhere ? ' everywhere' : ''}</h1>
    <p><a href="/auth/sign-in">Sign in again</a></p>`;
}

async function account(c: EdgeContext, session: BrowserSession, problem?: Html): Promise<Html> {
  const { handle, email, csrf } = session;
  const all = await newestSessions(c.get('deps').store, session, SESSIONS_MAX);
  const [browsers, clients] = [
    all.filter(({ kind }) => kind === 'browser'),
    all.filter(({ kind }) => kind === 'client'),
  ];
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
    <p>This ends all of them at once, this browser too. Tokens stay as they are.</p>
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

/** A client may call itself what it likes: where it is known whose it is, that is shown too. */
function nameOf({ kind, client, agent }: SessionRecord): string {
  if (client === undefined) return kind === 'browser' ? browserName(agent) : 'A client';
  return client.host === undefined ? client.name : `${client.name} (${client.host})`;
}

function csrfField(csrf: string): Html {
  return html`<input type="hidden" name="csrf" value="${csrf}">`;
}
