import { expect, it } from 'vitest';
import { crc32c } from './crc32c.ts';

it.each([
  ['123456789', 0xe3069283],
  ['', 0],
  ['a', 0xc1d04330],
  ['\0'.repeat(32), 0x8a9136aa],
  ['\xff'.repeat(32), 0x62a8ab43],
])('the CRC-32C of %j is the published one', (text, crc) => {
  expect(crc32c(Buffer.from(text, 'latin1'))).toBe(crc);
});
