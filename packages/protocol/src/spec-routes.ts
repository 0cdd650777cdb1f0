// The routes that the specification fixes.
import { z } from 'zod';
import { ACCESS } from './access.ts';
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
import { liveQuery } from './live.ts';
import { aboutQuery, headQuery, queryQuery, rawContentQuery, recordAnswer } from './read.ts';
import type { RouteAnswer, RouteRow } from './route-row.ts';
import { streamLine, submissionQuery } from './stream.ts';

const json = 'application/json';
const ndjson = 'application/x-ndjson';
const markdown = 'text/markdown; charset=utf-8';

const notModified: RouteAnswer = { description: 'Not changed since the answer that If-None-Match names', content: {} };

const rpcRequest = z.looseObject({
  jsonrpc: z.literal('2.0'),
  method: z.string().describe('Such as `tools/call`.'),
  id: z.union([z.string(), z.number()]).optional().describe('Missing in a notification.'),
  params: z.looseObject({}).optional(),
});
const rpcRefusal = z.object({
  jsonrpc: z.literal('2.0'),
  error: z.looseObject({ code: z.int(), message: z.string() }),
  id: z.union([z.string(), z.number(), z.null()]).optional(),
});

const none = 'none for a public repository; a bearer token for a private one';
const installRepo = 'repo:write on the install repository';

export const SPEC_ROUTES = {
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
    refusals: [410, 412, 501],
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
    body: callbackBody,
    refusals: [409],
    answers: { 200: { description: 'The run as it stands now', content: { [json]: callbackAnswer } } },
  },
  'POST /mcp': {
    summary: 'MCP over HTTP; GET answers 405',
    auth: 'a bearer token for some tools, none for others',
    bearer: 'optional',
    access: ACCESS.lists,
    tag: 'Transports',
    body: rpcRequest,
    refusal: { [json]: rpcRefusal },
    refusals: [406],
    answers: {
      200: { description: 'A JSON-RPC answer', content: { [json]: undefined, 'text/event-stream': undefined } },
      202: { description: 'A notification was taken', content: {} },
    },
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
    otherBody: { [ndjson]: undefined },
    refusals: [409],
    answers: { 200: { description: 'Acknowledgement lines', content: { [ndjson]: streamLine } } },
  },
  'POST /api/component-registry/:orgName/:componentName/resolve': {
    summary: 'Resolve the latest manifest and check install eligibility',
    auth: installRepo,
    access: ACCESS.write,
    tag: 'Components',
    body: resolveBody,
    refusals: [409, 502, 504],
    answers: { 200: { description: 'The manifest and whether it can be installed', content: { [json]: resolution } } },
  },
  'POST /api/component-registry/:orgName/:componentName/setup-call': {
    summary: "Dispatch the component's setup callback",
    auth: installRepo,
    access: ACCESS.write,
    tag: 'Components',
    body: setupCallBody,
    refusals: [409, 502, 504],
    answers: { 200: { description: 'How the call went', content: { [json]: setupResult } } },
  },
  'POST /api/component-registry/:orgName/:componentName/cli/:method': {
    summary: "Dispatch an installed component's CLI method",
    auth: "repo:read on the install repository and the method's own permission; membership when the component is private",
    access: ACCESS.installs,
    tag: 'Components',
    body: cliBody,
    refusals: [409, 502, 504],
    answers: { 200: { description: "The component's answer", content: { [json]: execAnswer } } },
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
    answers: { 200: { description: 'The metadata', content: { 'application/json; charset=utf-8': undefined } } },
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
} as const satisfies Record<string, RouteRow>;
