// The description of the interface: for programs at /openapi.json, for people at /docs/api.
import { manifestSchema } from '@cairn/protocol/manifest-schema';
import { openApiDocument } from '@cairn/protocol/openapi';
import { PROCEDURE_KINDS } from '@cairn/protocol/procedure-kinds';
import { PROCEDURE_NAMES, PROCEDURES } from '@cairn/protocol/procedures';
import type { RouteRow } from '@cairn/protocol/route-row';
import { ROUTES, type RouteKey, routeAddress } from '@cairn/protocol/routes';
import { html } from 'hono/html';
import { answer } from '../http/answer.ts';
import type { RouteHandler } from '../http/env.ts';
import { type Html, page } from '../http/page.ts';

export interface Docs {
  readonly openApi: RouteHandler;
  readonly apiPage: RouteHandler;
  readonly manifestSchema: RouteHandler;
}

/** Each is made once, when it is first asked for: they do not change. */
export function createDocs(publicUrl: string): Docs {
  return {
    openApi: once('application/json', () => JSON.stringify(openApiDocument(publicUrl))),
    apiPage: once('text/html; charset=utf-8', apiPage),
    manifestSchema: once('application/schema+json', () => JSON.stringify(manifestSchema(publicUrl))),
  };
}

function once(contentType: string, make: () => string): RouteHandler {
  let body: string | undefined;
  return (c) => {
    body ??= make();
    return answer(c, { body, contentType });
  };
}

function apiPage(): string {
  return page(
    'API',
    html`
      <h1>API</h1>
      <p>Routes are described for programs in <a href="/openapi.json">openapi.json</a>. Send credentials as
        <code>Authorization: Bearer TOKEN</code>. Every refusal has the form
        <code>{ "error": { "code", "message" } }</code>.</p>
      ${tags().map((tag) => routeTable(tag))}
      <h2>Procedures</h2>
      <p>Management and writes are tRPC procedures. A query is <code>GET /trpc/NAME?input=JSON</code>, a mutation
        <code>POST /trpc/NAME</code> with the input as a JSON body.</p>
      ${procedureTable()}`,
  );
}

function tags(): string[] {
  return [...new Set(Object.values(ROUTES).map(({ tag }) => tag))];
}

function routeTable(tag: string): Html {
  const keys = (Object.keys(ROUTES) as RouteKey[]).filter((key) => ROUTES[key].tag === tag);
  const rows = keys.map((key) => {
    const row: RouteRow = ROUTES[key];
    const { method, path } = routeAddress(key);
    return html`<tr><td><code>${method} ${path}</code></td><td>${row.summary}</td><td>${row.auth}</td></tr>`;
  });
  return html`<h2>${tag}</h2>
    <table><thead><tr><th>Route</th><th>What it does</th><th>Auth</th></tr></thead><tbody>${rows}</tbody></table>`;
}

function procedureTable(): Html {
  const rows = PROCEDURE_NAMES.map(
    (name) =>
      html`<tr><td><code>${name}</code></td><td>${PROCEDURE_KINDS[name]}</td><td>${PROCEDURES[name].summary}</td></tr>`,
  );
  return html`<table><thead><tr><th>Procedure</th><th>Kind</th><th>What it does</th></tr></thead><tbody>${rows}</tbody></table>`;
}
