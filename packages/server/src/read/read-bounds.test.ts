// Long reads end at their deadline, or when the client disconnects.
import { request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { CairnClient } from '@cairn/sdk';
import { expect, it, onTestFinished, vi } from 'vitest';
import { waitForSearch } from '../../../../test/support/search-wait.ts';
import { createOwnerToken, startTestServer } from '../../../../test/support/server.ts';
import { ENGINES } from '../../../../test/support/store.ts';
import type { Engine } from '../engine/database.ts';

const NOTES = 4_100;
const STEPS = 3;

async function openNotes(engine: Engine) {
  const { url, store } = await startTestServer(engine, { CAIRN_LIMIT_COMMIT_OPERATIONS: String(NOTES) });
  const token = await createOwnerToken(store);
  const client = new CairnClient({ url, token });
  await client.repo.create('ada', 'world', { visibility: 'public' });
  await client.shape.create('ada', 'world', 'Note', { fields: { text: 'string' } });
  const operations = Array.from({ length: NOTES }, (_, n) => ({ name: `Note/n${n}`, data: { text: 'common' } }));
  await client.commit.submit('ada', 'world', { operations });
  await waitForSearch(() => client.thing.search('ada', 'world', 'common', { limit: 1 }));
  const steps: (() => unknown)[] = [];
  const seen = { steps: 0 };
  const { search } = store.database;
  const { query } = search;
  Object.assign(search, {
    query: async (sql: string, params: never[]) => {
      if (sql.includes('search_state')) return await query(sql, params);
      const rows = await query(sql, params);
      seen.steps++;
      await steps.shift()?.();
      return rows;
    },
  });
  return { url, client, seen, steps };
}

const COUNT = { orgName: 'ada', repoName: 'world', q: 'common' };
const encoded = (value: unknown) => encodeURIComponent(JSON.stringify(value));

function passTime(steps: (() => unknown)[]): void {
  const { now } = performance;
  const later = () => vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + 6_000);
  onTestFinished(() => void vi.restoreAllMocks());
  steps.push(() => {}, later);
}

it.each(ENGINES)(
  'a count of what a word finds ends when its time is over, and when nobody waits for it, on %s',
  async (engine) => {
    const { url, client, seen, steps } = await openNotes(engine);
    expect(await client.thing.count('ada', 'world', { q: 'common' })).toMatchObject({ count: NOTES });
    expect(seen.steps).toBe(STEPS);

    seen.steps = 0;
    const sent = request(`${url}/trpc/thing.count?input=${encoded(COUNT)}`, { agent: false });
    sent.on('error', () => {});
    const leave = async () => {
      sent.destroy();
      await setTimeout(500);
    };
    steps.push(() => {}, leave);
    sent.end();
    await expect.poll(() => seen.steps).toBe(2);
    expect((await fetch(`${url}/trpc/thing.count?input=${encoded(COUNT)}`)).status).toBe(200);
    expect(seen.steps).toBe(2 + STEPS);

    seen.steps = 0;
    passTime(steps);
    const late = await fetch(`${url}/trpc/thing.count?input=${encoded(COUNT)}`);
    expect([late.status, await late.text()]).toEqual([503, expect.stringContaining('The read took too long.')]);
    expect(seen.steps).toBe(2);
    vi.restoreAllMocks();

    seen.steps = 0;
    passTime(steps);
    const calls = Array.from({ length: 20 }, () => 'thing.count').join(',');
    const input = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [n, COUNT]));
    const answer = await fetch(`${url}/trpc/${calls}?batch=1&input=${encoded(input)}`);
    const answers = (await answer.json()) as { error?: object }[];
    expect(answers.filter(({ error }) => error === undefined)).toEqual([]);
    expect(seen.steps).toBeLessThanOrEqual(3);
  },
);
