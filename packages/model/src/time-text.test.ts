import { describe, expect, it } from 'vitest';
import { timeText, utcDayText, utcTimeText } from './time-text.ts';

describe('a time', () => {
  it('is written by the clock of who reads, as exactly as is asked', () => {
    const at = new Date(2026, 6, 31, 9, 5, 3).getTime();
    expect(timeText(at)).toBe('31 Jul 2026, 09:05');
    expect(timeText(at, 'day')).toBe('31 Jul 2026');
    expect(timeText(at, 'second')).toBe('31 Jul 2026, 09:05:03');
    expect(timeText(at, 'zoned')).toMatch(/^31 Jul 2026, 09:05:03 \S+$/);
  });

  it('is written in UTC where that clock is not known', () => {
    const at = Date.UTC(2026, 0, 1, 23, 59);
    expect(utcTimeText(at)).toBe('1 Jan 2026, 23:59 UTC');
    expect(utcDayText(at)).toBe('1 Jan 2026');
  });
});
