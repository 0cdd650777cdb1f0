import { describe, expect, it } from 'vitest';
import { formatRunId, homeOfRun } from './run-id.rule.ts';

const chance = Uint8Array.from({ length: 16 }, (_, at) => at * 17);

describe('the id of a run', () => {
  it.each([1, 7, 2 ** 31, 2 ** 48 - 1, -1, -7, -(2 ** 40)])('says that it is of %d', (homeId) => {
    const runId = formatRunId(homeId, chance);
    expect(runId).toMatch(/^run_[0-9a-hjkmnp-tv-z]{26}$/);
    expect(homeOfRun(runId)).toBe(homeId);
  });

  it('is told from other texts', () => {
    for (const text of ['', 'run_', `run_${'u'.repeat(26)}`, `Run_${'0'.repeat(26)}`, `run_${'0'.repeat(27)}`]) {
      expect(homeOfRun(text)).toBeUndefined();
    }
  });
});
