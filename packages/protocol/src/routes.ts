// The route table: every path that the server mounts outside `/trpc`, keyed by method and path.
// `app.ts` binds each row to what serves it; `/openapi.json` and docs/reference/routes.md are made from it.

import { z } from 'zod';
import { ACCESS, type Access } from './access.ts';
import { attemptList, callbackAnswer, notificationPage, notificationQuery, runPage, runQuery } from './action.ts';
import { exportComplete, exportMinted, exportPending, exportQuery } from './export.ts';
import { liveQuery } from './live.ts';
import { aboutQuery, headQuery, queryQuery, rawContentQuery, recordAnswer } from './read.ts';
import { streamLine, submissionQuery } from './stream.ts';

export interface RouteRow {
  readonly summary: string;
  /** Who may call: as the specification's Auth column says it. */
  readonly auth: string;
  /** The same for machines: what is asked before the route itself asks for more. */
  readonly access: Access;
  /** Whether a bearer token must be sent, can be, or has no meaning here. By default it must. */
  readonly bearer?: 'optional' | 'none';
  readonly tag: string;
  readonly query?: z.ZodObject;
  readonly answers: Readonly<Record<number, RouteAnswer>>;
}

interface RouteAnswer {
  readonly description: string;
  /** Content type to schema; `undefined` where the body has no schema here. */
  readonly content: Readonly<Record<string, z.ZodType | undefined>>;
}

const json = 'application/json';
const ndjson = 'application/x-ndjson';
const html = 'text/html; charset=utf-8';
const markdown = 'text/markdown; charset=utf-8';

const notModified: RouteAnswer = { description: 'Not changed since the answer that If-None-Match names', content: {} };

const none = 'none for a public repository; a bearer token for a private one';
const installRepo = 'repo:write on the install repository';

export const readiness = z.object({
  status: z.literal('ready'),
  engine: z.enum(['sqlite', 'postgres']),
  schemaVersion: z.int(),
  exportFormatVersion: z.int(),
});

const invitationAccepted = z.object({
  handle: z.string(),
  orgName: z.string(),
  repoName: z.string().optional().describe('Where the role is for one repository.'),
  role: z.string(),
});
const passwordSet = z.object({ handle: z.string() });

export const ROUTES = {
  'GET /api/repos/:org/:repo/head': {
    summary: 'The head snapshot: active records at their current version',
    auth: none,
    bearer: 'optional',
    access: ACCESS.read,
    tag: 'Repository reads',
    query: headQuery,
    answers: {
      200: { description: 'A page of records, or how many there are', content: { [json]: recordAnswer } },
      304: notModified,
    },
  },
  'GET /api/repos/:org/:repo/about/:wref': {
    summary: 'Assertions about a record',
    auth: none,
    bearer: 'optional',
    access: ACCESS.read,
    tag: 'Repository reads',
    query: aboutQuery,
    answers: {
      200: { description: 'A page of assertions, or how many there are', content: { [json]: recordAnswer } },
      304: notModified,
    },
  },
  'GET /api/repos/:org/:repo/query': {
    summary: 'Filtered query',
    auth: none,
    bearer: 'optional',
    access: ACCESS.read,
    tag: 'Repository reads',
    query: queryQuery,
    answers: {
      200: { description: 'A page of records, or how many there are', content: { [json]: recordAnswer } },
      304: notModified,
    },
  },
  'GET /api/repos/:orgName/:repoName/export': {
    summary: 'Export as NDJSON: synchronously, or as a job to mint and redeem',
    auth: 'repo:read (unrestricted) and repo:checkpoint-read; not available to component tokens',
    access: ACCESS.export,
    tag: 'Export',
    query: exportQuery,
    answers: {
      200: {
        description: 'The stream; or, for a redeemed job that is complete, where to download it',
        content: { [ndjson]: undefined, [json]: exportComplete },
      },
      202: { description: 'Minted, or still building', content: { [json]: z.union([exportMinted, exportPending]) } },
    },
  },
  'GET /api/repos/:org/:repo/actions/runs': {
    summary: 'List action runs',
    auth: 'repo:configure',
    access: ACCESS.configure,
    tag: 'Actions',
    query: runQuery,
    answers: { 200: { description: 'A page of runs', content: { [json]: runPage } } },
  },
  'GET /api/repos/:org/:repo/actions/runs/:runId/attempts': {
    summary: 'The attempts of a run',
    auth: 'repo:configure',
    access: ACCESS.configure,
    tag: 'Actions',
    answers: { 200: { description: 'The attempts', content: { [json]: attemptList } } },
  },
  'GET /api/repos/:org/:repo/actions/notifications': {
    summary: 'Records of terminal failures',
    auth: 'repo:configure',
    access: ACCESS.configure,
    tag: 'Actions',
    query: notificationQuery,
    answers: { 200: { description: 'A page of notifications', content: { [json]: notificationPage } } },
  },
  'POST /api/action-runs/:runId/callback': {
    summary: 'Report progress or completion of an asynchronous action',
    auth: 'repo:action-callback for repository runs; org:action-callback for organization runs',
    access: ACCESS.callback,
    tag: 'Actions',
    answers: { 200: { description: 'The run as it stands now', content: { [json]: callbackAnswer } } },
  },
  'POST /mcp': {
    summary: 'MCP over HTTP; GET answers 405',
    auth: 'a bearer token for some tools, none for others',
    bearer: 'optional',
    access: ACCESS.lists,
    tag: 'Transports',
    answers: { 200: { description: 'A JSON-RPC answer', content: { [json]: undefined } } },
  },
  'GET /sse': {
    summary: 'The invalidation stream',
    auth: 'a live ticket',
    bearer: 'none',
    access: ACCESS.nothing,
    tag: 'Transports',
    query: liveQuery,
    answers: { 200: { description: 'Server-sent events', content: { 'text/event-stream': undefined } } },
  },
  'POST /api/repos/:orgName/:repoName/streams/:streamId/submissions': {
    summary: 'NDJSON streaming submission; enabled for each repository',
    auth: 'repo:write',
    access: ACCESS.commit,
    tag: 'Transports',
    query: submissionQuery,
    answers: { 200: { description: 'Acknowledgement lines', content: { [ndjson]: streamLine } } },
  },
  'POST /api/component-registry/:orgName/:componentName/resolve': {
    summary: 'Resolve the latest manifest and check install eligibility',
    auth: installRepo,
    access: ACCESS.write,
    tag: 'Components',
    answers: { 200: { description: 'The manifest and whether it can be installed', content: { [json]: undefined } } },
  },
  'POST /api/component-registry/:orgName/:componentName/setup-call': {
    summary: "Dispatch the component's setup callback",
    auth: installRepo,
    access: ACCESS.write,
    tag: 'Components',
    answers: { 200: { description: 'How the call went', content: { [json]: undefined } } },
  },
  'POST /api/component-registry/:orgName/:componentName/cli/:method': {
    summary: "Dispatch an installed component's CLI method",
    auth: "repo:read on the install repository and the method's own permission; membership when the component is private",
    access: { needs: 'repo:read' },
    tag: 'Components',
    answers: { 200: { description: "The component's answer", content: { [json]: undefined } } },
  },
  'GET /.well-known/oauth-protected-resource': {
    summary: 'OAuth protected resource metadata (RFC 9728)',
    auth: 'none',
    bearer: 'none',
    access: ACCESS.nothing,
    tag: 'OAuth metadata',
    answers: { 200: { description: 'The metadata', content: { [json]: undefined } } },
  },
  'GET /.well-known/oauth-protected-resource/mcp': {
    summary: 'OAuth protected resource metadata of /mcp',
    auth: 'none',
    bearer: 'none',
    access: ACCESS.nothing,
    tag: 'OAuth metadata',
    answers: { 200: { description: 'The metadata', content: { [json]: undefined } } },
  },
  'GET /mcp/.well-known/oauth-protected-resource': {
    summary: 'OAuth protected resource metadata of /mcp, where older clients look',
    auth: 'none',
    bearer: 'none',
    access: ACCESS.nothing,
    tag: 'OAuth metadata',
    answers: { 200: { description: 'The metadata', content: { [json]: undefined } } },
  },
  'GET /.well-known/oauth-authorization-server': {
    summary: 'OAuth authorization server metadata (RFC 8414)',
    auth: 'none',
    bearer: 'none',
    access: ACCESS.nothing,
    tag: 'OAuth metadata',
    answers: { 200: { description: 'The metadata', content: { [json]: undefined } } },
  },
  'GET /:org/:repo/readme.md': {
    summary: "The repository's readme",
    auth: none,
    bearer: 'optional',
    access: ACCESS.read,
    tag: 'Raw content',
    query: rawContentQuery,
    answers: { 200: { description: 'Markdown', content: { [markdown]: undefined } }, 304: notModified },
  },
  'GET /:org/:repo/agents.md': {
    summary: "The repository's text for agents",
    auth: none,
    bearer: 'optional',
    access: ACCESS.read,
    tag: 'Raw content',
    query: rawContentQuery,
    answers: { 200: { description: 'Markdown', content: { [markdown]: undefined } }, 304: notModified },
  },
  'GET /:org/:repo/llms.txt': {
    summary: 'What the repository holds, for language models (llmstxt.org)',
    auth: none,
    bearer: 'optional',
    access: ACCESS.read,
    tag: 'Raw content',
    query: rawContentQuery,
    answers: {
      200: { description: 'Plain text', content: { 'text/plain; charset=utf-8': undefined } },
      304: notModified,
    },
  },
  'GET /downloads/:blob/:name': {
    summary: 'The file of an export, by the signed url of its job; whole or a range. Where blobs are kept in a folder',
    auth: 'the signature in the url, until expiresAt',
    bearer: 'none',
    access: ACCESS.nothing,
    tag: 'Export',
    answers: {
      200: { description: 'The file', content: { [ndjson]: undefined } },
      206: { description: 'The range of it that was asked for', content: { [ndjson]: undefined } },
      416: { description: 'A range beyond its end', content: { [json]: undefined } },
    },
  },
  'GET /health/live': {
    summary: 'The process runs',
    auth: 'none',
    bearer: 'none',
    access: ACCESS.nothing,
    tag: 'Operating',
    answers: { 200: { description: 'It does', content: { [json]: undefined } } },
  },
  'GET /health/ready': {
    summary: 'The database answers, at the schema that this server needs',
    auth: 'none',
    bearer: 'none',
    access: ACCESS.nothing,
    tag: 'Operating',
    answers: {
      200: { description: 'Engine and versions', content: { [json]: readiness } },
      503: { description: 'Not ready', content: { [json]: undefined } },
    },
  },
  'GET /metrics': {
    summary: 'Prometheus metrics',
    auth: 'the metrics token; or none on CAIRN_METRICS_PORT, bound to loopback',
    access: ACCESS.nothing,
    tag: 'Operating',
    answers: { 200: { description: 'Metrics', content: { 'text/plain; version=0.0.4; charset=utf-8': undefined } } },
  },
  'GET /openapi.json': {
    summary: 'This description as OpenAPI 3.1',
    auth: 'none',
    bearer: 'none',
    access: ACCESS.nothing,
    tag: 'Operating',
    answers: { 200: { description: 'The document', content: { [json]: undefined } } },
  },
  'GET /docs/api': {
    summary: 'This description as a page',
    auth: 'none',
    bearer: 'none',
    access: ACCESS.nothing,
    tag: 'Operating',
    answers: { 200: { description: 'The page', content: { [html]: undefined } } },
  },
  'GET /auth/setup': {
    summary: 'The form that creates the first owner',
    auth: 'the one-time set-up code',
    bearer: 'none',
    access: ACCESS.nothing,
    tag: 'Signing in',
    answers: { 200: { description: 'The form', content: { [html]: undefined } } },
  },
  'POST /auth/setup': {
    summary: 'Creates the first owner',
    auth: 'the one-time set-up code',
    bearer: 'none',
    access: ACCESS.nothing,
    tag: 'Signing in',
    answers: { 200: { description: "The owner's first token, shown once", content: { [html]: undefined } } },
  },
  'GET /auth/invite': {
    summary: 'What an invitation is to, and the form that accepts it',
    auth: 'the one-time code of the invitation',
    bearer: 'none',
    access: ACCESS.nothing,
    tag: 'Signing in',
    answers: { 200: { description: 'The form', content: { [html]: undefined } } },
  },
  'POST /auth/invite': {
    summary: 'Accepts an invitation: makes the account where there is none, and gives it the role',
    auth: 'the one-time code of the invitation; the password, where the email address has an account',
    bearer: 'none',
    access: ACCESS.nothing,
    tag: 'Signing in',
    answers: {
      200: { description: 'Who has which role where', content: { [html]: undefined, [json]: invitationAccepted } },
    },
  },
  'GET /auth/reset': {
    summary: 'The form that sets a forgotten password anew',
    auth: 'the one-time code that an operator made',
    bearer: 'none',
    access: ACCESS.nothing,
    tag: 'Signing in',
    answers: { 200: { description: 'The form', content: { [html]: undefined } } },
  },
  'POST /auth/reset': {
    summary: 'Sets a forgotten password anew, and ends all sessions',
    auth: 'the one-time code that an operator made',
    bearer: 'none',
    access: ACCESS.nothing,
    tag: 'Signing in',
    answers: { 200: { description: 'Whose password it is', content: { [html]: undefined, [json]: passwordSet } } },
  },
  'GET /auth/password': {
    summary: 'The form that changes a password',
    auth: 'none',
    bearer: 'none',
    access: ACCESS.nothing,
    tag: 'Signing in',
    answers: { 200: { description: 'The form', content: { [html]: undefined } } },
  },
  'POST /auth/password': {
    summary: 'Changes a password, and ends all sessions',
    auth: 'email and password',
    bearer: 'none',
    access: ACCESS.nothing,
    tag: 'Signing in',
    answers: { 200: { description: 'Whose password it is', content: { [html]: undefined, [json]: passwordSet } } },
  },
  'GET /': {
    summary: 'The explorer',
    auth: 'none',
    bearer: 'none',
    access: ACCESS.nothing,
    tag: 'Explorer',
    answers: { 200: { description: 'The page', content: { [html]: undefined } } },
  },
  'GET /assets/:file': {
    summary: 'The static files of pages',
    auth: 'none',
    bearer: 'none',
    access: ACCESS.nothing,
    tag: 'Explorer',
    answers: { 200: { description: 'The file', content: {} } },
  },
} as const satisfies Record<string, RouteRow>;

export type RouteKey = keyof typeof ROUTES;
export type RouteMethod = RouteKey extends `${infer Method} ${string}` ? Method : never;

export interface RouteAddress {
  readonly method: RouteMethod;
  readonly path: string;
}

export function routeAddress(key: RouteKey): RouteAddress {
  const space = key.indexOf(' ');
  return { method: key.slice(0, space) as RouteMethod, path: key.slice(space + 1) };
}
