// A server is killed at random moments under eight writers, also while it starts. Clients send every commit until it is
// acknowledged. At the end the store has exactly the commits that were sent. `npm run soak:kills` repeats it as often
// as you want.
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { killOften } from '../soak/kills.ts';
import { TEST_SEED } from '../support/seed.ts';
import { settingsOf } from '../support/server.ts';
import { ENGINES, testLocation } from '../support/store.ts';
import { amount } from '../support/suite.ts';

const KILLS = amount('SOAK_KILLS', { short: 2, long: 100 });
const OPERATIONS_EACH = 50;

describe.each(ENGINES)('kill -9 of a server on %s under eight writers', (engine) => {
  const options = { timeout: 120_000 + 15_000 * KILLS };
  it(`loses nothing and invents nothing, ${KILLS} times over`, options, async () => {
    const location = await testLocation(engine);
    const piece = await killOften({
      ground: { location, settings: settingsOf(location) },
      serverFile: join(inject('packages'), 'server/main.js'),
      kills: KILLS,
      operationsEach: OPERATIONS_EACH,
      seed: TEST_SEED,
    });
    console.log(`${engine}: ${piece.kills} kills, ${piece.operations} operations acknowledged`);
    expect(piece.findings.sentences).toEqual([]);
    expect(piece.kills).toBeGreaterThanOrEqual(KILLS);
    expect(piece.commits).toBeGreaterThan(KILLS);
  });
});
