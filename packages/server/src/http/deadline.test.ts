import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createTestApp } from '../../../../test/support/server.ts';
import { RequestClock } from './deadline.ts';

it('a clock runs out, but not while it stands still', async () => {
  const late = Promise.withResolvers<string>();
  const clock = new RequestClock(20, () => late.resolve('late'));
  clock.stop();
  expect(await Promise.race([late.promise, pause(60, 'standing')])).toBe('standing');
  clock.start();
  expect(await late.promise).toBe('late');
});

it.each([
  ['GET', '/api/repos/ada/world/head', undefined],
  ['POST', '/trpc/org.create', { outcome: 'unknown' }],
])('%s %s that hangs is answered', async (method, path, details) => {
  const { app, store } = await createTestApp('sqlite', { CAIRN_LIMIT_REQUEST_MS: '50' });
  // Reads and writes never end.
  Object.assign(store, { write: new Proxy({}, { get: () => () => new Promise(() => {}) }) });
  Object.assign(store.database, { query: () => new Promise(() => {}), kept: () => new Promise(() => {}) });
  const headers = { authorization: `Bearer cairn_pat_${'a'.repeat(48)}`, 'content-type': 'application/json' };
  const answer = await app.request(path, { method, headers });
  const { error } = (await answer.json()) as { error: { code: string; details?: object; data?: { cairn: never } } };
  const refusal = error.data?.cairn ?? error;
  expect([answer.status, answer.headers.get('retry-after'), refusal.code, refusal.details]).toEqual([
    ...[503, '1', 'UNAVAILABLE', details],
  ]);
});
