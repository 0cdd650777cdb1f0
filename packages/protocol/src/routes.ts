// The route table: every path that the server mounts outside `/trpc`, keyed by method and path. `app.ts` binds each row
// to its handler; `/openapi.json` and docs/reference/routes.md are made from it. The sign-in routes are in
// sign-in-routes.ts.
import { z } from 'zod';
import {
  attemptList,
  callbackAnswer,
  callbackBody,
  notificationPage,
  notificationQuery,
  runPage,
  runQuery,
} from './action.ts';
import { cliBody, execAnswer, resolution, resolveBody, setupCallBody, setupResult } from './component.ts';
import { exportComplete, exportMinted, exportPending, exportQuery } from './export.ts';
import { aboutQuery, headQuery, queryQuery, rawContentQuery, recordAnswer } from './read.ts';
import type { RouteAnswer, RouteRow } from './row.ts';
import { ACCESS } from './scopes.ts';
import { SIGN_IN_ROUTES } from './sign-in-routes.ts';
import { liveQuery, streamLine, submissionQuery } from './stream.ts';

const json = 'application/json';
const ndjson = 'application/x-ndjson';
const html = 'text/html; charset=utf-8';
const markdown = 'text/markdown; charset=utf-8';

const readiness = z.object({
  status: z.literal('ready'),
  engine: z.enum(['sqlite', 'postgres']),
  schemaVersion: z.int(),
  exportFormatVersion: z.int(),
  writeFault: z
    .enum(['disk_full', 'io_error', 'read_only'])
    .optional()
    .describe('The reason why the disk takes no writes, as far as this process knows. Absent while writes work.'),
});

const OPEN = { auth: 'none', bearer: 'none', access: ACCESS.nothing } as const;
const OPERATING = { ...OPEN, tag: 'Operating' } as const;
const DOCUMENTATION = { ...OPEN, tag: 'Documentation' } as const;
const EXPLORER = { ...OPEN, tag: 'Explorer' } as const;

const DOCS_PAGE = {
  200: { description: 'The page', content: { [html]: undefined, [markdown]: undefined } },
  304: { description: 'Not modified since the ETag', content: {} },
  404: {
    description: 'No such page: a list of the existing pages, or JSON',
    content: { [html]: undefined, [json]: undefined },
  },
};

const OWN_ROUTES = {
  'GET /downloads/:blob/:name': {
    summary: 'Downloads the file of an export, whole or a range, by its signed url. Only if blobs are in a folder',
    auth: 'the signature in the url, until expiresAt',
    bearer: 'none',
    access: ACCESS.nothing,
    tag: 'Export',
    refusals: [403, 404],
    answers: {
      200: { description: 'The file', content: { [ndjson]: undefined } },
      206: { description: 'The requested range of the file', content: { [ndjson]: undefined } },
      416: { description: 'A range beyond the end of the file', content: { [json]: undefined } },
    },
  },
  'GET /health/live': {
    summary: 'Reports that the process runs',
    ...OPERATING,
    answers: { 200: { description: 'The process runs', content: { [json]: undefined } } },
  },
  'GET /health/ready': {
    summary: 'Reports whether the database answers and has the schema that this server needs',
    ...OPERATING,
    answers: {
      200: { description: 'Engine and versions', content: { [json]: readiness } },
      503: { description: 'Not ready', content: { [json]: undefined } },
    },
  },
  'GET /metrics': {
    summary: 'Returns Prometheus metrics',
    auth: 'the metrics token; none on CAIRN_METRICS_PORT, which is bound to loopback',
    access: ACCESS.nothing,
    tag: 'Operating',
    answers: { 200: { description: 'Metrics', content: { 'text/plain; version=0.0.4; charset=utf-8': undefined } } },
  },
  'GET /openapi.json': {
    summary: 'Returns this description as OpenAPI 3.1',
    ...OPERATING,
    answers: { 200: { description: 'The document', content: { [json]: undefined } } },
  },
  'GET /docs/component-manifest.json': {
    summary: 'Returns the JSON Schema of component manifests',
    ...OPERATING,
    answers: { 200: { description: 'The schema', content: { 'application/schema+json': undefined } } },
  },
  'GET /docs/api': {
    summary: 'Shows this description as a page',
    ...OPERATING,
    answers: { 200: { description: 'The page', content: { [html]: undefined } } },
  },
  'GET /docs': {
    summary: 'Shows the start page of the documentation',
    ...DOCUMENTATION,
    answers: {
      200: { description: 'The page', content: { [html]: undefined } },
      304: { description: 'Not modified since the ETag', content: {} },
    },
  },
  'GET /docs/:page': {
    summary: 'Shows a page of the documentation; with .md after its name, as Markdown',
    ...DOCUMENTATION,
    answers: DOCS_PAGE,
  },
  'GET /docs/:folder/:page': {
    summary: 'Shows a page in a folder, such as reference/settings, or an image of a page',
    ...DOCUMENTATION,
    answers: {
      ...DOCS_PAGE,
      200: { description: 'The page or the image', content: { ...DOCS_PAGE[200].content, 'image/svg+xml': undefined } },
    },
  },
  'GET /': {
    summary: 'Shows the explorer',
    ...EXPLORER,
    answers: { 200: { description: 'The page', content: { [html]: undefined } } },
  },
  'GET /assets/:file': {
    summary: 'Returns a static file of the pages',
    ...EXPLORER,
    refusals: [404],
    answers: { 200: { description: 'The file', content: {} } },
  },
} as const satisfies Record<string, RouteRow>;

const notModified: RouteAnswer = { description: 'Not modified since the answer that If-None-Match names', content: {} };
const orNotModified = (description: string, content: RouteAnswer['content']) => ({
  200: { description, content },
  304: notModified,
});

const rpcRequest = z.looseObject({
  jsonrpc: z.literal('2.0'),
  method: z.string().describe('The method, such as `tools/call`.'),
  id: z.union([z.string(), z.number()]).optional().describe('Absent in a notification.'),
  params: z.looseObject({}).optional(),
});
const rpcRefusal = z.object({
  jsonrpc: z.literal('2.0'),
  error: z.looseObject({ code: z.int(), message: z.string() }),
  id: z.union([z.string(), z.number(), z.null()]).optional(),
});

const READ = {
  auth: 'none for a public repository; a bearer token for a private one',
  bearer: 'optional',
  access: ACCESS.read,
} as const;
const RAW = { ...READ, tag: 'Raw content', query: rawContentQuery } as const;
const RUNS = { auth: 'repo:configure', access: ACCESS.configure, tag: 'Actions' } as const;
const OAUTH_METADATA = { ...OPEN, tag: 'OAuth metadata' } as const;
const installRepo = 'repo:write on the install repository';

const SPEC_ROUTES = {
  'GET /api/repos/:org/:repo/head': {
    summary: 'Returns the head snapshot: active records at their current version',
    ...READ,
    tag: 'Repository reads',
    query: headQuery,
    answers: orNotModified('A page of records, or their number', { [json]: recordAnswer }),
  },
  'GET /api/repos/:org/:repo/about/:wref': {
    summary: 'Returns assertions about a record',
    ...READ,
    tag: 'Repository reads',
    query: aboutQuery,
    answers: orNotModified('A page of assertions, or their number', { [json]: recordAnswer }),
  },
  'GET /api/repos/:org/:repo/query': {
    summary: 'Returns the records that match a filter',
    ...READ,
    tag: 'Repository reads',
    query: queryQuery,
    answers: orNotModified('A page of records, or their number', { [json]: recordAnswer }),
  },
  'GET /api/repos/:orgName/:repoName/export': {
    summary: 'Exports as NDJSON: synchronously, or as a job to mint and redeem',
    auth: 'repo:read (unrestricted) and repo:checkpoint-read; not available to component tokens',
    access: ACCESS.export,
    tag: 'Export',
    query: exportQuery,
    refusals: [410, 412, 501],
    answers: {
      200: {
        description: 'The stream; for a complete job, its download URL',
        content: { [ndjson]: undefined, [json]: exportComplete },
      },
      202: { description: 'Minted, or still being built', content: { [json]: z.union([exportMinted, exportPending]) } },
    },
  },
  'GET /api/repos/:org/:repo/actions/runs': {
    summary: 'Lists action runs',
    ...RUNS,
    query: runQuery,
    answers: { 200: { description: 'A page of runs', content: { [json]: runPage } } },
  },
  'GET /api/repos/:org/:repo/actions/runs/:runId/attempts': {
    summary: 'Lists the attempts of a run',
    ...RUNS,
    answers: { 200: { description: 'The attempts', content: { [json]: attemptList } } },
  },
  'GET /api/repos/:org/:repo/actions/notifications': {
    summary: 'Lists the records of terminal failures',
    ...RUNS,
    query: notificationQuery,
    answers: { 200: { description: 'A page of notifications', content: { [json]: notificationPage } } },
  },
  'POST /api/action-runs/:runId/callback': {
    summary: 'Reports progress or completion of an asynchronous action',
    auth: 'repo:action-callback for repository runs; org:action-callback for organization runs',
    access: ACCESS.callback,
    tag: 'Actions',
    body: callbackBody,
    refusals: [409],
    answers: { 200: { description: 'The current status of the run', content: { [json]: callbackAnswer } } },
  },
  'POST /mcp': {
    summary: 'Serves MCP over HTTP; GET answers 405',
    auth: 'a bearer token for some tools, none for others',
    bearer: 'optional',
    access: ACCESS.lists,
    tag: 'Transports',
    body: rpcRequest,
    refusal: { [json]: rpcRefusal },
    refusals: [406],
    answers: {
      200: { description: 'A JSON-RPC answer', content: { [json]: undefined, 'text/event-stream': undefined } },
      202: { description: 'The notification was accepted', content: {} },
    },
  },
  'GET /sse': {
    summary: 'Opens the invalidation stream',
    auth: 'a live ticket',
    bearer: 'none',
    access: ACCESS.nothing,
    tag: 'Transports',
    query: liveQuery,
    answers: { 200: { description: 'Server-sent events', content: { 'text/event-stream': undefined } } },
  },
  'POST /api/repos/:orgName/:repoName/streams/:streamId/submissions': {
    summary: 'Takes an NDJSON streaming submission; must be enabled for each repository',
    auth: 'repo:write',
    access: ACCESS.commit,
    tag: 'Transports',
    query: submissionQuery,
    otherBody: { [ndjson]: undefined },
    refusals: [409],
    answers: { 200: { description: 'Acknowledgement lines', content: { [ndjson]: streamLine } } },
  },
  'POST /api/component-registry/:orgName/:componentName/resolve': {
    summary: 'Resolves the latest manifest and checks install eligibility',
    auth: installRepo,
    access: ACCESS.write,
    tag: 'Components',
    body: resolveBody,
    refusals: [409, 502, 504],
    answers: { 200: { description: 'The manifest and its eligibility', content: { [json]: resolution } } },
  },
  'POST /api/component-registry/:orgName/:componentName/setup-call': {
    summary: "Dispatches the component's setup callback",
    auth: installRepo,
    access: ACCESS.write,
    tag: 'Components',
    body: setupCallBody,
    refusals: [409, 502, 504],
    answers: { 200: { description: 'The result of the call', content: { [json]: setupResult } } },
  },
  'POST /api/component-registry/:orgName/:componentName/cli/:method': {
    summary: "Dispatches an installed component's CLI method",
    auth: "repo:read on the install repository and the method's own permission; membership when the component is private",
    access: ACCESS.installs,
    tag: 'Components',
    body: cliBody,
    refusals: [409, 502, 504],
    answers: { 200: { description: "The component's answer", content: { [json]: execAnswer } } },
  },
  'GET /.well-known/oauth-protected-resource': {
    summary: 'Returns OAuth protected resource metadata (RFC 9728)',
    ...OAUTH_METADATA,
    answers: { 200: { description: 'The metadata', content: { [json]: undefined } } },
  },
  'GET /.well-known/oauth-protected-resource/mcp': {
    summary: 'Returns OAuth protected resource metadata of /mcp',
    ...OAUTH_METADATA,
    answers: { 200: { description: 'The metadata', content: { [json]: undefined } } },
  },
  'GET /mcp/.well-known/oauth-protected-resource': {
    summary: 'Returns OAuth protected resource metadata of /mcp, at the path of older clients',
    ...OAUTH_METADATA,
    answers: { 200: { description: 'The metadata', content: { [json]: undefined } } },
  },
  'GET /.well-known/oauth-authorization-server': {
    summary: 'Returns OAuth authorization server metadata (RFC 8414)',
    ...OAUTH_METADATA,
    answers: { 200: { description: 'The metadata', content: { 'application/json; charset=utf-8': undefined } } },
  },
  'GET /:org/:repo/readme.md': {
    summary: 'Returns the readme of the repository',
    ...RAW,
    answers: orNotModified('Markdown', { [markdown]: undefined }),
  },
  'GET /:org/:repo/agents.md': {
    summary: 'Returns the text for agents of the repository',
    ...RAW,
    answers: orNotModified('Markdown', { [markdown]: undefined }),
  },
  'GET /:org/:repo/llms.txt': {
    summary: 'Describes the repository for language models (llmstxt.org)',
    ...RAW,
    answers: orNotModified('Plain text', { 'text/plain; charset=utf-8': undefined }),
  },
} as const satisfies Record<string, RouteRow>;

export const ROUTES = { ...SPEC_ROUTES, ...SIGN_IN_ROUTES, ...OWN_ROUTES } as const satisfies Record<string, RouteRow>;

export type RouteKey = keyof typeof ROUTES;
type RouteMethod = RouteKey extends `${infer Method} ${string}` ? Method : never;

interface RouteAddress {
  readonly method: RouteMethod;
  readonly path: string;
}

export function routeAddress(key: RouteKey): RouteAddress {
  const space = key.indexOf(' ');
  return { method: key.slice(0, space) as RouteMethod, path: key.slice(space + 1) };
}
