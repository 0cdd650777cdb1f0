import { describe, expect, it } from 'vitest';
import { afterScroll, firstRow, placeOfRow, rowsHigh, WINDOW_ROWS, type WindowPlace } from './use-row-window.ts';

const VISIBLE = 20.5;
const list = (total: number) => ({ total, visible: VISIBLE });
const MILLION = list(1_000_000);
const LOWEST = WINDOW_ROWS - VISIBLE;

describe('a list that a browser can show', () => {
  it('is shown as it is', () => {
    expect(rowsHigh(12_345)).toBe(12_345);
    expect(afterScroll({ base: 0, scrolled: 0 }, 9_000.5, list(12_345))).toEqual({ base: 0, scrolled: 9_000.5 });
    expect(placeOfRow(700, list(12_345))).toEqual({ base: 0, scrolled: 700 });
    expect(placeOfRow(99_999, list(12_345))).toEqual({ base: 0, scrolled: 12_345 - VISIBLE });
  });
});

describe('a window over a million rows', () => {
  it('is no higher than browsers can show', () => {
    expect(rowsHigh(1_000_000)).toBe(WINDOW_ROWS);
  });

  it('has the ends of the list at its ends', () => {
    const end = afterScroll({ base: 0, scrolled: 0 }, LOWEST, MILLION);
    expect(end).toEqual({ base: 700_000, scrolled: LOWEST });
    expect(end.base + end.scrolled + VISIBLE).toBe(1_000_000);
    expect(afterScroll(end, 0, MILLION)).toEqual({ base: 0, scrolled: 0 });
  });

  it('goes to the row in proportion when it jumps', () => {
    const half = afterScroll({ base: 0, scrolled: 0 }, LOWEST / 2, MILLION);
    expect(firstRow(half)).toBeGreaterThan(499_000);
    expect(firstRow(half)).toBeLessThan(501_000);
    expect(half.scrolled).toBe(LOWEST / 2);
  });

  it('has every jump further down further on in the list', () => {
    let before = -1;
    for (let scrolled = 0; scrolled <= LOWEST; scrolled += 997) {
      const from = scrolled > LOWEST / 2 ? 0 : LOWEST;
      const row = firstRow(afterScroll({ base: 0, scrolled: from }, scrolled, MILLION));
      expect(row).toBeGreaterThan(before);
      before = row;
    }
  });

  it('moves row by row when it is scrolled a little', () => {
    const before = afterScroll({ base: 0, scrolled: 0 }, 120_000, MILLION);
    const after = afterScroll(before, 120_003, MILLION);
    expect(firstRow(after) - firstRow(before)).toBe(3);
  });

  it('can be scrolled through from end to end without a row being left out', () => {
    let place: WindowPlace = { base: 0, scrolled: 0 };
    const seen = [0];
    for (let steps = 0; steps < 30_000 && firstRow(place) < 1_000_000 - 21; steps++) {
      const down = Math.min(place.scrolled + 60, LOWEST);
      place = afterScroll(place, down, MILLION);
      seen.push(firstRow(place));
    }
    expect(seen.at(-1)).toBe(999_979);
    expect(Math.max(...seen.slice(1).map((row, index) => row - (seen[index] ?? 0)))).toBe(60);
    for (let steps = 0; steps < 30_000 && firstRow(place) > 0; steps++) {
      place = afterScroll(place, Math.max(place.scrolled - 60, 0), MILLION);
    }
    expect(place).toEqual({ base: 0, scrolled: 0 });
  });

  it.each([0, 30, 4_999, 5_001, 250_000, 512_000, 994_900, 999_000, 999_979])('finds row %i', (row) => {
    const place = placeOfRow(row, MILLION);
    expect(Math.abs(place.base + place.scrolled - row)).toBeLessThanOrEqual(0.5);
    expect(place.base).toBeGreaterThanOrEqual(0);
    expect(place.base).toBeLessThanOrEqual(700_000);
    expect(place.scrolled).toBeGreaterThanOrEqual(0);
    expect(place.scrolled).toBeLessThanOrEqual(LOWEST);
    const next = afterScroll(place, Math.min(place.scrolled + 1, LOWEST), MILLION);
    expect(Math.abs(firstRow(next) - firstRow(place))).toBeLessThanOrEqual(1);
  });

  it('stays within a list that has become shorter', () => {
    const end = afterScroll({ base: 0, scrolled: 0 }, LOWEST, MILLION);
    const after = afterScroll(end, LOWEST - 1, list(900_000));
    expect(after).toEqual({ base: 600_000, scrolled: LOWEST - 1 });
    expect(afterScroll(end, 30, list(40))).toEqual({ base: 0, scrolled: 30 });
  });
});
