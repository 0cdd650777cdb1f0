import { describe, expect, it } from 'vitest';
import { timeScaleOf } from './activity.ts';

const BEGUN = new Date(2026, 6, 31, 9, 5, 3, 20).getTime();
const history = (spanMs: number) => [
  { repoSeq: 1, at: BEGUN },
  { repoSeq: 9, at: BEGUN + spanMs },
];

describe('the times of a history', () => {
  it.each([3, 400, 9_000, 59_000])('are counted in seconds from its first commit, where it is %i ms long', (span) => {
    const quick = timeScaleOf(history(span));
    expect(quick.since).toBe(BEGUN);
    expect(quick.momentText(BEGUN + span)).toMatch(/^31 Jul 2026, 09:0\d:\d\d$/);
    expect(quick.exactText(BEGUN)).toBe('31 Jul 2026, 09:05:03');
    expect(quick.exactText(BEGUN + span)).toBe(`${span / 1_000} s after the first`);
    expect([0, 50, 500, 20_000].map(quick.distanceText)).toEqual(['0 s', '0.05 s', '0.5 s', '20 s']);
  });

  it('are told as exactly as its length asks for', () => {
    const minutes = timeScaleOf(history(5 * 60_000));
    expect(minutes.since).toBeUndefined();
    expect(minutes.momentText(BEGUN)).toBe('31 Jul 2026, 09:05:03');
    expect(minutes.exactText(BEGUN + 60_000)).toBe('31 Jul 2026, 09:06:03');
    expect(timeScaleOf(history(86_400_000)).momentText(BEGUN)).toBe('31 Jul 2026, 09:05');
    expect(timeScaleOf([]).since).toBe(0);
  });
});
