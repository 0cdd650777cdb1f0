// Limits and addresses as clients meet them, through real sockets.
import { fail } from '@cairn/protocol/errors';
import { describe, expect, it } from 'vitest';
import { createOwnerToken, createTestApp, startTestServer } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { mintToken } from '../access/principal.ts';

const THREE = { CAIRN_LIMIT_ANONYMOUS_BURST: '3', CAIRN_LIMIT_ANONYMOUS_REQUESTS_PER_HOUR: '1' };
const METRICS_TOKEN = 'a token of the metrics, long enough to be one';

type Headers = Record<string, string>;

async function serverOn(engine: (typeof UPPER_ENGINES)[number], environment: Record<string, string> = THREE) {
  const { url, store } = await startTestServer(engine, environment);
  const status = async (path: string, headers: Headers = {}, method = 'GET') => {
    const answer = await fetch(url + path, { method, headers });
    await answer.text();
    return answer.status;
  };
  const exhaust = async () => {
    for (let n = 0; n < 3; n++) expect(await status('/openapi.json')).toBe(200);
    expect(await status('/openapi.json')).toBe(429);
  };
  return { url, store, status, exhaust };
}

describe.each(UPPER_ENGINES)('the anonymous limit on %s', (engine) => {
  it('is told with what to do and when', async () => {
    const { url, exhaust } = await serverOn(engine);
    await exhaust();
    const answer = await fetch(`${url}/api/no/such/path`);
    expect(answer.headers.get('retry-after')).toMatch(/^(3600|35\d\d)$/);
    expect(answer.headers.get('x-request-id')).not.toBeNull();
    expect([answer.status, await answer.json()]).toEqual([
      429,
      {
        error: {
          code: 'RATE_LIMITED',
          message: expect.stringMatching(
            /^Too many requests from this address\. Wait \d+ seconds, or send a valid bearer/,
          ),
          retryAfter: Number(answer.headers.get('retry-after')),
        },
      },
    ]);
  });

  it('is one for data, one for pages, and one for signing in: who uses one up locks nobody out of the others', async () => {
    const { url, status, exhaust } = await serverOn(engine);
    await exhaust();
    for (const path of ['/trpc/auth.whoami', '/api/repos/a/b/head', '/a/b/readme.md'])
      expect(await status(path)).toBe(429);
    const [, asset = ''] = /"(\/assets\/[^"]+)"/.exec(await (await fetch(url)).text()) ?? [];
    expect([await status(asset), await status('/docs')]).toEqual([200, 200]);
    expect(await status('/')).toBe(429);
    expect(await status('/auth/sign-in')).toBe(200);
    expect(await status('/.well-known/oauth-authorization-server')).toBe(200);
    expect(await status('/oauth/token', {}, 'POST')).toBe(400);
    expect(await status('/oauth/token', {}, 'POST')).toBe(429);
    expect(await status('/auth/account', { authorization: `Bearer ${mintToken()}` })).toBe(429);
  });

  it.each([',', '%2C', '%2c'])('counts every call of a batch, joined by %s', async (comma) => {
    const { status } = await serverOn(engine);
    expect(await status(`/trpc/${Array(3).fill('auth.whoami').join(comma)}?batch=1`)).toBe(200);
    expect(await status('/trpc/auth.whoami')).toBe(429);
  });

  it('is told to tRPC in its envelope, of a batch too', async () => {
    const { url, exhaust } = await serverOn(engine);
    await exhaust();
    for (const path of ['/trpc/auth.whoami', '/trpc/auth.whoami,auth.whoami?batch=1']) {
      const answer = await fetch(url + path);
      expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
      expect([answer.status, await answer.json()]).toMatchObject([
        429,
        { error: { data: { httpStatus: 429, cairn: { code: 'RATE_LIMITED', retryAfter: expect.any(Number) } } } },
      ]);
    }
  });

  it('counts preflights and bearers that are not good, and nothing of who is signed in or watches', async () => {
    const { store, status } = await serverOn(engine, { ...THREE, CAIRN_METRICS_TOKEN: METRICS_TOKEN });
    const token = await createOwnerToken(store);
    const forged = { authorization: `Bearer ${mintToken()}` };
    expect(await status('/openapi.json', {}, 'OPTIONS')).toBe(204);
    expect(await status('/openapi.json', forged)).toBe(401);
    expect(await status('/openapi.json', { authorization: 'nonsense' })).toBe(401);
    expect(await status('/openapi.json', {}, 'OPTIONS')).toBe(429);
    expect(await status('/openapi.json', forged)).toBe(429);
    for (let n = 0; n < 5; n++) {
      expect(await status('/openapi.json', { authorization: `Bearer ${token}` })).toBe(200);
      expect(await status('/trpc/auth.whoami', { authorization: `Bearer ${token}` })).toBe(200);
      for (const path of ['/health/live', '/health/ready']) expect(await status(path)).toBe(200);
      expect(await status('/metrics', { authorization: `Bearer ${METRICS_TOKEN}` })).toBe(200);
      expect(await status('/mcp')).toBe(405);
    }
  });

  it('cannot be evaded by a header', async () => {
    const { status, exhaust } = await serverOn(engine);
    await exhaust();
    for (const header of ['x-forwarded-for', 'x-real-ip', 'forwarded', 'cf-connecting-ip'])
      expect(await status('/openapi.json', { [header]: '203.0.113.9' })).toBe(429);
  });

  it('is kept for each client of a proxy that is trusted', async () => {
    const { status, exhaust } = await serverOn(engine, { ...THREE, CAIRN_TRUSTED_PROXIES: 'loopback' });
    await exhaust();
    const forwarded = (value: string) => status('/openapi.json', { 'x-forwarded-for': value });
    for (let n = 0; n < 3; n++) expect(await forwarded(`10.9.8.${n}, 203.0.113.9`)).toBe(200);
    expect(await forwarded('10.9.8.7, 203.0.113.9')).toBe(429);
    for (let n = 0; n < 3; n++) expect(await forwarded(`2001:db8::${n}`)).toBe(200);
    expect(await forwarded('2001:db8::9')).toBe(429);
    expect(await forwarded('2001:db8:0:1::9')).toBe(200);
    for (const nonsense of ['nonsense', '', '1.2.3', ',,,', '[']) expect(await forwarded(nonsense)).toBe(429);
  });

  it('can be turned off', async () => {
    const { status } = await serverOn(engine, { ...THREE, CAIRN_LIMIT_ANONYMOUS_REQUESTS_PER_HOUR: '0' });
    for (let n = 0; n < 9; n++) expect(await status('/openapi.json')).toBe(200);
  });

  it('is none where there is no socket', async () => {
    const { app } = await createTestApp(engine, THREE);
    for (let n = 0; n < 9; n++) expect((await app.request('/openapi.json')).status).toBe(200);
  });
});

describe.each(UPPER_ENGINES)('the limit of an account on %s', (engine) => {
  it('is a setting, and holds whatever the address', async () => {
    const settings = { CAIRN_LIMIT_PRINCIPAL_REQUESTS_PER_HOUR: '1', CAIRN_LIMIT_PRINCIPAL_BURST: '2' };
    const { app, store } = await createTestApp(engine, settings);
    const headers = { authorization: `Bearer ${await createOwnerToken(store)}` };
    for (let n = 0; n < 2; n++) expect((await app.request('/openapi.json', { headers })).status).toBe(200);
    const refused = await app.request('/openapi.json', { headers });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)]);
    expect((await app.request('/openapi.json')).status).toBe(200);
  });
});

it.each(UPPER_ENGINES)(
  'a procedure that says when to try again is heard, alone and in a batch, on %s',
  async (engine) => {
    const { app, store } = await createTestApp(engine);
    const waits = [7, 3];
    const query = () => Promise.reject(fail('RATE_LIMITED', { message: 'Wait.', retryAfter: waits.shift() ?? 1 }));
    Object.assign(store, { database: { ...store.database, query } });
    const input = { orgName: 'a', repoName: 'b' };
    const get = (path: string, value: unknown) =>
      app.request(`${path}input=${encodeURIComponent(JSON.stringify(value))}`);
    const batch = await get('/trpc/repo.get,repo.get?batch=1&', { 0: input, 1: input });
    expect([batch.status, batch.headers.get('retry-after')]).toEqual([429, '7']);
    const alone = await get('/trpc/repo.get?', input);
    expect([alone.status, alone.headers.get('retry-after')]).toEqual([429, '1']);
    const good = await app.request('/trpc/auth.whoami');
    expect([good.status, good.headers.get('retry-after')]).toEqual([200, null]);
  },
);
