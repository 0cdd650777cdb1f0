// The whole HTTP surface: what happens to each request, and each path with its handler.
import type { RequestListener } from 'node:http';
import { fail } from '@cairn/protocol/errors';
import { ROUTES, type RouteKey, routeAddress } from '@cairn/protocol/routes';
import * as account from './account/account.route.ts';
import * as external from './account/external/external.route.ts';
import { createInteraction } from './account/oauth/interaction.route.ts';
import * as oauthRoutes from './account/oauth/oauth.route.ts';
import * as setup from './account/setup.route.ts';
import * as signIn from './account/sign-in.route.ts';
import * as signUp from './account/sign-up.route.ts';
import * as action from './action/action.route.ts';
import * as component from './component/component.route.ts';
import { download, exportRepository } from './export/export.route.ts';
import { answerPreflight } from './http/answer.ts';
import { guarded } from './http/arrival.ts';
import { listenerOn, Router } from './http/dispatch.ts';
import type { Deps, RouteHandler } from './http/exchange.ts';
import { createRpc, PROVING_CALLS } from './http/rpc.route.ts';
import * as status from './http/status.route.ts';
import { getAlone, sse } from './live/sse.route.ts';
import { createMcpRoute, type LoadMcp } from './mcp/mcp.route.ts';
import * as read from './read/read.route.ts';
import * as content from './repository/content.route.ts';
import { createDocs, createDocsSite } from './site/docs.route.ts';
import { createExplorer } from './site/explorer.route.ts';
import { submit } from './stream/submission.route.ts';

export interface AppOptions {
  /** Checks the output of procedures against the protocol; on in tests. */
  readonly checkOutput?: boolean;
  readonly loadMcp?: LoadMcp | undefined;
}

export function createApp(deps: Deps, { checkOutput = false, loadMcp }: AppOptions = {}): RequestListener {
  const router = new Router();
  const docs = createDocs(deps.settings.publicUrl);
  const docsSite = createDocsSite(deps.docsFolder);
  const explorer = createExplorer(deps.webFolder);
  const oauth = oauthRoutes.createOauth(deps);
  const interaction = createInteraction(oauth.provider);

  bind(router, {
    'GET /api/repos/:org/:repo/head': read.head,
    'GET /api/repos/:org/:repo/about/:wref': read.about,
    'GET /api/repos/:org/:repo/query': read.query,
    'GET /api/repos/:orgName/:repoName/export': exportRepository,
    'GET /api/repos/:org/:repo/actions/runs': action.runs,
    'GET /api/repos/:org/:repo/actions/runs/:runId/attempts': action.attempts,
    'GET /api/repos/:org/:repo/actions/notifications': action.notifications,
    'POST /api/action-runs/:runId/callback': action.callback,
    'POST /api/repos/:orgName/:repoName/streams/:streamId/submissions': submit,
    'POST /api/component-registry/:orgName/:componentName/resolve': component.resolve,
    'POST /api/component-registry/:orgName/:componentName/setup-call': component.setup,
    'POST /api/component-registry/:orgName/:componentName/cli/:method': component.command,
    'POST /mcp': createMcpRoute(loadMcp),
    'GET /sse': sse,
    'GET /.well-known/oauth-protected-resource': oauthRoutes.protectedResource,
    'GET /.well-known/oauth-protected-resource/mcp': oauthRoutes.protectedTools,
    'GET /mcp/.well-known/oauth-protected-resource': oauthRoutes.protectedTools,
    'GET /.well-known/oauth-authorization-server': oauth.serve,
    'GET /.well-known/openid-configuration': oauth.serve,
    'GET /.well-known/jwks.json': oauth.serve,
    'GET /oauth/authorize': oauth.serve,
    'GET /oauth/authorize/:uid': oauth.serve,
    'POST /oauth/token': oauth.serve,
    'POST /oauth/register': oauth.serve,
    'POST /oauth/revoke': oauth.serve,
    'POST /oauth/device-authorization': oauth.serve,
    'GET /oauth/device': oauth.serve,
    'POST /oauth/device': oauth.serve,
    'GET /oauth/device/:uid': oauth.serve,
    'GET /auth/interaction/:uid': interaction.page,
    'POST /auth/interaction/:uid': interaction.decision,
    'GET /:org/:repo/readme.md': content.readme,
    'GET /:org/:repo/agents.md': content.agents,
    'GET /:org/:repo/llms.txt': content.llms,
    'GET /auth/setup': setup.setupForm,
    'POST /auth/setup': setup.setup,
    'GET /auth/invite': setup.inviteForm,
    'POST /auth/invite': setup.invite,
    'GET /auth/reset': account.resetForm,
    'POST /auth/reset': account.reset,
    'GET /auth/forgot': signUp.forgotForm,
    'POST /auth/forgot': signUp.forgot,
    'GET /auth/sign-up': signUp.signUpForm,
    'POST /auth/sign-up': signUp.signUp,
    'GET /auth/password': account.passwordForm,
    'POST /auth/password': account.password,
    'GET /auth/sign-in': signIn.signInForm,
    'POST /auth/sign-in': signIn.signIn,
    'POST /auth/sign-out': signIn.signOut,
    'GET /auth/external': external.begin,
    'POST /auth/external': external.link,
    'GET /auth/external/callback': external.callback,
    'POST /auth/external/unlink': external.unlink,
    'GET /auth/account': account.accountPage,
    'POST /auth/sessions/end': account.endSessions,
    'POST /auth/session-token': signIn.sessionToken,
    'GET /downloads/:blob/:name': download,
    'GET /health/live': status.live,
    'GET /health/ready': status.ready,
    'GET /metrics': status.metrics,
    'GET /openapi.json': docs.openApi,
    'GET /docs/component-manifest.json': docs.manifestSchema,
    'GET /docs/api': docs.apiPage,
    'GET /docs': docsSite.start,
    'GET /docs/:page': docsSite.page,
    'GET /docs/:folder/:page': docsSite.page,
    'GET /assets/:file': explorer.asset,
    'GET /': explorer.index,
  });
  addCalls(router, createRpc({ checkOutput }));
  return listenerOn(deps, router, { ...ANY_METHOD, pattern: 'none', otherwise: status.createUnknownPath(explorer) });
}

const ANY_METHOD = { handlers: new Map(), isLasting: false } as const;

function addCalls(router: Router, otherwise: RouteHandler): void {
  const route = { ...ANY_METHOD, pattern: '/trpc', otherwise };
  for (const path of ['/trpc', '/trpc/*names']) router.add(path, route);
  for (const name of PROVING_CALLS) router.add(`/trpc/${name}`, { ...route, provesView: true });
}

const LASTING: readonly RouteKey[] = [
  'GET /api/repos/:orgName/:repoName/export',
  'POST /api/repos/:orgName/:repoName/streams/:streamId/submissions',
  'POST /api/component-registry/:orgName/:componentName/setup-call',
  'POST /api/component-registry/:orgName/:componentName/cli/:method',
  'GET /sse',
  'GET /downloads/:blob/:name',
];

/** Reads the callers' epoch together with its data, as `PROVING_CALLS` do. */
const PROVING = '/api/repos/:org/:repo/head';

/** Every row of the route table needs a handler, or this does not compile. Other methods of a path get 405. */
function bind(router: Router, handlers: Record<RouteKey, RouteHandler>): void {
  const keys = Map.groupBy(Object.keys(ROUTES) as RouteKey[], (key) => routeAddress(key).path);
  for (const [path, ofPath] of keys) {
    const byMethod = ofPath.map((key) => [routeAddress(key).method, guarded(key, handlers[key])] as const);
    const refuse = refusal(
      path,
      byMethod.map(([method]) => method),
    );
    router.add(path.replace(/:wref$/, '*wref'), {
      pattern: path,
      handlers: new Map(byMethod),
      otherwise: (c) => (c.method === 'OPTIONS' ? answerPreflight(c) : refuse(c)),
      isLasting: ofPath.some((key) => LASTING.includes(key)),
      provesView: path === PROVING,
    });
  }
}

function refusal(path: string, allowed: readonly string[]): RouteHandler {
  // A path whose requests must all look unknown has no other methods either (spec 4.4 rule 1).
  if (path.endsWith('/submissions')) return status.nothingHere;
  return path === '/sse' ? getAlone : otherMethods(allowed);
}

function otherMethods(allowed: readonly string[]): RouteHandler {
  const allow = allowed.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
  return () => {
    throw fail('METHOD_NOT_ALLOWED', { message: `Use ${allow} on this path.`, details: { allow } });
  };
}
