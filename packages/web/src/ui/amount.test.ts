import { expect, it } from 'vitest';
import { bytesText } from './amount.ts';

it.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1_000, '1 KB'],
  [1_440_000, '1.4 MB'],
  [5_000_000_000, '5 GB'],
  [7e16, '70,000 TB'],
])('%d bytes are %s', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text);
});
