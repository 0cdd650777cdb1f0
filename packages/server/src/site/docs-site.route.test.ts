// The served documentation: pages, their sources, missing pages and caching.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTestApp, ROOT } from '../../../../test/support/server.ts';
import { PAGE_POLICY } from '../http/answer.ts';

const read = (path: string) => readFileSync(join(ROOT, 'docs', path), 'utf8');

describe('/docs', () => {
  it('begins with the start page, whose lists are the menu of every page', async () => {
    const { app } = await createTestApp('sqlite');
    const start = await app.request('/docs');
    expect([start.status, start.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const menuOf = (text: string) =>
      /<nav aria-label="Documentation">.*?<\/nav>/s.exec(text)?.[0].replaceAll(/ aria-current="page"/g, '');
    const startText = await start.text();
    const pageText = await (await app.request('/docs/reading')).text();
    expect(menuOf(pageText)).toBe(menuOf(startText));
    const listed = [...read('README.md').matchAll(/^- \[(.*?)\]\(((?!\.\.).*?)\.md\)/gm)];
    expect(listed.length).toBeGreaterThan(25);
    const linked = [...(menuOf(startText) ?? '').matchAll(/<li><a href="\/docs\/(.*?)">(.*?)<\/a>/g)];
    expect(linked.map(([, path, title]) => [title, path])).toEqual(listed.map(([, title, path]) => [title, path]));
    expect(pageText).toContain('<a href="/docs/reading" aria-current="page">');
  });

  it('has each page as HTML without script, with title, anchors and what comes next', async () => {
    const { app } = await createTestApp('sqlite');
    const answer = await app.request('/docs/access');
    const text = await answer.text();
    expect(answer.headers.get('content-security-policy')).toBe(PAGE_POLICY);
    expect(PAGE_POLICY).toContain("default-src 'none'");
    expect(text).toContain('<title>Access: accounts, roles, tokens · Cairn</title>');
    expect(text).toContain('<h2 id="hidden-repositories">');
    expect(text).toContain('<a href="#hidden-repositories">Hidden repositories</a>');
    expect(text).toContain('<a rel="next" href="/docs/accounts">Next: Accounts</a>');
    expect(text).toContain('href="/docs/security"');
    expect(text).not.toMatch(/<script|style=/);
    const last = await (await app.request('/docs/dependencies')).text();
    expect(last).not.toContain('rel="next"');
  });

  it.each(['/docs/', '/docs/access/', '/docs/reference/cli/'])('leads from %s to the page', async (path) => {
    const { app } = await createTestApp('sqlite');
    const answer = await app.request(path);
    expect([answer.status, answer.headers.get('location')]).toEqual([308, path.slice(0, -1)]);
    expect((await app.request(`/docs//example.com/`)).status).toBe(404);
    expect((await app.request(path, { method: 'POST' })).status).toBe(404);
  });

  it('has each page as the Markdown that it is made of', async () => {
    const { app } = await createTestApp('sqlite');
    for (const path of ['shapes.md', 'README.md', 'reference/settings.md', 'decisions/0033-live.md']) {
      const answer = await app.request(`/docs/${path}`);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8']);
      expect(await answer.text()).toBe(read(path));
    }
  });

  it('has the images of its pages, and no other file', async () => {
    const { app } = await createTestApp('sqlite');
    const page = await (await app.request('/docs/performance')).text();
    const sources = [...page.matchAll(/<img src="\/docs\/([^"]+)" alt="[^"]+">/g)].map(([, path = '']) => path);
    expect(sources).toContain('performance/point-read.svg');
    for (const path of sources) {
      const answer = await app.request(`/docs/${path}`);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
      expect(await answer.text()).toBe(read(path));
      const again = await app.request(`/docs/${path}`, {
        headers: { 'if-none-match': answer.headers.get('etag') ?? '' },
      });
      expect(again.status).toBe(304);
    }
    for (const path of ['performance/nothing.svg', 'performance/point-read', 'performance/point-read.svg.md']) {
      expect([path, (await app.request(`/docs/${path}`)).status]).toEqual([path, 404]);
    }
  });

  it('has the pictures of the explorer as they are', async () => {
    const { app } = await createTestApp('sqlite');
    const page = await (await app.request('/docs/explorer')).text();
    const sources = [...page.matchAll(/<img src="\/docs\/([^"]+\.png)" alt="[^"]+">/g)].map(([, path = '']) => path);
    expect(sources).toContain('explorer/overview.png');
    for (const path of sources) {
      const answer = await app.request(`/docs/${path}`);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
      expect(Buffer.from(await answer.arrayBuffer())).toEqual(readFileSync(join(ROOT, 'docs', path)));
    }
  });

  it('keeps what stood there before', async () => {
    const { app } = await createTestApp('sqlite');
    expect(await (await app.request('/docs/api')).text()).toContain('<title>API · Cairn</title>');
    const schema = await app.request('/docs/component-manifest.json');
    expect(schema.headers.get('content-type')).toBe('application/schema+json');
  });

  it('is asked anew with its tag, and answers HEAD', async () => {
    const { app } = await createTestApp('sqlite');
    for (const path of ['/docs', '/docs/shapes', '/docs/shapes.md']) {
      const answer = await app.request(path);
      expect(answer.headers.get('cache-control')).toBe('public, no-cache');
      const tag = answer.headers.get('etag') ?? '';
      const again = await app.request(path, { headers: { 'if-none-match': tag } });
      expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', tag]);
      expect((await app.request(path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
      const head = await app.request(path, { method: 'HEAD' });
      expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, tag, '']);
    }
    expect((await app.request('/docs/shapes', { method: 'POST' })).status).toBe(405);
  });

  it('finds sections by their words, the best first', async () => {
    const { app } = await createTestApp('sqlite');
    const search = async (text: string) => await (await app.request(`/docs?q=${encodeURIComponent(text)}`)).text();
    const results = (page: string) =>
      [...page.matchAll(/<li><a href="(\/docs[^"]*)">[^<]*<\/a><p>/g)].map(([, address]) => address);
    const backups = await search('restore backups');
    expect(results(backups)[0]).toMatch(/^\/docs\/backup/);
    expect(backups).toMatch(/<mark>[Rr]estor/);
    expect(backups).toContain('value="restore backups"');
    expect(results(await search('CAIRN_TRUSTED_PROXIES'))).toContain('/docs/reference/settings');
    expect(results(await search('retries')).length).toBeGreaterThan(3);
    for (const [text, shown] of [
      ['zzzzqqqq', 'zzzzqqqq'],
      ['<script>alert(1)</script> zzzzqqqq', '&lt;script&gt;'],
      ['', ''],
      ['.*+?^$()|[]\\', ''],
      [`${'long '.repeat(500)}`, ''],
    ] as const) {
      const page = await search(text);
      expect(page).toContain(`value="${shown}`);
      expect(page).not.toContain('<script');
    }
    expect(await search('zzzzqqqq')).toContain('No page contains');
  });

  it('has the header of the explorer: a visitor can sign in, and comes back to the page', async () => {
    const { app } = await createTestApp('sqlite');
    const header = async (cookie?: string) => {
      const answer = await app.request('/docs/shapes', cookie === undefined ? {} : { headers: { cookie } });
      expect(answer.headers.get('vary')).toContain('Cookie');
      return /<header.*?<\/header>/s.exec(await answer.text())?.[0];
    };
    expect(await header()).toContain('<a href="/auth/sign-in?next=/docs/shapes">Sign in</a>');
    const known = await header('cairn_session=anything');
    expect(known).toContain('<a href="/auth/account">Account</a>');
    expect(known).not.toContain('Sign in');
  });

  it('helps whoever looks for a page that is not there, and leaves the folder alone', async () => {
    const { app } = await createTestApp('sqlite');
    const page = await app.request('/docs/backups', { headers: { accept: 'text/html,*/*' } });
    const text = await page.text();
    expect([page.status, page.headers.get('cache-control')]).toEqual([404, 'no-store']);
    const [, article = ''] = /<article>(.*?)<\/article>/s.exec(text) ?? [];
    expect(article).toContain('<li><a href="/docs/backup">Backups</a></li>');
    expect(article).not.toContain('href="/docs/shapes"');
    for (const path of [
      'nothing',
      'nothing.md',
      'reference/nothing',
      '%2e%2e%2fREADME.md',
      '..%2f..%2fpackage',
      'a%00b',
    ]) {
      const answer = await app.request(`/docs/${path}`);
      expect([path, answer.status, await answer.json()]).toMatchObject([path, 404, { error: { code: 'NOT_FOUND' } }]);
    }
    const hostile = await app.request('/docs/%3Cscript%3Ealert(1)%3C', { headers: { accept: 'text/html' } });
    expect(await hostile.text()).not.toContain('alert(1)');
  });
});
