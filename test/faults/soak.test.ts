// A server in mixed use that is killed at times: no answer is wrong, and at the end every acknowledged write is there.
// This test takes a few seconds, `npm run test:long` a minute, and `npm run soak` as long as you want.
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { soak } from '../soak/soak.ts';
import { intervalLine, summaryText } from '../soak/summary.ts';
import { TEST_SEED } from '../support/seed.ts';
import { settingsOf } from '../support/server.ts';
import { ENGINES, testLocation } from '../support/store.ts';
import { amount } from '../support/suite.ts';

const SECONDS = amount('SOAK_SECONDS', { short: 8, long: 60 });
const KILL_EVERY_SECONDS = amount('SOAK_KILL_EVERY_SECONDS', { short: 2, long: 8 });
const TIMEOUT_MS = 300_000 + 5_000 * SECONDS;
/** Even the shortest run must make requests of these kinds. */
const REQUESTS = ['commit http', 'commit sdk', 'commit mcp', 'stream line', 'get', 'list', 'past', 'log', 'export'];

describe.each(ENGINES)('a server on %s that is in use and is killed', (engine) => {
  it(`answers nothing wrongly and loses nothing, for ${SECONDS} seconds`, { timeout: TIMEOUT_MS }, async () => {
    const location = await testLocation(engine);
    const summary = await soak({
      ground: { location, settings: settingsOf(location) },
      serverFile: join(inject('packages'), 'server/main.js'),
      seconds: SECONDS,
      killEverySeconds: KILL_EVERY_SECONDS,
      paceMs: 100,
      seed: TEST_SEED,
      answered: REQUESTS,
      onInterval: (interval) => console.log(intervalLine(interval)),
    });
    console.log(summaryText(summary));
    expect(summary.findings.sentences, summary.output).toEqual([]);
    expect(REQUESTS.filter((kind) => (summary.requests[kind]?.answered ?? 0) === 0)).toEqual([]);
    expect(Object.values(summary.kills).some((count) => count > 0)).toBe(true);
    expect(summary.liveEvents).toBeGreaterThan(0);
    expect(summary.deliveries.received).toBeGreaterThan(summary.deliveries.failed);
  });
});
