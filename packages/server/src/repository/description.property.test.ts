// Compares descriptions of a repository for narrowed tokens with a naive count (test/support/narrowing).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Ask, asker, dataOf, principalOf } from '../../../../test/support/narrowing/ask.ts';
import { OwnerView } from '../../../../test/support/narrowing/owner-view.ts';
import {
  addressOf,
  headOf,
  type WorldRecord,
  type WorldRepository,
} from '../../../../test/support/narrowing/record.ts';
import { Taint } from '../../../../test/support/narrowing/taint.ts';
import { createWorldToken, tokenIntents, type WorldToken } from '../../../../test/support/narrowing/token.ts';
import { World } from '../../../../test/support/narrowing/world.ts';
import { TEST_SEED } from '../../../../test/support/seed.ts';
import { createTestApp, type TestApp } from '../../../../test/support/server.ts';
import { ENGINES } from '../../../../test/support/store.ts';
import { IS_LONG } from '../../../../test/support/suite.ts';

interface Place {
  readonly repo: WorldRepository;
  readonly seq: number;
}

async function countNaively(owner: OwnerView, { oracle }: WorldToken, { repo, seq }: Place) {
  const counts = { thing: 0, assertion: 0, shape: 0, collection: 0 };
  const seen = repo.records.filter((record) => record.createdSeq <= seq && oracle.showsAt(record, seq));
  const active: WorldRecord[] = [];
  for (const record of seen) if (await isActive(owner, record, { repo, seq })) active.push(record);
  for (const { kind } of active) counts[kind] += 1;
  const shapes = seen
    .filter(({ kind }) => kind === 'shape')
    .map((shape) => ({ shape, count: active.filter((record) => record.shape === shape).length }))
    .filter(({ shape, count }) => count > 0 || active.includes(shape))
    .map(({ shape, count }) => ({ name: shape.localAt(seq), count }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return { counts, retracted: seen.length - active.length, shapes };
}

async function isActive(owner: OwnerView, { durableId: wref }: WorldRecord, { repo, seq }: Place): Promise<boolean> {
  const input = { ...addressOf(repo), wref, atRepoSeq: seq, includeRetracted: true };
  return dataOf('thing.get', await owner.ask('thing.get', input)).active;
}

async function examine(owner: OwnerView, token: WorldToken, app: TestApp['app']): Promise<number> {
  const { world } = owner;
  const ask = asker(world.options.store, await principalOf(world.options.store, token.value));
  const taint = new Taint(token.oracle, world.repositories);
  let hidden = 0;
  for (const repo of world.repositories.filter((one) => token.oracle.reads(one))) {
    for (const seq of new Set([headOf(repo), headOf(repo) - 3, 4])) {
      const about = JSON.stringify({ seed: world.options.seed, scopes: token.scopes, repo: addressOf(repo), seq });
      const expected = await countNaively(owner, token, { repo, seq });
      const at = { ...addressOf(repo), ...(seq === headOf(repo) ? {} : { atRepoSeq: seq }) };
      const texts = await askAll(ask, at);
      const { counts, retracted, shapes } = texts.stats;
      expect({ counts, retracted, shapes }, about).toEqual(expected);
      expect(texts.described.counts, about).toEqual(expected.counts);
      expect(texts.described.shapes.length, about).toBe(expected.counts.shape);
      const file = await app.request(`/${repo.orgName}/${repo.repoName}/llms.txt?atRepoSeq=${seq}`, {
        headers: { authorization: `Bearer ${token.value}` },
      });
      expect(taint.findIn(`${JSON.stringify(texts)} ${await file.text()}`), about).toEqual([]);
      const full = dataOf('repo.stats', await owner.ask('repo.stats', at));
      if (JSON.stringify(full.counts) !== JSON.stringify(expected.counts)) hidden += 1;
    }
  }
  return hidden;
}

async function askAll(ask: Ask, at: ReturnType<typeof addressOf> & { atRepoSeq?: number }) {
  const { atRepoSeq, ...address } = at;
  const stats = dataOf('repo.stats', await ask('repo.stats', at));
  const described = dataOf('repo.describe', await ask('repo.describe', at));
  const [last] = dataOf('commit.log', await ask('commit.log', { ...address, limit: 1 })).items;
  if (atRepoSeq === undefined) expect(stats.lastCommitAt).toBe(last?.createdAt ?? null);
  return { stats, described };
}

describe.each(ENGINES)('what tokens are told of whole repositories on %s', (engine) => {
  it('is what a naive count of what they see gives', async () => {
    const { app, store } = await createTestApp(engine);
    const world = await World.start({ app, store, number: 1, seed: TEST_SEED });
    await world.commitOften(40);
    const owner = await OwnerView.of(world);
    let hidden = 0;
    await fc.assert(
      fc.asyncProperty(tokenIntents, async (intent) => {
        hidden += await examine(owner, await createWorldToken(world, intent), app);
      }),
      { seed: TEST_SEED, numRuns: (engine === 'sqlite' ? 5 : 2) * (IS_LONG ? 8 : 1) },
    );
    expect(hidden).toBeGreaterThan(10);
  });
});
