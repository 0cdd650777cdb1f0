import { expect, it } from 'vitest';
import { ANSWERED } from './exchange.ts';
import { type Route, Router } from './router.ts';

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
  // A name that begins like another path leads on, where that one ends.
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
