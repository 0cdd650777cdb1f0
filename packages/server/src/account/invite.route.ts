// The page behind the link of an invitation.
import { inviteFields } from '@cairn/protocol/sign-in-routes';
import { html } from 'hono/html';
import type { RouteHandler } from '../http/env.ts';
import { answerForm, answerPage, answerRefusal, isFromProgram } from '../http/form.ts';
import type { Html } from '../http/page.ts';
import { visitorOf } from '../http/rate-limit.ts';
import { requireSameOrigin, signedIn, signInBrowser } from '../http/signed-in.ts';
import { type BrowserSession, signIn } from './browser-session.ts';
import { acceptInvitation, answerProgram, type Joined, type ShownInvitation, showInvitation } from './invitation.ts';
import { newAccountFields } from './sign-up.route.ts';

const title = 'Invitation';

export const inviteForm: RouteHandler = async (c) => {
  const code = c.req.query('code') ?? '';
  try {
    const { store, externalProvider } = c.var.deps;
    const known = { provider: externalProvider?.name, session: await signedIn(c) };
    const content = form(await showInvitation(store, code), { code, ...known });
    return await answerPage(c, { title, content });
  } catch (error) {
    return await answerRefusal(c, error, { title, content: refused });
  }
};

export const invite: RouteHandler = async (c) => {
  const { store, externalProvider } = c.var.deps;
  // It signs in: with an invitation of their own, another page could make this browser theirs.
  if (!isFromProgram(c)) requireSameOrigin(c);
  const visitor = visitorOf(c);
  return await answerForm(c, {
    title,
    fields: inviteFields,
    submit: (given) => acceptInvitation(store, given, visitor),
    told: (accepted) => answerProgram(store, accepted, visitor),
    done: async ({ joined, email, credential }, { password }) => {
      const whose = credential ?? (await signIn(store, { email, password, visitor }));
      const { cookies = [] } = await signInBrowser(c, whose);
      return { content: welcome(joined), cookies };
    },
    // Where the code was refused, or is used up by now, there is nothing to fill in again.
    again: async (given, problem) =>
      await showInvitation(store, given.code).then(
        async (invitation) =>
          form(invitation, { ...given, problem, provider: externalProvider?.name, session: await signedIn(c) }),
        () => refused(problem),
      ),
  });
};

function refused(problem: Html): Html {
  return html`<h1>Invitation</h1>${problem}`;
}

interface Entered {
  readonly code: string;
  readonly name?: string | undefined;
  readonly problem?: Html;
  /** The name of another way to sign in. */
  readonly provider: string | undefined;
  /** Of who is signed in with this browser. */
  readonly session: BrowserSession | undefined;
}

function form(invitation: ShownInvitation, { code, name = '', problem, provider, session }: Entered): Html {
  const { email, role, invitedBy, hasAccount } = invitation;
  return html`<h1>Join ${placeOf(invitation)}</h1>
    ${problem}
    <p>${invitedBy} invites ${email} to ${placeOf(invitation)}, as ${role}. The link works once.</p>
    ${session === undefined || session.email === email ? '' : somebodyElse(invitation, session)}
    <form method="post" action="/auth/invite">
      <input type="hidden" name="code" value="${code}">
      ${hasAccount ? passwordOfAccount() : newAccountFields({ name, autocomplete: 'username' })}
      <button>Accept</button>
    </form>
    ${provider === undefined ? '' : html`<p><a href="/auth/external?code=${code}">Accept with ${provider}</a></p>`}`;
}

/** The link decides whose account it is, and the browser is that account's afterwards. */
function somebodyElse({ email, hasAccount, invitedBy }: ShownInvitation, session: BrowserSession): Html {
  return html`<p role="note"><strong>You are signed in as ${session.handle}.</strong> The invitation is not for that account:
    to accept it ${hasAccount ? 'takes the account of' : 'makes another account, for'} ${email}, and signs this browser over to
    it. To join as ${session.handle}, ask ${invitedBy} to invite ${session.email} instead.</p>`;
}

function passwordOfAccount(): Html {
  return html`<label>Password <input type="password" name="password" required autocomplete="current-password">
    <small>of the account that has this email address</small></label>`;
}

function welcome({ handle, role, ...place }: Joined): Html {
  return html`<h1>Welcome, ${handle}</h1>
    <p>You are signed in, and have the role ${role} in ${placeOf(place)}.</p>
    <p><a href="/${placeOf(place)}">Go to ${placeOf(place)}</a></p>`;
}

function placeOf({ orgName, repoName }: { orgName: string; repoName?: string | undefined }): string {
  return repoName === undefined ? orgName : `${orgName}/${repoName}`;
}
