// Consent pages: the OAuth server sends people here to sign in and to decide what a client may do in their name.

import { utcDayText } from '@cairn/model/time-text';
import { fail } from '@cairn/protocol/errors';
import { decisionFields } from '@cairn/protocol/sign-in-routes';
import { html } from 'hono/html';
import type Provider from 'oidc-provider';
import { answer } from '../../http/answer.ts';
import { type Answered, type Exchange, originOf, type RouteHandler } from '../../http/exchange.ts';
import { answerForm, answerPage, answerRefusal, csrfField, onwardTo } from '../../http/form.ts';
import type { Html } from '../../http/page.ts';
import { requireOwnForm, signedIn } from '../../http/signed-in.ts';
import { type AccountIdentities, listIdentities } from '../external/external-sign-in.ts';
import { type BrowserSession, beginClientSession } from '../session.ts';
import { type ConsentQuestion, consentQuestion } from './oauth.route.ts';
import { BEGUN_IN, CLI_CLIENT_ID, GRANT_SECONDS, USER_CODE } from './oauth-terms.ts';

export function createInteraction(provider: () => Promise<Provider>): { page: RouteHandler; decision: RouteHandler } {
  return {
    page: async (c) => await interaction(c, await provider()),
    decision: async (c) => await decision(c, await provider()),
  };
}

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

const INTERACTION_TITLE = 'Sign in';

async function interaction(c: Exchange, provider: Provider): Promise<Answered> {
  const details = await detailsOf(c, provider);
  if (details === undefined) return await answerOver(c);
  const session = await signedIn(c);
  const signInFirst = `/auth/sign-in?next=${encodeURIComponent(`/auth/interaction/${details.uid}`)}`;
  if (session === undefined) return answerSeeOther(c, signInFirst);
  if (details.prompt.name === 'login') {
    if (!isRecentEnough(details, session)) return answerSeeOther(c, signInFirst);
    const login = { accountId: String(session.accountId), remember: false };
    await forgetEarlierSession(details);
    return answerSeeOther(c, await settle(c, { provider, result: { login } }));
  }
  if (details.session?.accountId !== String(session.accountId)) return await answerOver(c);
  return await answerPage(c, {
    title: INTERACTION_TITLE,
    content: consentQuestion(await questionOf(provider, { details, session })),
  });
}

async function decision(c: Exchange, provider: Provider): Promise<Answered> {
  const details = await detailsOf(c, provider);
  const session = await signedIn(c);
  if (details?.prompt.name !== 'consent' || session === undefined) return await answerOver(c);
  if (details.session?.accountId !== String(session.accountId)) return await answerOver(c);
  const question = await questionOf(provider, { details, session });
  return await answerForm(c, {
    title: INTERACTION_TITLE,
    fields: decisionFields,
    people: true,
    submit: async ({ csrf, decision: decided }) => {
      requireOwnForm(c, session, csrf);
      const allowed = decided === 'allow';
      const result = allowed
        ? { consent: { grantId: await grant(c, { provider, details, session, question }) } }
        : { error: 'access_denied', error_description: 'The user refused.' };
      return { onward: await settle(c, { provider, result }), allowed };
    },
    done: ({ onward, allowed }) => onwardTo(onward, allowed ? 'Allowed' : 'Refused'),
    again: (_given, problem) => consentQuestion(question, problem),
  });
}

/** `undefined` if the interaction is over or belongs to another browser. */
async function detailsOf(c: Exchange, provider: Provider): Promise<Interaction | undefined> {
  const { incoming, outgoing } = c;
  try {
    const details = await provider.interactionDetails(incoming as never, outgoing as never);
    return details.uid === c.params.uid ? details : undefined;
  } catch (error) {
    if (error instanceof Error && error.name === 'SessionNotFound') return undefined;
    throw error;
  }
}

async function answerOver(c: Exchange): Promise<Answered> {
  const error = fail('CONFLICT', {
    message:
      'This sign-in is over, or was started in another browser. Start again in the application that sent you here.',
  });
  return await answerRefusal(c, error, {
    title: INTERACTION_TITLE,
    content: (problem) => html`<h1>Sign in</h1>${problem}`,
  });
}

async function forgetEarlierSession(details: Interaction): Promise<void> {
  if (details.session === undefined) return;
  delete details.session;
  await details.save(details.exp - Math.floor(Date.now() / 1_000));
}

async function settle(c: Exchange, { provider, result }: { provider: Provider; result: object }): Promise<string> {
  const { incoming, outgoing } = c;
  const merge = { mergeWithLastSubmission: true };
  return await provider.interactionResult(incoming as never, outgoing as never, result as never, merge);
}

/** A client may demand a new sign-in. The session must then differ from the one at the start of the interaction. */
function isRecentEnough({ params, prompt }: Interaction, { sessionId }: BrowserSession): boolean {
  const { prompt: asked, max_age: maxAge } = params;
  const anew =
    maxAge !== undefined ||
    String(asked ?? '')
      .split(' ')
      .includes('login');
  return !anew || prompt.details[BEGUN_IN] !== sessionId;
}

interface Asked {
  readonly details: Interaction;
  readonly session: BrowserSession;
}

async function questionOf(provider: Provider, { details, session }: Asked): Promise<ConsentQuestion> {
  const { client_id: clientId, redirect_uri: redirect, resource } = details.params;
  const client = await provider.Client.find(String(clientId));
  const published = URL.parse(String(clientId))?.host;
  return {
    csrf: session.csrf,
    handle: session.handle,
    clientName: client?.clientName ?? String(clientId),
    clientHost: clientId === CLI_CLIENT_ID ? 'Cairn' : published,
    redirectHost: redirect === undefined ? undefined : hostOf(String(redirect)),
    userCode: userCodeOf(details),
    toolsOnly: [resource].flat().every((one) => String(one).replace(/\/$/, '') === `${provider.issuer}/mcp`),
    staysConnected: client?.grantTypeAllowed('refresh_token') ?? false,
  };
}

function userCodeOf({ prompt }: Interaction): string | undefined {
  const code = prompt.details[USER_CODE];
  return code === undefined ? undefined : String(code).replace(/^(.{4})/, '$1-');
}

function hostOf(redirect: string): string {
  const { host, protocol } = new URL(redirect);
  return /^https?:$/.test(protocol) ? host : protocol;
}

type Granted = Asked & { provider: Provider; question: ConsentQuestion };

async function grant(c: Exchange, { provider, details, session, question }: Granted): Promise<string> {
  const { store } = c.deps;
  const { accountId, handle, sessionId: decidedIn } = session;
  const clientId = String(details.params.client_id);
  const given = new provider.Grant({ accountId: String(accountId), clientId });
  const missing = details.prompt.details as Missing;
  if (missing.missingOIDCScope !== undefined) given.addOIDCScope(missing.missingOIDCScope.join(' '));
  for (const [resource, scopes] of Object.entries(missing.missingResourceScopes ?? {})) {
    given.addResourceScope(resource, scopes.join(' '));
  }
  const grantId = await given.save();
  await beginClientSession(store, {
    client: { id: clientId, name: question.clientName },
    resource: [details.params.resource].flat().map(String).join(' '),
    expiresAt: Date.now() + GRANT_SECONDS * 1_000,
    origin: originOf(c),
    ...{ grantId, decidedIn, accountId, handle },
  });
  return grantId;
}

interface Missing {
  readonly missingOIDCScope?: readonly string[];
  readonly missingResourceScopes?: Readonly<Record<string, readonly string[]>>;
}

export function answerSeeOther(c: Exchange, location: string): Answered | Promise<Answered> {
  return answer(c, { status: 303, body: null, headers: { location, 'cache-control': 'no-store' } });
}

export async function identitySection(c: Exchange, session: BrowserSession): Promise<Html> {
  const { store, externalProvider } = c.deps;
  const { identities, hasPassword } = await listIdentities(store, session.accountId);
  if (externalProvider === undefined && identities.length === 0) return html``;
  const { csrf } = session;
  return html`<h2>Other ways to sign in</h2>
    ${hasPassword ? '' : noPassword}
    ${identities.length === 0 ? html`<p>No identity is connected.</p>` : identities.map((one) => connected(one, csrf))}
    ${externalProvider === undefined ? '' : connect(externalProvider.name, csrf, hasPassword)}`;
}

const noPassword = html`<p>Your account has no password. To set one, <a href="/auth/forgot">request a link</a>.</p>`;

function connected({ issuer, subject, email, createdAt }: AccountIdentities['identities'][number], csrf: string): Html {
  const who = email ?? subject;
  const since = utcDayText(createdAt);
  return html`<form method="post" action="/auth/external/unlink">
      ${csrfField(csrf)}
      <input type="hidden" name="issuer" value="${issuer}">
      <input type="hidden" name="subject" value="${subject}">
      <p>${who} at ${new URL(issuer).host}, since ${since}</p>
      <button aria-label="Disconnect ${who}">Disconnect</button>
    </form>`;
}

export function connect(name: string, csrf: string, hasPassword: boolean): Html {
  const password = html`<label>Password <input type="password" name="password" required autocomplete="current-password">
    <small>Of your account here</small></label>`;
  return html`<form method="post" action="/auth/external">
      ${csrfField(csrf)}
      ${hasPassword ? password : ''}
      <button>Connect ${name}</button>
    </form>`;
}
