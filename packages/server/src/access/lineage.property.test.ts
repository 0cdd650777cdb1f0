// Token lineages against an in-memory model (test/support/lineage): management, delegation and effective rights.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { actionIntents } from '../../../../test/support/lineage/intent.ts';
import { Scene } from '../../../../test/support/lineage/scene.ts';
import { takeActions } from '../../../../test/support/lineage/trial.ts';
import { TEST_SEED } from '../../../../test/support/seed.ts';
import { createTestApp } from '../../../../test/support/server.ts';
import { IS_LONG } from '../../../../test/support/suite.ts';

const PLANS = [
  { engine: 'sqlite', trials: IS_LONG ? 100 : 8 },
  { engine: 'postgres', trials: IS_LONG ? 20 : 2 },
] as const;

describe.each(PLANS)('a tree of tokens on $engine', ({ engine, trials }) => {
  it('shows, manages and hands on what a tree in memory says', async () => {
    const { app, store } = await createTestApp(engine);
    let [number, asked] = [0, 0];
    await fc.assert(
      fc.asyncProperty(actionIntents, async (intents) => {
        const scene = await Scene.start({ app, store, number: ++number });
        await takeActions(scene, intents);
        asked += scene.asked;
      }),
      { seed: TEST_SEED, numRuns: trials },
    );
    expect(asked).toBeGreaterThan(trials * 100);
  });
});
