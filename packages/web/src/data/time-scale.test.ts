import { describe, expect, it } from 'vitest';
import { timeScaleOf } from './time-scale.ts';

const BEGUN = new Date(2026, 6, 31, 9, 5, 3, 20).getTime();
const history = (spanMs: number) => [
  { repoSeq: 1, at: BEGUN },
  { repoSeq: 9, at: BEGUN + spanMs },
];

describe('the times of a history', () => {
  it('are counted from its first commit, where all of it lies within seconds', () => {
    const quick = timeScaleOf(history(400));
    expect(quick.since).toBe(BEGUN);
    expect(quick.momentText(BEGUN)).toBe('31 Jul 2026, 09:05:03.020');
    expect([0, 100, 400].map(quick.distanceText)).toEqual(['0 ms', '100 ms', '400 ms']);
    const slower = timeScaleOf(history(9_000));
    expect(slower.since).toBe(BEGUN);
    expect([0, 500, 2_000].map(slower.distanceText)).toEqual(['0 s', '0.5 s', '2 s']);
  });

  it('are told as exactly as its length asks for', () => {
    const minutes = timeScaleOf(history(5 * 60_000));
    expect(minutes.since).toBeUndefined();
    expect(minutes.momentText(BEGUN)).toBe('31 Jul 2026, 09:05:03');
    expect(timeScaleOf(history(86_400_000)).momentText(BEGUN)).toBe('31 Jul 2026, 09:05');
    expect(timeScaleOf([]).since).toBe(0);
  });
});
