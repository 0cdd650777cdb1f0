// Relations against an in-memory model: random commits to two repositories that refer to each other, read at every
// sequence (test/support/relation).
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { commitIntents } from '../../../../test/support/relation/intent.ts';
import { Trial } from '../../../../test/support/relation/trial.ts';
import { ENGINES, openTestStore } from '../../../../test/support/store.ts';
import { IS_LONG } from '../../../../test/support/suite.ts';

describe.each(ENGINES)('relations and a model in memory on %s', (engine) => {
  const options = { timeout: 300_000 };

  it('agree on every outcome, on what is read at every sequence, and leave rows that agree', options, async () => {
    const store = await openTestStore(engine);
    let count = 0;
    await fc.assert(
      fc.asyncProperty(commitIntents, async (intents) => {
        const trial = await Trial.start(store, `p${++count}`);
        for (const intent of intents) await trial.submit(intent);
        await trial.expectSameReads();
        await trial.expectNoDifference();
      }),
      { numRuns: (engine === 'sqlite' ? 20 : 7) * (IS_LONG ? 10 : 1) },
    );
  });
});
