// PostgreSQL is frozen, as when its machine or disk hangs: connections stay open and get no answers. The server still
// answers requests and recovers by itself.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../packages/server/src/store.ts';
import { createDatabase } from '../support/database.ts';
import { startPostgres } from '../support/postgres.ts';
import { createOwnerToken, settingsOf, startServerProcess } from '../support/server.ts';
import { amount } from '../support/suite.ts';

const REQUEST_MS = amount('FROZEN_REQUEST_MS', { short: 1_500, long: 30_000 });
const FROZEN_MS = amount('FROZEN_MS', { short: 3_000, long: 60_000 });
const COMMITS = 5;

it('answers every request while PostgreSQL is frozen, and makes one commit of each submission', async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  const location = { engine: 'postgres', url: (await createDatabase(postgres.url)).url } as const;
  const store = await openStore(location);
  const token = await createOwnerToken(store);
  await store.close();
  const limits = { CAIRN_LIMIT_REQUEST_MS: String(REQUEST_MS), PORT: '0' };
  const server = startServerProcess({ ...settingsOf(location), ...limits });
  const [, url = ''] = await server.printed(/Cairn \S+ is at (\S+) /);

  const call = async (name: string, input: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${url}/trpc/${name}`, { method: 'POST', headers, body: JSON.stringify(input) });
    return { status: answer.status, retryAfter: answer.headers.get('retry-after'), text: await answer.text() };
  };
  const world = { orgName: 'ada', repoName: 'world' };
  const ids = Array.from({ length: COMMITS }, () => randomUUID());
  const submit = (n: number) =>
    call('commit.submit', { ...world, submissionId: ids[n], operations: [{ name: `Place/${n}`, data: { n } }] });
  const read = async () => {
    const answer = await fetch(`${url}/api/repos/ada/world/head`, { headers: { authorization: `Bearer ${token}` } });
    return { status: answer.status, text: await answer.text() };
  };
  expect((await call('repo.create', { orgName: 'ada', name: 'world' })).status).toBe(200);
  expect((await call('shape.create', { ...world, name: 'Place', fields: { n: 'number' } })).status).toBe(200);

  const unfreeze = postgres.freeze();
  let isFrozen = true;
  onTestFinished(() => (isFrozen ? unfreeze() : undefined));
  const thaw = pause(FROZEN_MS).then(() => {
    unfreeze();
    isFrozen = false;
  });
  const asked = [read(), read(), ...Array.from({ length: COMMITS }, (_, n) => submit(n))];
  const [first, second, ...writes] = await Promise.all(asked);
  expect(isFrozen).toBe(true);
  expect([first?.status, second?.status]).toEqual([503, 503]);
  // A write that never reached the database must not claim an unknown outcome.
  expect(writes.map(({ status }) => status)).toEqual(writes.map(() => 503));
  await thaw;

  await expect.poll(async () => (await read()).status, { timeout: 60_000 }).toBe(200);
  for (let n = 0; n < COMMITS; n++) {
    await expect.poll(async () => (await submit(n)).status, { timeout: 60_000 }).toBe(200);
  }
  const read200 = JSON.parse((await read()).text);
  // One more than COMMITS, because the first commit made the shape.
  expect([read200.repoSeq, read200.items?.length]).toEqual([COMMITS + 1, COMMITS + 1]);
});
