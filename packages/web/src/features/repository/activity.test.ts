import { describe, expect, it } from 'vitest';
import { growthOf, pointedPlace, sampleSequences, spread } from './activity.ts';

describe('the sequences that stand for a history', () => {
  it('begin with the first, end with the last and are not too many', () => {
    for (const last of [501, 999, 1_000, 12_345, 1_000_000, 987_654_321]) {
      const sequences = sampleSequences({ first: 1, last, most: 40 });
      expect(sequences.at(0)).toBe(1);
      expect(sequences.at(-1)).toBe(last);
      expect(sequences.length).toBeGreaterThan(10);
      expect(sequences.length).toBeLessThanOrEqual(40);
      expect(sequences).toEqual([...new Set(sequences)].sort((one, other) => one - other));
    }
  });

  it('stay the same but for the last while a repository grows', () => {
    const before = sampleSequences({ first: 1, last: 12_345, most: 40 });
    const after = sampleSequences({ first: 1, last: 12_400, most: 40 });
    expect(after.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
  });

  it('begin where a copy can be read', () => {
    expect(sampleSequences({ first: 700, last: 1_000, most: 10 })).toEqual([700, 750, 800, 850, 900, 950, 1_000]);
  });

  it('are those that there are, of a short history', () => {
    expect(sampleSequences({ first: 1, last: 1, most: 40 })).toEqual([1]);
    expect(sampleSequences({ first: 1, last: 4, most: 40 })).toEqual([1, 2, 3, 4]);
  });
});

describe('the growth of a repository', () => {
  it('is in order, without a sequence twice, and never goes back in time', () => {
    const commits = [
      { repoSeq: 3, createdAt: 30 },
      { repoSeq: 1, createdAt: 20 },
      { repoSeq: 2, createdAt: 10 },
      { repoSeq: 3, createdAt: 30 },
    ];
    expect(growthOf(commits)).toEqual([
      { repoSeq: 1, at: 20 },
      { repoSeq: 2, at: 20 },
      { repoSeq: 3, at: 30 },
    ]);
  });
});

describe('spread', () => {
  it('takes some of many, with both ends', () => {
    expect(spread([1, 2, 3], 5)).toEqual([1, 2, 3]);
    expect(spread([1, 2, 3, 4, 5, 6, 7, 8, 9], 3)).toEqual([1, 5, 9]);
  });
});

describe('the place that is pointed at', () => {
  const places = [
    { x: 0, y: 100 },
    { x: 0, y: 50 },
    { x: 0.1, y: 0 },
    { x: 90, y: 0 },
  ];

  it('is told by height where several stand above each other', () => {
    expect(pointedPlace(places, { x: 3, y: 55 })).toBe(1);
    expect(pointedPlace(places, { x: 3, y: 5 })).toBe(2);
    expect(pointedPlace(places, { x: 80, y: 6 })).toBe(3);
  });

  it('is the one that holds at that time, away from all of them', () => {
    expect(pointedPlace(places, { x: 80, y: 60 })).toBe(2);
    expect(pointedPlace(places, { x: 99, y: 60 })).toBe(3);
    expect(pointedPlace(places, { x: -40, y: 60 })).toBe(0);
  });
});
