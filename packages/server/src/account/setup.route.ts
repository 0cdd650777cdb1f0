// The pages for the one-time set-up link and for invitations.

import { utcDayText } from '@cairn/model/time-text';
import type { MintedToken } from '@cairn/protocol/account';
import { inviteFields, setupFields } from '@cairn/protocol/sign-in-routes';
import { html } from 'hono/html';
import { type Exchange, originOf, type RouteHandler } from '../http/exchange.ts';
import { answerForm, answerPage, answerRefusal, isFromProgram } from '../http/form.ts';
import type { Html } from '../http/page.ts';
import { visitorOf } from '../http/rate-limit.ts';
import { requireSameOrigin, signedIn, signInBrowser } from '../http/signed-in.ts';
import { checkSetupCode, isSetUp, setUpOwner } from './account.ts';
import { acceptInvitation, answerProgram, type Joined, type ShownInvitation, showInvitation } from './invitation.ts';
import { type BrowserSession, signIn } from './session.ts';
import { newAccountFields } from './sign-up.route.ts';

const SETUP_TITLE = 'Set up';

export const setupForm: RouteHandler = async (c) => {
  const code = c.query('code') ?? '';
  try {
    await checkSetupCode(c.deps.store, code);
  } catch (error) {
    return await answerRefusal(c, error, { title: SETUP_TITLE, content: (problem) => setupRefused(c, problem) });
  }
  return await answerPage(c, { title: SETUP_TITLE, content: form({ code, email: '' }) });
};

export const setup: RouteHandler = async (c) => {
  const { store, settings } = c.deps;
  return await answerForm(c, {
    title: SETUP_TITLE,
    fields: setupFields,
    submit: (given) => setUpOwner(store, given, originOf(c)),
    done: async (made, { email, password }) => {
      const whose = await signIn(store, { email: email.toLowerCase(), password, visitor: visitorOf(c) });
      const { cookies = [] } = await signInBrowser(c, whose);
      return { content: welcome(made, settings.publicUrl), cookies };
    },
    again: async (given, problem) =>
      await checkSetupCode(store, given.code).then(
        () => form(given, problem),
        () => setupRefused(c, problem),
      ),
  });
};

async function setupRefused(c: Exchange, problem: Html): Promise<Html> {
  if (!(await isSetUp(c.deps.store))) return html`<h1>Set up</h1>${problem}`;
  return html`<h1>Set up</h1>
    <p class="problem" role="alert">This server is already set up, so the link no longer works.</p>
    <p><a class="button" href="/auth/sign-in">Sign in</a></p>`;
}

function form(
  { code, email, name = '' }: { code: string; email: string; name?: string | undefined },
  problem?: Html,
): Html {
  return html`<h1>Set up this server</h1>
    ${problem}
    <p>Create the first account, which owns the server. The link works once.</p>
    <form method="post" action="/auth/setup">
      <input type="hidden" name="code" value="${code}">
      <label>Email <input type="email" name="email" value="${email}" required autocomplete="email"></label>
      ${newAccountFields(name, 'username')}
      <button>Create the owner</button>
    </form>`;
}

function welcome({ handle, token, expiresAt }: MintedToken & { handle: string }, publicUrl: string): Html {
  return html`<h1>Welcome, ${handle}</h1>
    <p>You are signed in. To use the browser, you need nothing else: create a demo repository, or one of your own.</p>
    <p><a class="button" href="/">Open the explorer</a></p>
    <h2>For scripts and agents: a token</h2>
    <p>Anyone with this token can do everything that you can, until ${utcDayText(expiresAt)}. It is shown only
      once: copy it to your password manager. A click selects all of it.</p>
    <pre class="secret">${token}</pre>
    <p>Scripts read the token from the environment. To try it, replace the dots with the token:</p>
    <pre tabindex="0">export CAIRN_URL=${publicUrl}
export CAIRN_TOKEN=…
cairn auth whoami</pre>
    <p>You can revoke this token and create others under <a href="/-/tokens">Tokens</a>.</p>
    <h2>For yourself in a terminal: no token</h2>
    <p>This command shows a code, opens a page of this server that asks for the code, and keeps you signed in:</p>
    <pre tabindex="0">cairn auth login --url ${publicUrl}</pre>
    <p>In the checkout of the server, write <code>npx cairn</code> instead of <code>cairn</code>. Elsewhere,
      <a href="/docs/cli#install-the-command">install it</a> first.</p>`;
}

const titleInvite = 'Invitation';

export const inviteForm: RouteHandler = async (c) => {
  const code = c.query('code') ?? '';
  try {
    const { store, externalProvider } = c.deps;
    const known = { provider: externalProvider?.name, session: await signedIn(c) };
    const content = formInvite(await showInvitation(store, code), { code, ...known });
    return await answerPage(c, { title: titleInvite, content });
  } catch (error) {
    return await answerRefusal(c, error, { title: titleInvite, content: refusedInvite });
  }
};

export const invite: RouteHandler = async (c) => {
  const { store, externalProvider } = c.deps;
  // Accepting signs in, so another site could otherwise sign this browser in with an invitation of its own.
  if (!isFromProgram(c)) requireSameOrigin(c);
  const visitor = visitorOf(c);
  return await answerForm(c, {
    title: titleInvite,
    fields: inviteFields,
    submit: (given) => acceptInvitation(store, given, visitor),
    told: (accepted) => answerProgram(store, accepted, visitor),
    done: async ({ joined, email, credential }, { password }) => {
      const whose = credential ?? (await signIn(store, { email, password, visitor }));
      const { cookies = [] } = await signInBrowser(c, whose);
      return { content: welcomeInvite(joined), cookies };
    },
    again: async (given, problem) =>
      await showInvitation(store, given.code).then(
        async (invitation) =>
          formInvite(invitation, { ...given, problem, provider: externalProvider?.name, session: await signedIn(c) }),
        () => refusedInvite(problem),
      ),
  });
};

function refusedInvite(problem: Html): Html {
  return html`<h1>Invitation</h1>${problem}`;
}

interface InviteEntered {
  readonly code: string;
  readonly name?: string | undefined;
  readonly problem?: Html;
  readonly provider: string | undefined;
  readonly session: BrowserSession | undefined;
}

function formInvite(invitation: ShownInvitation, { code, name = '', problem, provider, session }: InviteEntered): Html {
  const { email, role, invitedBy, hasAccount } = invitation;
  const password = html`<label>Password <input type="password" name="password" required autocomplete="current-password">
    <small>Of the account with this email address</small></label>`;
  return html`<h1>Join ${homeName(invitation)}</h1>
    ${problem}
    <p>${invitedBy} invites ${email} to ${homeName(invitation)} as ${role}. The link works once.</p>
    ${session === undefined || session.email === email ? '' : somebodyElse(invitation, session)}
    <form method="post" action="/auth/invite">
      <input type="hidden" name="code" value="${code}">
      ${hasAccount ? password : newAccountFields(name, 'username')}
      <button>Accept</button>
    </form>
    ${provider === undefined ? '' : html`<p><a href="/auth/external?code=${code}">Accept with ${provider}</a></p>`}`;
}

function somebodyElse({ email, hasAccount, invitedBy }: ShownInvitation, session: BrowserSession): Html {
  return html`<p role="note"><strong>You are signed in as ${session.handle}.</strong> The invitation is for ${email}:
    if you accept it, this browser switches to ${hasAccount ? 'the account of' : 'a new account for'} that
    address. To join as ${session.handle}, ask ${invitedBy} to invite ${session.email} instead.</p>`;
}

function welcomeInvite({ handle, role, ...place }: Joined): Html {
  return html`<h1>Welcome, ${handle}</h1>
    <p>You are signed in and have the role ${role} in ${homeName(place)}.</p>
    <p><a href="/${homeName(place)}">Go to ${homeName(place)}</a></p>`;
}

function homeName({ orgName, repoName }: { orgName: string; repoName?: string | undefined }): string {
  return repoName === undefined ? orgName : `${orgName}/${repoName}`;
}
