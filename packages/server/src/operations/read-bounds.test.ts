// Reads that go through much end when their time is over, or when nobody waits for them any more.
import { request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { CairnClient } from '@cairn/sdk';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { waitForSearch } from '../../../../test/support/search-wait.ts';
import { createOwnerToken, startTestServer } from '../../../../test/support/server.ts';
import { ENGINES } from '../../../../test/support/store.ts';
import type { Engine } from '../store/database.ts';

/** Four steps of a search. */
const NOTES = 6_500;
const STEPS = 4;

/** A server with many notes that hold one word, and what is told of each step of a search among them. */
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

afterEach(() => void vi.restoreAllMocks());

const COUNT = { orgName: 'ada', repoName: 'world', q: 'common' };
const encoded = (value: unknown) => encodeURIComponent(JSON.stringify(value));

describe.each(ENGINES)('a count of what a word finds on %s', (engine) => {
  it('goes through all of it, and ends with an answer when its time is over', async () => {
    const { url, client, seen, steps } = await openNotes(engine);
    expect(await client.thing.count('ada', 'world', { q: 'common' })).toMatchObject({ count: NOTES });
    expect(seen.steps).toBe(STEPS);
    seen.steps = 0;
    // Six seconds pass in the second step.
    const { now } = performance;
    steps.push(
      () => {},
      () => vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + 6_000),
    );
    const late = await fetch(`${url}/trpc/thing.count?input=${encoded(COUNT)}`);
    expect([late.status, await late.text()]).toEqual([503, expect.stringContaining('The read took too long.')]);
    expect(seen.steps).toBe(2);
  });

  it('has no more time in a batch', async () => {
    const { url, seen, steps } = await openNotes(engine);
    const { now } = performance;
    steps.push(
      () => {},
      () => vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + 6_000),
    );
    const calls = Array.from({ length: 20 }, () => 'thing.count').join(',');
    const input = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [n, COUNT]));
    const answer = await fetch(`${url}/trpc/${calls}?batch=1&input=${encoded(input)}`);
    const answers = (await answer.json()) as { error?: object }[];
    expect(answers.filter(({ error }) => error === undefined)).toEqual([]);
    // Each had begun its first step.
    expect(seen.steps).toBeLessThanOrEqual(20 + 2);
  });

  it('ends when nobody waits for it', async () => {
    const { url, seen, steps } = await openNotes(engine);
    const left = new Promise<void>((resolve) => {
      const sent = request(`${url}/trpc/thing.count?input=${encoded(COUNT)}`, { agent: false });
      sent.on('error', () => {});
      sent.on('close', () => resolve());
      const leave = async () => {
        sent.destroy();
        // Until the server has heard of it.
        await setTimeout(500);
      };
      steps.push(() => {}, leave);
      sent.end();
    });
    await left;
    await expect.poll(() => seen.steps).toBeGreaterThanOrEqual(2);
    const wholeCount = await fetch(`${url}/trpc/thing.count?input=${encoded(COUNT)}`);
    expect(wholeCount.status).toBe(200);
    expect(seen.steps).toBe(2 + STEPS);
  });
});
