// Narrowed tokens against a naive filter: random tokens must read what the owner reads without the hidden records
// (test/support/narrowing).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Examination } from '../../../../test/support/narrowing/examination.ts';
import { OwnerView } from '../../../../test/support/narrowing/owner-view.ts';
import { type Query, QueryWriter } from '../../../../test/support/narrowing/query.ts';
import { createWorldToken, tokenIntents, type WorldToken } from '../../../../test/support/narrowing/token.ts';
import { World } from '../../../../test/support/narrowing/world.ts';
import { TEST_SEED } from '../../../../test/support/seed.ts';
import { createTestApp } from '../../../../test/support/server.ts';
import { IS_LONG } from '../../../../test/support/suite.ts';

const PLANS = [
  { engine: 'sqlite', reads: IS_LONG ? 90_000 : 2_000 },
  { engine: 'postgres', reads: IS_LONG ? 10_000 : 1_000 },
] as const;
const TOKENS = IS_LONG ? 24 : 4;
const QUERIES = IS_LONG ? 340 : 120;

interface Counts {
  reads: number;
  hidden: number;
}

async function examine(owner: OwnerView, queries: readonly Query[], token: WorldToken): Promise<Counts> {
  const examination = await Examination.start(owner, token);
  for (const query of queries) await examination.answer(query);
  return examination;
}

async function examineWorld(world: World, counts: Counts): Promise<void> {
  const { seed } = world.options;
  const add = ({ reads, hidden }: Counts) => {
    counts.reads += reads;
    counts.hidden += hidden;
  };
  await world.commitOften(35);
  const before: WorldToken[] = [];
  for (const intent of fc.sample(tokenIntents, { seed, numRuns: 6 }))
    before.push(await createWorldToken(world, intent));
  await world.commitOften(20);
  await world.leaveOrganization();
  const owner = await OwnerView.of(world);
  const queries = new QueryWriter(world).pool(QUERIES);
  for (const token of before) add(await examine(owner, queries, token));
  await fc.assert(
    fc.asyncProperty(tokenIntents, async (intent) => {
      add(await examine(owner, queries, await createWorldToken(world, intent)));
    }),
    { seed, numRuns: TOKENS },
  );
}

describe.each(PLANS)('tokens that may read some records alone on $engine', ({ engine, reads }) => {
  it('read what a naive filter leaves, and nothing of the rest', async () => {
    const { app, store } = await createTestApp(engine);
    const counts: Counts = { reads: 0, hidden: 0 };
    for (let number = 1; counts.reads < reads; number++) {
      const seed = TEST_SEED * 1_000 + number;
      await examineWorld(await World.start({ app, store, number, seed }), counts);
    }
    expect(counts.reads).toBeGreaterThanOrEqual(reads);
    expect(counts.hidden).toBeGreaterThan(counts.reads / 6);
  });
});
