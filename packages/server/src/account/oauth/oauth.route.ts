// The OAuth server at our edge: its requests come in and its answers go out here. Where people decide is interaction.route.ts.
import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type Provider from 'oidc-provider';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { ANSWERED, handOver, PAGE_POLICY } from '../../http/answer.ts';
import { OAUTH_COOKIE_PATH, OAUTH_SESSION_COOKIE } from '../../http/cookie.ts';
import type { Deps, EdgeContext, RouteHandler } from '../../http/env.ts';
import { type Html, page } from '../../http/page.ts';
import { requireSameOrigin } from '../../http/same-origin.ts';
import { signedIn } from '../../http/signed-in.ts';
import type { BrowserSession } from '../browser-session.ts';
import { codeEntry, deviceConnected, oauthProblem } from './oauth-page.route.ts';
import { DISCOVERY_PATH, OAUTH_PATHS } from './offer.ts';
import type { OauthPages } from './provider.ts';

interface Built {
  readonly provider: Provider;
  readonly serve: ReturnType<Provider['callback']>;
}

export interface OauthRoutes {
  /** Whatever the OAuth server answers itself. */
  readonly serve: RouteHandler;
  /** The server, for the pages where people decide. */
  readonly provider: () => Promise<Provider>;
}

export function createOauth(deps: Deps): OauthRoutes {
  const browsers = new WeakMap<IncomingMessage, BrowserSession>();
  const codes = new WeakMap<IncomingMessage, string>();
  let [builtFor, built]: [string?, Promise<Built>?] = [];
  /** With the keys that there are by now. */
  const current = (): Promise<Built> => {
    const { version } = deps.signingKeys;
    if (built === undefined || builtFor !== version) {
      [builtFor, built] = [version, build(deps, { browsers, codes })];
    }
    return built;
  };
  const serve: RouteHandler = async (c) => {
    if (c.req.path === OAUTH_PATHS.registration) await deps.limiter.registerClient(c.get('address'));
    // What people send rests on a cookie.
    if (c.req.path === OAUTH_PATHS.code_verification && c.req.method === 'POST') requireSameOrigin(c);
    const session = await signedIn(c);
    const { incoming, outgoing } = handOver(c);
    cutLate(incoming, deps.settings.limits.bodyMs);
    if (session !== undefined) browsers.set(incoming, session);
    const userCode = c.req.query('user_code');
    if (userCode !== undefined) codes.set(incoming, userCode);
    const isHead = incoming.method === 'HEAD';
    address(c, incoming);
    const { serve: answerItself } = await current();
    await answerItself(incoming, outgoing);
    // Of an answer to HEAD the framework makes another, and would send that one too.
    return isHead ? await new Promise<never>(() => {}) : ANSWERED;
  };
  return { serve, provider: async () => (await current()).provider };
}

/** The OAuth server itself would wait for a body for ever. */
function cutLate(incoming: IncomingMessage, withinMs: number): void {
  if (incoming.complete) return;
  const timer = setTimeout(() => incoming.destroy(), withinMs);
  for (const over of ['end', 'close']) incoming.once(over, () => clearTimeout(timer));
}

interface Known {
  readonly browsers: WeakMap<IncomingMessage, BrowserSession>;
  /** What stands in the link that a device shows. */
  readonly codes: WeakMap<IncomingMessage, string>;
}

/** Loaded only now: it is large, and most processes never need it. */
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
  // Of the framework below, which would write to the terminal.
  (provider as EventEmitter).on('error', (err) => log.error({ err }, 'The OAuth server failed.'));
  return { provider, serve: provider.callback() };
}

/** What the OAuth server makes addresses from: the public URL, whatever the request says of its host and scheme. */
function address(c: EdgeContext, incoming: IncomingMessage): void {
  const { host, protocol } = new URL(c.get('deps').settings.publicUrl);
  const { headers } = incoming;
  headers.host = host;
  headers['x-forwarded-proto'] = protocol.slice(0, -1);
  delete headers['x-forwarded-host'];
  // The answer to HEAD is that to GET, and its body is left out when it is sent.
  if (incoming.method === 'HEAD') incoming.method = 'GET';
  incoming.url = addressWithin(c.req.path, new URL(c.req.url).searchParams);
}

function addressWithin(path: string, query: URLSearchParams): string {
  if (path === '/.well-known/oauth-authorization-server') return DISCOVERY_PATH;
  // In a link of ours; the page asks for it by its own form.
  if (path === OAUTH_PATHS.code_verification) query.delete('user_code');
  if (path === OAUTH_PATHS.authorization) {
    // Who asks for nothing in particular wants what there is.
    if (!query.has('scope')) query.set('scope', 'cairn');
    // Of others some would be refused in their own way, by a page with a script.
    if (query.getAll('response_mode').some((mode) => mode !== 'query')) query.set('response_mode', 'unsupported');
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

function pagesOf(codes: Known['codes']): OauthPages {
  const xsrfOf = (ctx: KoaContextWithOIDC) => String(ctx.oidc.session?.state?.secret ?? '');
  return {
    askForCode: (ctx, { userCode = codes.get(ctx.req), problem }) =>
      show(ctx, 'Connect a device', codeEntry({ xsrf: xsrfOf(ctx), userCode, problem })),
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
