import { describe, expect, it } from 'vitest';
import { createProgress, progressLine } from './progress.ts';
import type { Session } from './session.ts';

describe('a line of progress', () => {
  it.each([
    [{ what: 'Exporting', done: 0, unit: 'rows' }, 0, 'Exporting  0 rows'],
    [{ what: 'Exporting', done: 12_345, unit: 'rows' }, 678.4, 'Exporting  12,345 rows  678 rows/s'],
    [
      { what: 'Exporting', done: 500, total: 2_000, unit: 'rows' },
      100,
      `Exporting  ${'█'.repeat(6)}${'░'.repeat(18)}  25 %  500 rows  100 rows/s  0:15 left`,
    ],
    [
      { what: 'Downloading', done: 1_500_000, total: 3_000_000_000, unit: 'bytes' },
      500_000,
      `Downloading  ${'░'.repeat(24)}  0 %  1.5 MB  500.0 kB/s  1:39:57 left`,
    ],
    [{ what: 'Sending', done: 9, total: 8, unit: 'bytes' }, 1, `Sending  ${'█'.repeat(24)}  100 %  9 B  1 B/s`],
  ] as const)('%j at %d is %s', (step, rate, line) => {
    expect(progressLine(step, rate, 120)).toBe(line);
  });

  it('fits the terminal', () => {
    expect(progressLine({ what: 'Exporting', done: 1, total: 2, unit: 'rows' }, 1, 20)).toHaveLength(19);
  });
});

function watch(stderrColumns: number | undefined, isFollowed: boolean) {
  const written: string[] = [];
  const io = { stderrColumns, stderr: (text: string) => written.push(text) };
  let clock = 0;
  const progress = createProgress({ io, isFollowed } as unknown as Session, () => clock);
  const showAt = (at: number, done: number) => {
    clock = at;
    progress.show({ what: 'Exporting', done, total: 1_000, unit: 'rows' });
  };
  return { written, showAt, end: progress.end };
}

it('is drawn ten times a second at most, counts from where it began, and goes away', () => {
  const { written, showAt, end } = watch(80, true);
  showAt(0, 500);
  showAt(50, 505);
  showAt(1_000, 600);
  end();
  expect(written).toHaveLength(3);
  expect(written[1]).toContain('600 rows  100 rows/s  0:04 left');
  expect(written[2]).toBe('\r\u001B[K');
});

it.each([
  [undefined, true],
  [80, false],
])('is not there without a terminal (%s), or for who does not follow (%s)', (columns, isFollowed) => {
  const { written, showAt, end } = watch(columns, isFollowed);
  showAt(0, 1);
  end();
  expect(written).toEqual([]);
});
