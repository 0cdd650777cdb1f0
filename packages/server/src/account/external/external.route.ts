// Routes for external sign-in: to the provider, back from it, and linking identities to an account.
import { CairnError, fail } from '@cairn/protocol/errors';
import { linkFields, unlinkFields } from '@cairn/protocol/sign-in-routes';
import { html } from 'hono/html';
import { answer } from '../../http/answer.ts';
import { type Answered, type Deps, type Exchange, originOf, type RouteHandler } from '../../http/exchange.ts';
import { answerForm, answerPage, answerRefusal, type Done, onwardTo } from '../../http/form.ts';
import type { Html } from '../../http/page.ts';
import { localPath } from '../../http/query.ts';
import { visitorOf } from '../../http/rate-limit.ts';
import {
  cookieOf,
  externalFlowCookie,
  externalFlowCookieName,
  requireOwnForm,
  signedIn,
  signInBrowser,
} from '../../http/signed-in.ts';
import { showInvitation } from '../invitation.ts';
import { answerSeeOther, connect } from '../oauth/interaction.route.ts';
import type { BrowserSession } from '../session.ts';
import {
  acceptExternally,
  confirmOwner,
  type ExternalIntent,
  linkIdentity,
  listIdentities,
  openFlow,
  unlinkIdentity as removeIdentity,
  sealFlow,
  signInExternally,
} from './external-sign-in.ts';

const EXTERNAL_TITLE = 'Sign in';

type Provider = NonNullable<Deps['externalProvider']>;

export const begin: RouteHandler = async (c) => {
  try {
    const code = c.query('code');
    if (code !== undefined && isFromElsewhere(c))
      return await answerSeeOther(c, `/auth/invite?code=${encodeURIComponent(code)}`);
    if (code !== undefined) await showInvitation(c.deps.store, code);
    const { address, cookie } = await depart(
      c,
      code === undefined ? { kind: 'sign-in', next: localPath(c.query('next')) } : { kind: 'invitation', code },
    );
    const headers = { location: address, 'cache-control': 'no-store' };
    return await answer(c, { status: 302, body: null, headers, cookies: [cookie] });
  } catch (error) {
    return await answerProblem(c, error);
  }
};

/** Another site could link the victim's identity to the attacker's account, so the user confirms first. */
function isFromElsewhere(c: Exchange): boolean {
  return ['cross-site', 'same-site'].includes(c.header('sec-fetch-site') ?? '');
}

/** A form, not a link: another site must not be able to start linking an identity to somebody's account. */
export const link: RouteHandler = async (c) => {
  const { store } = c.deps;
  const session = await signedIn(c);
  return await answerForm(c, {
    title: 'Connect',
    fields: linkFields,
    people: true,
    submit: async ({ csrf, password }) => {
      const mine = requireSignedIn(session);
      requireOwnForm(c, mine, csrf);
      await confirmOwner(store, mine, { password, visitor: visitorOf(c) });
      return await depart(c, { kind: 'link', sessionId: mine.sessionId });
    },
    done: ({ address, cookie }) => ({
      ...onwardTo(address, `Continue to ${requireProvider(c).name}`),
      cookies: [cookie],
    }),
    again: async (_given, problem) => await linkAgain(c, session, problem),
  });
};

async function linkAgain(c: Exchange, session: BrowserSession | undefined, problem: Html): Promise<Html> {
  const { store, externalProvider } = c.deps;
  if (session === undefined || externalProvider === undefined) return externalRefused(problem);
  const { hasPassword } = await listIdentities(store, session.accountId);
  const form = connect(externalProvider.name, session.csrf, hasPassword);
  return html`<h1>Connect ${externalProvider.name}</h1>${problem}${form}`;
}

async function depart(c: Exchange, intent: ExternalIntent): Promise<{ address: string; cookie: string }> {
  const { settings, keys } = c.deps;
  const { address, checks } = await requireProvider(c).begin();
  const sealed = sealFlow(keys.externalFlow, { checks, intent }, Date.now());
  return { address, cookie: externalFlowCookie(settings, sealed) };
}

/** The cookie is used up whatever the outcome. */
export const callback: RouteHandler = async (c) => {
  const { settings, keys } = c.deps;
  const used = externalFlowCookie(settings);
  try {
    const provider = requireProvider(c);
    const sealed = cookieOf(c, externalFlowCookieName(settings));
    const { checks, intent } = openFlow(keys.externalFlow, sealed, Date.now());
    const person = await provider.finish(c.search, checks);
    const { cookies = [], ...done } = await arrive(c, { intent, person, provider });
    return await answerPage(c, { title: EXTERNAL_TITLE, ...done, cookies: [...cookies, used] });
  } catch (error) {
    return await answerProblem(c, error, [used]);
  }
};

interface Arrival {
  readonly intent: ExternalIntent;
  readonly person: Awaited<ReturnType<Provider['finish']>>;
  readonly provider: Provider;
}

async function arrive(c: Exchange, { intent, person, provider }: Arrival): Promise<Done> {
  const { store, settings } = c.deps;
  const origin = originOf(c);
  if (intent.kind === 'link') {
    const { sessionId } = intent;
    await linkIdentity(store, { sessionId, session: await signedIn(c), person }, origin);
    return { content: linked(provider.name, person.email ?? person.subject) };
  }
  const place = { store, signup: settings.signup, providerName: provider.name };
  if (intent.kind === 'invitation') {
    return await signInBrowser(c, await acceptExternally(place, { code: intent.code, person }, origin));
  }
  return await signInBrowser(c, { ...(await signInExternally(place, person, origin)), next: intent.next });
}

export const unlink: RouteHandler = async (c) => {
  const { store, externalProvider } = c.deps;
  const session = await signedIn(c);
  return await answerForm(c, {
    title: 'Disconnect',
    fields: unlinkFields,
    people: true,
    submit: async ({ csrf, ...identity }) => {
      const mine = requireSignedIn(session);
      requireOwnForm(c, mine, csrf);
      const usableIssuer = externalProvider?.issuer;
      await removeIdentity(store, { session: mine, identity, usableIssuer }, originOf(c));
    },
    done: () => html`<h1>The identity is disconnected</h1>${toAccount}`,
    again: (_given, problem) => html`<h1>The identity is still connected</h1>${problem}${toAccount}`,
  });
};

function requireProvider(c: Exchange): Provider {
  const { externalProvider } = c.deps;
  if (externalProvider !== undefined) return externalProvider;
  throw fail('NOT_FOUND', { message: 'This server has no external sign-in. Sign in with a password.' });
}

function requireSignedIn(session: BrowserSession | undefined): BrowserSession {
  if (session !== undefined) return session;
  throw fail('UNAUTHENTICATED', { message: 'You are not signed in. Sign in, then retry on your account page.' });
}

/** Provider failures get a page too, because users can still sign in with a password. */
async function answerProblem(c: Exchange, error: unknown, cookies?: readonly string[]): Promise<Answered> {
  if (!(error instanceof CairnError)) throw error;
  const reason = error.cause instanceof Error ? error.cause.message : undefined;
  if (reason !== undefined) c.deps.log.warn({ requestId: c.requestId, reason }, 'External sign-in failed.');
  if (error.code !== 'UNAVAILABLE')
    return await answerRefusal(c, error, { title: EXTERNAL_TITLE, content: externalRefused, cookies });
  const content = externalRefused(html`<p class="problem" role="alert">${error.message}</p>`);
  return await answerPage(c, { title: EXTERNAL_TITLE, status: error.status, content, cookies });
}

function externalRefused(problem: Html): Html {
  return html`<h1>Sign in</h1>${problem}<p><a href="/auth/sign-in">Sign in with a password</a></p>`;
}

function linked(name: string, who: string): Html {
  return html`<h1>${name} is connected</h1>
    <p>From now on, ${who} at ${name} can sign in to your account. If that is not you, disconnect it at once.</p>
    ${toAccount}`;
}

const toAccount = html`<p><a href="/auth/account">Your account</a></p>`;
