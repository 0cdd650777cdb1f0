import { hash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createSha256 } from './run-export.ts';

describe('SHA-256', () => {
  it.each([0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 128, 1_000, 100_003])('of %i bytes is that of others', (length) => {
    const bytes = randomBytes(length);
    const sha256 = createSha256();
    sha256.update(bytes);
    expect(sha256.digest()).toBe(hash('sha256', bytes, 'hex'));
  });

  it('is the same whichever pieces it comes in', () => {
    const bytes = randomBytes(5_000);
    const sha256 = createSha256();
    for (let from = 0, size = 1; from < bytes.length; from += size, size = (size * 7) % 131) {
      sha256.update(bytes.subarray(from, from + size));
    }
    expect(sha256.digest()).toBe(hash('sha256', bytes, 'hex'));
  });
});
