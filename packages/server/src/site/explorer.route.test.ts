// The explorer's files, and the addresses of its pages.
import { brotliDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createTestApp } from '../../../../test/support/server.ts';
import { EXPLORER_POLICY } from '../http/answer.ts';

const asBrowser = { headers: { accept: 'text/html,application/xhtml+xml' } };

async function openApp() {
  const { app } = await createTestApp('sqlite');
  const page = await (await app.request('/', asBrowser)).text();
  const [, script = ''] = /<script type="module"[^>]* src="([^"]+)"/.exec(page) ?? [];
  return { app, page, script };
}

describe('the explorer', () => {
  it('is a page without a script or a style in it, under a policy that allows neither', async () => {
    const { app, page } = await openApp();
    const { headers } = await app.request('/');
    expect(headers.get('content-security-policy')).toBe(EXPLORER_POLICY);
    expect(EXPLORER_POLICY).not.toMatch(/unsafe|\*|data:|blob:|https?:/);
    expect(EXPLORER_POLICY).toContain("script-src 'self'");
    expect(page).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son[a-z]+=/);
  });

  it.each([
    '/acme',
    '/acme/world',
    '/acme/world/records?shape=Location',
    '/acme/world/record/Location/cave',
    '/acme/',
    '/-/work',
  ])('answers a browser at %s with its page', async (path) => {
    const { app, page } = await openApp();
    const answer = await app.request(path, asBrowser);
    expect([answer.status, await answer.text()]).toEqual([200, page]);
  });

  it.each([
    ['/acme/world', {}],
    ['/acme/world', { method: 'POST', ...asBrowser }],
    ['/api/nothing', asBrowser],
    ['/Acme/world', {}],
    ['/Admin/x', asBrowser],
    ['/assets/none.js', asBrowser],
    ['/assets/..%2findex.html', asBrowser],
    ['/.env', asBrowser],
    ['/admin/x', asBrowser],
  ])('is not at %s, asked with %j', async (path, request) => {
    const { app } = await openApp();
    const answer = await app.request(path, request);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ error: { code: 'NOT_FOUND' } });
  });

  it('leads a browser to the small letters that names of organizations have', async () => {
    const { app } = await openApp();
    const answer = await app.request('/ACME/World/record/Place/a%20b?at=2', asBrowser);
    expect([answer.status, answer.headers.get('location')]).toEqual([308, '/acme/World/record/Place/a%20b?at=2']);
  });

  it('gives files whose name says what is in them for ever, and compressed as they were built', async () => {
    const { app, script } = await openApp();
    const plain = await app.request(script);
    expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(plain.headers.get('content-encoding')).toBeNull();
    const compressed = await app.request(script, { headers: { 'accept-encoding': 'gzip, deflate, br' } });
    expect(compressed.headers.get('content-encoding')).toBe('br');
    expect(compressed.headers.get('vary')).toContain('Accept-Encoding');
    const text = await plain.text();
    expect(brotliDecompressSync(Buffer.from(await compressed.arrayBuffer())).toString()).toBe(text);
    const unwilling = await app.request(script, { headers: { 'accept-encoding': 'br;q=0, gzip' } });
    expect(unwilling.headers.get('content-encoding')).toBe('gzip');
    expect((await app.request('/assets/cairn.css')).headers.get('cache-control')).toBe('public, no-cache');
  });
});
