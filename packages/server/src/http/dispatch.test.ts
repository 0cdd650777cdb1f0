import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createOwnerToken, createTestApp } from '../../../../test/support/server.ts';
import { Deadlines, type Route, Router } from './dispatch.ts';
import { ANSWERED, type Exchange } from './exchange.ts';

const routeOf = (pattern: string): Route => ({
  pattern,
  handlers: new Map(),
  otherwise: () => ANSWERED,
  isLasting: false,
});

const PATTERNS = [
  '/',
  '/docs',
  '/docs/:page',
  '/docs/:folder/:page',
  '/:org/:repo/readme.md',
  '/api/repos/:org/:repo/head',
  '/api/repos/:org/:repo/about/*wref',
];

const router = new Router();
for (const pattern of PATTERNS) router.add(pattern, routeOf(pattern));

it.each([
  ['/', '/', {}],
  ['/docs', '/docs', {}],
  ['/docs/reading', '/docs/:page', { page: 'reading' }],
  ['/docs/reference/routes', '/docs/:folder/:page', { folder: 'reference', page: 'routes' }],
  ['/acme/world/readme.md', '/:org/:repo/readme.md', { org: 'acme', repo: 'world' }],
  ['/api/repos/readme.md', '/:org/:repo/readme.md', { org: 'api', repo: 'repos' }],
  ['/api/repos/a/b/about/Note/x', '/api/repos/:org/:repo/about/*wref', { org: 'a', repo: 'b', wref: 'Note/x' }],
  ['/api/repos/a/b/about/Note%2Fx%20y', '/api/repos/:org/:repo/about/*wref', { org: 'a', repo: 'b', wref: 'Note/x y' }],
  ['/docs/%zz', '/docs/:page', { page: '%zz' }],
])('%s is %s', (path, pattern, params) => {
  const found = router.find(path);
  expect([found?.route.pattern, found?.params]).toEqual([pattern, params]);
});

it.each(['/docs/', '/nothing', '//', '/acme//readme.md', '/api/repos/a/b/about/', '/api/repos/a/b'])(
  '%j is no path',
  (path) => {
    expect(router.find(path)).toBeUndefined();
  },
);

it('the time of a request runs out, but not while it stands still, and not once it has ended', async () => {
  const late = new Map<string, () => void>();
  const isLate = (name: string) => new Promise<string>((resolve) => late.set(name, () => resolve(name)));
  const deadlines = new Deadlines(20, ({ requestId }) => late.get(requestId)?.());
  const begin = (requestId: string) => {
    const c = { requestId, startedAt: performance.now(), dueAt: performance.now() + 20 } as Exchange;
    deadlines.begin(c);
    return c;
  };
  const [first, standing] = [isLate('first'), isLate('standing')];
  begin('first');
  const ended = isLate('ended');
  deadlines.end(begin('ended'));
  const stands = begin('standing');
  stands.dueAt = Number.POSITIVE_INFINITY;
  expect(await first).toBe('first');
  expect(await Promise.race([standing, ended, pause(60, 'neither')])).toBe('neither');
  stands.dueAt = performance.now();
  expect(await standing).toBe('standing');
  await pause(40);
  const next = isLate('next');
  begin('next');
  expect(await next).toBe('next');
});

it.each([
  ['GET', '/api/repos/ada/world/head', undefined],
  ['POST', '/trpc/org.create', { outcome: 'unknown' }],
])('%s %s that hangs is answered', async (method, path, details) => {
  const { app, store } = await createTestApp('sqlite', { CAIRN_LIMIT_REQUEST_MS: '50' });
  const token = await createOwnerToken(store);
  Object.assign(store, { write: new Proxy({}, { get: () => () => new Promise(() => {}) }) });
  Object.assign(store.database, { query: () => new Promise(() => {}), bulk: () => new Promise(() => {}) });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await app.request(path, { method, headers });
  const { error } = (await answer.json()) as { error: { code: string; details?: object; data?: { cairn: never } } };
  const refusal = error.data?.cairn ?? error;
  expect([answer.status, answer.headers.get('retry-after'), refusal.code, refusal.details]).toEqual([
    ...[503, '1', 'UNAVAILABLE', details],
  ]);
});
