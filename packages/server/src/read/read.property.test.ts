// Lists of records against a naive reference (test/support/read): every parameter, every pair and random larger sets.
// `CAIRN_TEST_READ_RUNS` multiplies the runs, `CAIRN_TEST_SEED` sets the seed.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Examination } from '../../../../test/support/read/examination.ts';
import { PARAMETERS, type Parameter, readIntents, writeRequest } from '../../../../test/support/read/parameters.ts';
import { createReaders, ownerOf, readerWith, type WorldReader } from '../../../../test/support/read/reader.ts';
import { ReadWorld } from '../../../../test/support/read/world.ts';
import { TEST_SEED } from '../../../../test/support/seed.ts';
import { createTestApp, type TestApp } from '../../../../test/support/server.ts';
import { ENGINES } from '../../../../test/support/store.ts';
import { amount, IS_LONG } from '../../../../test/support/suite.ts';
import type { Engine } from '../engine/database.ts';
import { buildIndexes } from '../shape/index-build.job.ts';

const RUNS = amount('READ_RUNS', { short: 1, long: 2 });
const PLANS = [
  { engine: 'sqlite', worlds: IS_LONG ? 3 * RUNS : RUNS, runs: IS_LONG ? 3 : 1 },
  { engine: 'postgres', worlds: RUNS, runs: IS_LONG ? 2 : 1 },
] as const;
const COMMITS = 40;
const LARGER_SETS = IS_LONG ? 60 : 20;
const WIDE = 4_500;
const WIDE_SETS = IS_LONG ? 30 * RUNS : 15;

type ParameterSet = readonly Parameter[];

function parameterSets(seed: number, engine: Engine): ParameterSet[] {
  const alone = PARAMETERS.map((one) => [one]);
  const pairs = PARAMETERS.flatMap((a, index) => PARAMETERS.slice(index + 1).map((b) => [a, b])).filter(
    (_, index) => IS_LONG || index % 2 === ENGINES.indexOf(engine),
  );
  return [[], ...alone, ...pairs, ...sampleSets({ seed, minLength: 3, count: LARGER_SETS })];
}

function sampleSets({ seed, minLength, count }: { seed: number; minLength: number; count: number }): ParameterSet[] {
  return fc.sample(fc.subarray([...PARAMETERS], { minLength, maxLength: 7 }), { seed, numRuns: count });
}

interface Scene {
  readonly owner: WorldReader;
  readonly readers: readonly WorldReader[];
}

async function prepare({ app, store }: TestApp, number: number): Promise<Scene> {
  const seed = TEST_SEED * 1_000 + number;
  const world = await ReadWorld.start({ app, store, number, seed });
  await world.commitOften(COMMITS / 2);
  const early = await createReaders(world, 3);
  await world.commitOften(COMMITS / 2);
  if (number % 2 === 1) await buildIndexes(store);
  const owner = ownerOf(world);
  return { owner, readers: [owner, owner, owner, ...early] };
}

async function prepareWide({ app, store }: TestApp): Promise<Scene> {
  const world = await ReadWorld.start({ app, store, number: 0, seed: TEST_SEED });
  await world.commitOften(3);
  await world.addMany(WIDE);
  await world.commitOften(1);
  await buildIndexes(store);
  const owner = ownerOf(world);
  const refs = ['*/wide/*7', '*/a*', 'Set/**'];
  return { owner, readers: [owner, await readerWith(world, [{ permissions: ['repo:read'], refs }])] };
}

interface Trial {
  readonly sets: readonly ParameterSet[];
  readonly runs: number;
  readonly examination: Examination;
}

async function examineWorld({ owner, readers }: Scene, { sets, runs, examination }: Trial): Promise<void> {
  const { seed } = owner.world.options;
  for (const [index, parameters] of sets.entries()) {
    const property = fc.asyncProperty(readIntents, async (intent) => {
      const reader = readers[intent.reader % readers.length] ?? owner;
      const request = await writeRequest({ owner, reader }, intent, new Set(parameters));
      const way = { transport: intent.isRest ? 'rest' : 'procedure', limits: intent.limits } as const;
      await examination.examine(reader, request, way);
    });
    await fc.assert(property, { seed: seed * 1_000 + index, numRuns: runs });
  }
}

function expectMeaning({ items, refusals }: Examination, asked: number): void {
  expect(items).toBeGreaterThan(asked);
  expect(refusals).toBeLessThan(asked / 2);
}

describe.each(PLANS)('lists of records on $engine', ({ engine, worlds, runs }) => {
  it('answer what a naive filter of all records does', { timeout: 60_000 * worlds + 60_000 }, async () => {
    const testApp = await createTestApp(engine);
    const examination = new Examination();
    for (let number = 1; number <= worlds; number++) {
      const scene = await prepare(testApp, number);
      const sets = parameterSets(scene.owner.world.options.seed, engine);
      await examineWorld(scene, { sets, runs, examination });
    }
    expectMeaning(examination, worlds * parameterSets(1, engine).length * runs);
  });

  it('do so too where there are many records', { timeout: 60_000 * RUNS + 60_000 }, async () => {
    const scene = await prepareWide(await createTestApp(engine));
    const examination = new Examination();
    const sets = sampleSets({ seed: TEST_SEED, minLength: 1, count: WIDE_SETS });
    await examineWorld(scene, { sets, runs: 1, examination });
    expectMeaning(examination, WIDE_SETS);
  });
});
