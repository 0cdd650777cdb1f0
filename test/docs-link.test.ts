// Every link of every document leads to an existing file and heading, in the repository and on the pages that the
// server renders.
import { existsSync, globSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { renderPage } from '../packages/server/src/site/render.ts';
import { readPage } from './support/page-example.ts';
import { createTestApp, ROOT } from './support/server.ts';

const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  ...globSync('{docs,examples}/**/*.md', { cwd: ROOT }),
];

interface Link {
  readonly from: string;
  readonly path: string;
  readonly anchor: string;
}

/** Reads links in text only, because code contains text that looks like links. */
function linksOf(from: string): Link[] {
  const text = readPage(from)
    .replaceAll(/^```.*?^```$/gms, '')
    .replaceAll(/`[^`\n]*`/g, '');
  return [...text.matchAll(/\]\(([^)\s#]*)(?:#([^)\s]*))?\)/g)]
    .map(([, path = '', anchor = '']) => ({ from, path, anchor }))
    .filter(({ path }) => !/^(https?|mailto):/.test(path));
}

const anchorsOf = new Map<string, Set<string>>();

function hasAnchor(document: string, anchor: string): boolean {
  const known =
    anchorsOf.get(document) ??
    new Set(renderPage(readPage(document), { name: document, has: () => true }).headings.map((one) => one.anchor));
  anchorsOf.set(document, known);
  return known.has(anchor);
}

function problemOf({ from, path, anchor }: Link): string | undefined {
  const target = path === '' ? from : normalize(join(dirname(from), path));
  if (target.startsWith('..') || !existsSync(join(ROOT, target))) return `${from} -> ${path}: there is no such file`;
  if (anchor === '' || hasAnchor(target, anchor)) return undefined;
  return `${from} -> ${path}#${anchor}: there is no such heading`;
}

describe('in the repository', () => {
  const links = DOCUMENTS.flatMap(linksOf);

  it('links lead to files and headings that are there', () => {
    expect(links.length).toBeGreaterThan(200);
    expect(links.map(problemOf).filter((problem) => problem !== undefined)).toEqual([]);
  });

  it('a link that leads nowhere is found', () => {
    const from = 'docs/README.md';
    expect(problemOf({ from, path: 'nothing.md', anchor: '' })).toContain('no such file');
    expect(problemOf({ from, path: 'access.md', anchor: 'nothing' })).toContain('no such heading');
    expect(problemOf({ from, path: 'access.md', anchor: 'tokens' })).toBeUndefined();
    expect(problemOf({ from, path: '../../elsewhere', anchor: '' })).toContain('no such file');
  });

  it('the start page has every page, but decisions and the parts of a reference', () => {
    const listed = linksOf('docs/README.md').map(({ path }) => `docs/${path}`);
    const pages = globSync('docs/{*,reference/*}.md', { cwd: ROOT }).filter(
      (page) => page !== 'docs/README.md' && !page.startsWith('docs/reference/procedures-'),
    );
    expect(pages.filter((page) => !listed.includes(page))).toEqual([]);
    expect(new Set(listed).size).toBe(listed.length);
  });
});

interface Visited {
  readonly status: number;
  readonly ids: ReadonlySet<string>;
  readonly hrefs: readonly string[];
}

const decoded = (text: string) => text.replaceAll('&amp;', '&');

function visitorOf(app: Awaited<ReturnType<typeof createTestApp>>['app']) {
  return async (path: string): Promise<Visited> => {
    const answer = await app.request(path, { headers: { accept: 'text/html' } });
    const text = await answer.text();
    if (!answer.headers.get('content-type')?.startsWith('text/html')) {
      return { status: answer.status, ids: new Set(), hrefs: [] };
    }
    const all = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, value = '']) => decoded(value));
    return { status: answer.status, ids: new Set(all(/ id="([^"]*)"/g)), hrefs: all(/ href="([^"]*)"/g) };
  };
}

describe('on the site', () => {
  it('every link that can be reached from /docs is answered, and its anchor is there', async () => {
    const { app } = await createTestApp('sqlite', { CAIRN_LIMIT_ANONYMOUS_REQUESTS_PER_HOUR: '0' });
    const visit = visitorOf(app);
    const visited = new Map<string, Visited>();
    const waiting = ['/docs'];
    const followed: { from: string; path: string; anchor: string }[] = [];
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      if (visited.has(path)) continue;
      const page = await visit(path);
      visited.set(path, page);
      // Links of the server's other pages are tested with those pages.
      if (!/^\/docs(\/|$)/.test(path)) continue;
      for (const href of page.hrefs.filter((one) => !/^https?:/.test(one))) {
        const [, target = '', anchor = ''] = /^([^#]*)#?(.*)$/.exec(href) ?? [];
        followed.push({ from: path, path: target === '' ? path : target, anchor });
        waiting.push(target === '' ? path : target);
      }
    }
    const broken = followed.filter(({ path, anchor }) => {
      const page = visited.get(path);
      return page?.status !== 200 || (anchor !== '' && !page.ids.has(anchor));
    });
    expect(broken).toEqual([]);
    const pages = globSync('docs/**/*.md', { cwd: ROOT }).map((page) => page.replace(/\.md$/, ''));
    const reached = pages.filter((page) => visited.has(`/${page}`) || page === 'docs/README');
    expect(reached.filter((page) => !page.startsWith('docs/decisions/')).length).toBeGreaterThan(30);
    // Readers cannot find a page that nothing links to. Decisions are exempt.
    const lost = pages.filter((page) => !reached.includes(page) && !page.startsWith('docs/decisions/'));
    expect(lost).toEqual([]);
  });
});
