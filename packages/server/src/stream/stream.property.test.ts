// Random operations in random chunks, sent twice, early or truncated, equal the same operations in one commit.
// `CAIRN_TEST_STREAM_RUNS` multiplies the runs.
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { ENGINES, openTestStore } from '../../../../test/support/store.ts';
import { streamIntent } from '../../../../test/support/stream/intent.ts';
import { StreamTrial } from '../../../../test/support/stream/trial.ts';
import { amount } from '../../../../test/support/suite.ts';

const RUNS = amount('STREAM_RUNS', { short: 1, long: 12 });

describe.each(ENGINES)('a stream and a commit of the same operations on %s', (engine) => {
  const options = { timeout: 300_000 * RUNS };

  it('agree on every outcome, on the offset after each chunk, and on all that is read', options, async () => {
    const far = await StreamTrial.far(await openTestStore(engine));
    let count = 0;
    await fc.assert(
      fc.asyncProperty(streamIntent, async (intent) => {
        const trial = await StreamTrial.start(far, `p${++count}`);
        await trial.run(intent);
      }),
      { numRuns: RUNS * (engine === 'sqlite' ? 40 : 16) },
    );
  });
});
