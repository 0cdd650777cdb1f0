import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { formatTrace, passThrough, readTrace } from './trace.ts';

const key = createSecretKey(Buffer.alloc(32, 1));
const NOW = 1_800_000_000_000;
const DAY_MS = 86_400_000;
const trace = { traceId: '0123456789abcdef0123456789abcdef', depth: 3, via: [12, -7] };

describe('a trace', () => {
  it('comes back as it was sent', () => {
    expect(readTrace(key, formatTrace(key, trace, NOW), NOW + DAY_MS)).toEqual(trace);
    const begun = { ...trace, via: [] };
    expect(readTrace(key, formatTrace(key, begun, NOW), NOW)).toEqual(begun);
    expect(readTrace(key, undefined, NOW)).toBeUndefined();
  });

  it('lists the last homes that it passed through, once each', () => {
    expect(passThrough(trace, 5).via).toEqual([12, -7, 5]);
    expect(passThrough(trace, 12).via).toEqual([-7, 12]);
    let passed = trace;
    for (let home = 1; home <= 100; home++) passed = { ...passed, via: [...passThrough(passed, home).via] };
    expect(passed.via).toEqual(Array.from({ length: 16 }, (_, index) => 85 + index));
  });

  it('that is old is none any more', () => {
    expect(readTrace(key, formatTrace(key, trace, NOW), NOW + 3 * DAY_MS)).toBeUndefined();
  });

  it('that another made, or that was changed, is refused', () => {
    const other = createSecretKey(Buffer.alloc(32, 2));
    const sent = formatTrace(key, trace, NOW);
    for (const header of [
      formatTrace(other, trace, NOW),
      sent.replace('.3.', '.2.'),
      sent.replace('via12', 'via13'),
      sent.replace('.via12_-7', ''),
      `${sent}=`,
      sent.replace(String(NOW), String(NOW + 1)),
      '',
      'x',
      sent.slice(1),
    ]) {
      expect(() => readTrace(key, header, NOW)).toThrow(/x-cairn-trace/);
    }
  });
});
