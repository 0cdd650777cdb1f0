// Routes beside those of the specification: downloads, operating and the explorer. Those of signing in are in
// sign-in-routes.ts.
import { z } from 'zod';
import { ACCESS } from './access.ts';
import type { RouteRow } from './route-row.ts';

const json = 'application/json';
const ndjson = 'application/x-ndjson';
const html = 'text/html; charset=utf-8';
const markdown = 'text/markdown; charset=utf-8';

export const readiness = z.object({
  status: z.literal('ready'),
  engine: z.enum(['sqlite', 'postgres']),
  schemaVersion: z.int(),
  exportFormatVersion: z.int(),
  writeFault: z
    .enum(['disk_full', 'io_error', 'read_only'])
    .optional()
    .describe('Why the disk takes no writes at the moment, as far as this process knows; absent while it does.'),
});

const DOCS_PAGE = {
  200: { description: 'The page', content: { [html]: undefined, [markdown]: undefined } },
  304: { description: 'It is as the ETag says', content: {} },
  404: {
    description: 'There is no such page: a page that lists those that there are, or JSON',
    content: { [html]: undefined, [json]: undefined },
  },
};

export const OWN_ROUTES = {
  'GET /downloads/:blob/:name': {
    summary: 'The file of an export, by the signed url of its job; whole or a range. Where blobs are kept in a folder',
    auth: 'the signature in the url, until expiresAt',
    bearer: 'none',
    access: ACCESS.nothing,
    tag: 'Export',
    refusals: [403, 404],
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
  'GET /docs/component-manifest.json': {
    summary: 'The manifest of a component as JSON Schema',
    auth: 'none',
    bearer: 'none',
    access: ACCESS.nothing,
    tag: 'Operating',
    answers: { 200: { description: 'The schema', content: { 'application/schema+json': undefined } } },
  },
  'GET /docs/api': {
    summary: 'This description as a page',
    auth: 'none',
    bearer: 'none',
    access: ACCESS.nothing,
    tag: 'Operating',
    answers: { 200: { description: 'The page', content: { [html]: undefined } } },
  },
  'GET /docs': {
    summary: 'The documentation: its start page',
    auth: 'none',
    bearer: 'none',
    access: ACCESS.nothing,
    tag: 'Documentation',
    answers: {
      200: { description: 'The page', content: { [html]: undefined } },
      304: { description: 'It is as the ETag says', content: {} },
    },
  },
  'GET /docs/:page': {
    summary: 'A page of the documentation; as Markdown with .md behind its name',
    auth: 'none',
    bearer: 'none',
    access: ACCESS.nothing,
    tag: 'Documentation',
    answers: DOCS_PAGE,
  },
  'GET /docs/:folder/:page': {
    summary: 'The same for pages in folders, such as reference/settings, and the images of pages',
    auth: 'none',
    bearer: 'none',
    access: ACCESS.nothing,
    tag: 'Documentation',
    answers: {
      ...DOCS_PAGE,
      200: { description: 'The page or the image', content: { ...DOCS_PAGE[200].content, 'image/svg+xml': undefined } },
    },
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
    refusals: [404],
    answers: { 200: { description: 'The file', content: {} } },
  },
} as const satisfies Record<string, RouteRow>;
