// The OAuth server at the HTTP edge. People decide in interaction.route.ts.
import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { html } from 'hono/html';
import type Provider from 'oidc-provider';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { answerJson, handOver, PAGE_POLICY } from '../../http/answer.ts';
import { ANSWERED, type Deps, type Exchange, type RouteHandler } from '../../http/exchange.ts';
import { csrfField } from '../../http/form.ts';
import { type Html, page } from '../../http/page.ts';
import { OAUTH_COOKIE_PATH, OAUTH_SESSION_COOKIE, requireSameOrigin, signedIn } from '../../http/signed-in.ts';
import type { BrowserSession } from '../session.ts';
import { DISCOVERY_PATH, OAUTH_PATHS, OAUTH_SCOPES } from './oauth-terms.ts';
import type { OauthPages } from './provider.ts';

interface Built {
  readonly provider: Provider;
  readonly serve: ReturnType<Provider['callback']>;
}

export function createOauth(deps: Deps): { serve: RouteHandler; provider: () => Promise<Provider> } {
  const browsers = new WeakMap<IncomingMessage, BrowserSession>();
  const codes = new WeakMap<IncomingMessage, string>();
  let [builtFor, built]: [string?, Promise<Built>?] = [];
  const current = (): Promise<Built> => {
    const { version } = deps.signingKeys;
    if (built === undefined || builtFor !== version) {
      [builtFor, built] = [version, build(deps, { browsers, codes })];
    }
    return built;
  };
  const serve: RouteHandler = async (c) => {
    if (c.path === OAUTH_PATHS.registration) await deps.limiter.registerClient(c.address);
    if (c.path === OAUTH_PATHS.code_verification && c.method === 'POST') requireSameOrigin(c);
    const session = await signedIn(c);
    const { serve: answerItself } = await current();
    const { incoming, outgoing } = handOver(c);
    cutLate(incoming, deps.settings.limits.bodyMs);
    if (session !== undefined) browsers.set(incoming, session);
    const userCode = c.query('user_code');
    if (userCode !== undefined) codes.set(incoming, userCode);
    address(c, incoming);
    await answerItself(incoming, outgoing);
    return ANSWERED;
  };
  return { serve, provider: async () => (await current()).provider };
}

/** The OAuth server would wait for a body forever. */
function cutLate(incoming: IncomingMessage, withinMs: number): void {
  if (incoming.complete) return;
  const timer = setTimeout(() => incoming.destroy(), withinMs);
  for (const over of ['end', 'close']) incoming.once(over, () => clearTimeout(timer));
}

interface Known {
  readonly browsers: WeakMap<IncomingMessage, BrowserSession>;
  readonly codes: WeakMap<IncomingMessage, string>;
}

/** The dynamic import keeps this large module out of processes that never need it. */
async function build(deps: Deps, { browsers, codes }: Known): Promise<Built> {
  const { createProvider } = await import('./provider.ts');
  const { store, outbound, settings, signingKeys, keys, log } = deps;
  const flags = { httpOnly: true, sameSite: 'lax', signed: true } as const;
  const provider = createProvider({
    publicUrl: settings.publicUrl,
    cookies: {
      keys: [keys.oauthCookie.export().toString('base64url')],
      names: { session: OAUTH_SESSION_COOKIE, interaction: 'cairn_interaction', resume: 'cairn_resume' },
      long: { ...flags, path: OAUTH_COOKIE_PATH },
      short: flags,
    },
    pages: pagesOf(codes),
    signedInBy: (request) => browsers.get(request),
    ...{ store, outbound, signingKeys },
  });
  provider.on('server_error', (_ctx, err) => log.error({ err }, 'The OAuth server failed.'));
  // The underlying framework would otherwise write errors to the terminal.
  (provider as EventEmitter).on('error', (err) => log.error({ err }, 'The OAuth server failed.'));
  return { provider, serve: provider.callback() };
}

/** The OAuth server builds addresses from these values, so they must not come from the request. */
function address(c: Exchange, incoming: IncomingMessage): void {
  const { host, protocol } = new URL(c.deps.settings.publicUrl);
  const { headers } = incoming;
  headers.host = host;
  headers['x-forwarded-proto'] = protocol.slice(0, -1);
  delete headers['x-forwarded-host'];
  if (incoming.method === 'HEAD') incoming.method = 'GET';
  incoming.url = addressWithin(c.path, c.searchParams);
}

function addressWithin(path: string, query: URLSearchParams): string {
  if (path === '/.well-known/oauth-authorization-server') return DISCOVERY_PATH;
  if (path === OAUTH_PATHS.code_verification) query.delete('user_code');
  if (path === OAUTH_PATHS.authorization) {
    if (!query.has('scope')) query.set('scope', 'cairn');
    // The library would refuse some of the other modes with a page that has a script.
    if (query.getAll('response_mode').some((mode) => mode !== 'query')) query.set('response_mode', 'unsupported');
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

function pagesOf(codes: Known['codes']): OauthPages {
  const xsrfOf = (ctx: KoaContextWithOIDC) => String(ctx.oidc.session?.state?.secret ?? '');
  return {
    askForCode: (ctx, { userCode = codes.get(ctx.req), problem }) =>
      show(ctx, 'Connect a device', codeEntry(xsrfOf(ctx), userCode, problem)),
    deviceDone: (ctx) => show(ctx, 'Connect a device', deviceConnected()),
    problem: (ctx, said) => show(ctx, 'Sign in', oauthProblem(said)),
  };
}

function show(ctx: KoaContextWithOIDC, title: string, content: Html): void {
  ctx.type = 'html';
  ctx.body = page(title, content);
  ctx.set('content-security-policy', PAGE_POLICY);
  ctx.set('cache-control', 'no-store');
  ctx.set('referrer-policy', 'same-origin');
}

const HOUR = { 'cache-control': 'public, max-age=3600' };

function describing(path: '' | '/mcp', name: string): RouteHandler {
  return (c) => {
    const { publicUrl } = c.deps.settings;
    const described = {
      resource: `${publicUrl}${path}`,
      authorization_servers: [publicUrl],
      bearer_methods_supported: ['header'],
      scopes_supported: [...OAUTH_SCOPES],
      resource_name: name,
      resource_documentation: `${publicUrl}/docs/api`,
    };
    return answerJson(c, described, { headers: HOUR });
  };
}

export const protectedResource = describing('', 'Cairn');
export const protectedTools = describing('/mcp', 'Cairn tools for agents');

export function codeEntry(xsrf: string, userCode = '', problem?: string | undefined): Html {
  return html`<h1>Connect a device</h1>
    ${problem === undefined ? '' : html`<p class="problem" role="alert">${problem}</p>`}
    <p>${userCode === '' ? 'Enter the code that the device or the command line shows.' : 'Check that the device or the command line shows this code.'}</p>
    <form method="post" action="/oauth/device">
      <input type="hidden" name="xsrf" value="${xsrf}">
      <input type="hidden" name="confirm" value="yes">
      <label>Code <input name="user_code" value="${userCode}" required autocomplete="off" autocapitalize="characters"
        spellcheck="false" autofocus></label>
      <button>Continue</button>
    </form>`;
}

export function deviceConnected(): Html {
  return html`<h1>The device is connected</h1>
    <p>Go back to the device or your terminal. You can close this page, and end the session at any time on <a href="/auth/account">your
      account page</a>.</p>`;
}

export interface ConsentQuestion {
  readonly csrf: string;
  readonly handle: string;
  readonly clientName: string;
  /** The verified publisher of the client; `undefined` if only the client itself names one. */
  readonly clientHost: string | undefined;
  readonly redirectHost: string | undefined;
  readonly userCode: string | undefined;
  readonly toolsOnly: boolean;
  readonly staysConnected: boolean;
}

export function consentQuestion(asked: ConsentQuestion, problem?: Html): Html {
  const { csrf, handle, clientName, clientHost, redirectHost, userCode, toolsOnly, staysConnected } = asked;
  return html`<h1>Allow ${clientName} to act for you?</h1>
    ${problem}
    ${userCode === undefined ? '' : comparison(userCode)}
    <p>You are signed in as <strong>${handle}</strong>.</p>
    <ul>
      <li>${clientHost === undefined ? 'The application chose this name itself; nobody has checked it.' : html`The publisher of the application is <strong>${clientHost}</strong>.`}</li>
      ${redirectHost === undefined ? '' : html`<li>Your answer is sent to <strong>${redirectHost}</strong>.</li>`}
      <li>${toolsOnly ? 'It can use the tools for agents (MCP): read and write everything that you can, but not manage tokens, members or credentials.' : 'It can do everything that you can: read, write, and manage tokens and members.'}</li>
      <li>${staysConnected ? html`It stays connected until you end its session on <a href="/auth/account">your account page</a>.` : 'It stays connected for an hour.'}</li>
    </ul>
    <form method="post">
      ${csrfField(csrf)}
      <button name="decision" value="allow">Allow</button>
      <button name="decision" value="refuse" class="secondary">Refuse</button>
    </form>`;
}

function comparison(userCode: string): Html {
  return html`<p>The device or the command line must show this code:</p>
    <p><strong class="code">${userCode}</strong></p>
    <p>Allow it only if you started this yourself and the codes are equal. Anyone who sent you this code, or a link to
      this page, could then act on your behalf.</p>`;
}

export function oauthProblem({ error, description }: { error: string; description: string }): Html {
  return html`<h1>The request failed</h1>
    <p class="problem" role="alert">${description === '' ? error : description}</p>
    <p>Start again in the application that sent you here. The error code for its developer is <code>${error}</code>.</p>`;
}
