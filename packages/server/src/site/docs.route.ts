// The API description for programs and people, and the documentation site.
import { createHash } from 'node:crypto';
import { fail } from '@cairn/protocol/errors';
import { manifestSchema } from '@cairn/protocol/manifest';
import { openApiDocument } from '@cairn/protocol/openapi';
import { QUERIES } from '@cairn/protocol/procedure-kinds';
import { PROCEDURE_NAMES, PROCEDURES } from '@cairn/protocol/procedures';
import { ROUTES, type RouteKey, routeAddress } from '@cairn/protocol/routes';
import type { RouteRow } from '@cairn/protocol/row';
import { html, raw } from 'hono/html';
import { answer } from '../http/answer.ts';
import type { Answered, Exchange, RouteHandler } from '../http/exchange.ts';
import { isKnown } from '../http/form.ts';
import { type Html, page } from '../http/page.ts';
import { matchesTag } from '../read/entity-tag.ts';
import { START_PAGE } from './render.ts';
import type { SnippetPart } from './search.ts';
import type { DocsPage, DocsSite, Image } from './site.ts';

export function createDocs(publicUrl: string): {
  openApi: RouteHandler;
  apiPage: RouteHandler;
  manifestSchema: RouteHandler;
} {
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
      html`<tr><td><code>${name}</code></td><td>${QUERIES.has(name) ? 'query' : 'mutation'}</td><td>${PROCEDURES[name].summary}</td></tr>`,
  );
  return html`<table><thead><tr><th>Procedure</th><th>Kind</th><th>What it does</th></tr></thead><tbody>${rows}</tbody></table>`;
}

const HTML = 'text/html; charset=utf-8';
const MARKDOWN = 'text/markdown; charset=utf-8';
const imageType = (path: string) => (path.endsWith('.png') ? 'image/png' : 'image/svg+xml');
const CONTENTS_FROM = 4;

export function createDocsSite(folder: string): { start: RouteHandler; page: RouteHandler } {
  let opened: DocsSite | undefined;
  const site = async () => {
    const { openDocsSite } = await import('./site.ts');
    opened ??= openDocsSite(folder);
    return opened;
  };
  return {
    start: async (c) => {
      const search = c.query('q');
      return search === undefined ? answerDocs(c, await site(), START_PAGE) : answerSearch(c, await site(), search);
    },
    page: async (c) => {
      const { folder: above, page: name = '' } = c.params as { folder?: string; page?: string };
      return answerDocs(c, await site(), above === undefined ? name : `${above}/${name}`);
    },
  };
}

function answerDocs(c: Exchange, site: DocsSite, asked: string): Answered | Promise<Answered> {
  const image = site.image(asked);
  if (image !== undefined) return answerTagged(c, { body: image, contentType: imageType(asked) });
  const found = site.page(asked.replace(/\.md$/, ''));
  if (found === undefined) return answerUnknown(c, site, asked);
  if (asked.endsWith('.md')) return answerTagged(c, { body: found.source, contentType: MARKDOWN });
  return answerTagged(c, { body: pageText(c, site, found), contentType: HTML, vary: 'Cookie' });
}

function answerTagged(
  c: Exchange,
  { body, contentType, vary }: { body: Image; contentType: string; vary?: string },
): Answered | Promise<Answered> {
  // Weak, because the body is also sent compressed.
  const etag = `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 24)}"`;
  const headers = { etag, 'cache-control': 'public, no-cache', ...(vary !== undefined && { vary }) };
  if (matchesTag(c.header('if-none-match'), etag)) return answer(c, { status: 304, body: null, headers });
  return answer(c, { body, contentType, headers });
}

function pageText(c: Exchange, site: DocsSite, found: DocsPage): string {
  const { title, next, address } = found;
  const source = address === '/docs' ? '/docs/README.md' : `${address}.md`;
  return page(
    title,
    html`<div class="docs">
      ${menuOf(site, address)}
      <article>
        ${raw(withContents(found))}
        <footer>
          ${next === undefined ? '' : html`<a rel="next" href="${next.address}">Next: ${next.title}</a>`}
          <a rel="alternate" type="text/markdown" href="${source}">This page as Markdown</a>
        </footer>
      </article>
    </div>`,
    { isKnown: isKnown(c), docs: { address } },
  );
}

function answerSearch(c: Exchange, site: DocsSite, search: string): Answered | Promise<Answered> {
  const found = site.search(search);
  const results = found.map(
    ({ address, title, heading, snippet }) =>
      html`<li><a href="${address}">${heading === title ? title : `${title}: ${heading}`}</a><p>${marked(snippet)}</p></li>`,
  );
  const content = html`<div class="docs">
      ${menuOf(site, '')}
      <article>
        <h1>Search</h1>
        ${found.length === 0 ? html`<p>No page contains “${search}”. Try fewer or other words.</p>` : ''}
        <ol class="results">${results}</ol>
      </article>
    </div>`;
  const body = page('Search', content, { isKnown: isKnown(c), docs: { address: '/docs', search } });
  return answer(c, { body, contentType: HTML, headers: { 'cache-control': 'no-store', vary: 'Cookie' } });
}

const marked = (snippet: readonly SnippetPart[]) =>
  snippet.map(({ text, isMatch }) => (isMatch ? html`<mark>${text}</mark>` : text));

function withContents({ html: body, headings }: DocsPage): string {
  const sections = headings.filter(({ depth }) => depth === 2);
  const titleEnd = body.indexOf('</h1>');
  if (sections.length < CONTENTS_FROM || titleEnd === -1) return body;
  const items = sections.map(({ anchor, text }) => html`<li><a href="#${anchor}">${text}</a></li>`);
  const contents = html`<details class="contents"><summary>On this page</summary><ul>${items}</ul></details>`;
  const end = titleEnd + '</h1>'.length;
  return `${body.slice(0, end)}\n${String(contents)}${body.slice(end)}`;
}

function menuOf({ menu }: DocsSite, current: string): Html {
  const groups = menu.map(({ title, entries }) => {
    const items = entries.map((entry) => {
      const here = entry.address === current ? raw(' aria-current="page"') : '';
      return html`<li><a href="${entry.address}"${here}>${entry.title}</a></li>`;
    });
    return html`<h2>${title}</h2><ul>${items}</ul>`;
  });
  return html`<nav aria-label="Documentation"><a href="/docs">Documentation</a>${groups}</nav>`;
}

function answerUnknown(c: Exchange, site: DocsSite, asked: string): Answered | Promise<Answered> {
  if (!c.header('accept')?.includes('text/html')) {
    throw fail('NOT_FOUND', {
      message: 'There is no such page of the documentation. /docs/README.md lists those that there are.',
    });
  }
  const similar = site.similar(asked).map(({ title, address }) => html`<li><a href="${address}">${title}</a></li>`);
  const content = html`<div class="docs">
      ${menuOf(site, '')}
      <article>
        <h1>There is no such page</h1>
        ${similar.length === 0 ? '' : html`<p>These may be what you are looking for:</p><ul>${similar}</ul>`}
        <p>All pages are in the menu, and the <a href="/docs">start page</a> says what each is about.
          <a href="/docs/api">The API</a> lists every route.</p>
      </article>
    </div>`;
  const body = page('There is no such page', content, { isKnown: isKnown(c), docs: { address: '/docs' } });
  return answer(c, {
    status: 404,
    body,
    contentType: HTML,
    headers: { 'cache-control': 'no-store', vary: 'Accept, Cookie' },
  });
}
