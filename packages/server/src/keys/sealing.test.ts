import { createSecretKey, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { seal, sealText, unseal, unsealText } from './sealing.ts';

const key = createSecretKey(randomBytes(32));
const place = { homeId: 7, credentialSetId: 'set', key: 'WEBHOOK_BEARER_TOKEN' };

describe('a sealed value', () => {
  it.each(['a', 'grüße\n€', 'x'.repeat(8_192)])('opens where it was sealed', (value) => {
    expect(unseal(key, place, seal(key, place, value))).toBe(value);
  });

  it('is never twice the same, and shows nothing of the value', () => {
    const sealed = Array.from({ length: 100 }, () => Buffer.from(seal(key, place, 'a secret value')));
    expect(new Set(sealed.map((bytes) => bytes.toString('hex'))).size).toBe(100);
    expect(sealed.every((bytes) => bytes[0] === 1 && !bytes.includes('secret'))).toBe(true);
  });

  it('opens nowhere else', () => {
    const sealed = seal(key, place, 'a secret value');
    for (const other of [{ homeId: -7 }, { credentialSetId: 'other' }, { key: 'WEBHOOK_API_KEY' }]) {
      expect(() => unseal(key, { ...place, ...other }, sealed)).toThrow();
    }
    expect(() => unseal(createSecretKey(randomBytes(32)), place, sealed)).toThrow();
  });

  it('opens with no byte changed, cut off or added', () => {
    const sealed = seal(key, place, 'a secret value');
    for (const index of sealed.keys()) {
      const changed = sealed.map((byte, at) => (at === index ? byte ^ 1 : byte));
      expect(() => unseal(key, place, changed)).toThrow();
      expect(() => unseal(key, place, sealed.subarray(0, index))).toThrow();
    }
    expect(() => unseal(key, place, new Uint8Array([...sealed, 0]))).toThrow();
  });
});

describe('a sealed text', () => {
  it('opens for its purpose alone, as it was sealed', () => {
    const sealed = sealText(key, 'a purpose', 'a text');
    expect(unsealText(key, 'a purpose', sealed)).toBe('a text');
    expect(unsealText(key, 'another', sealed)).toBeUndefined();
    expect(unsealText(createSecretKey(randomBytes(32)), 'a purpose', sealed)).toBeUndefined();
    for (const other of ['', 'x', `${sealed}A`, `${sealed}=`, ` ${sealed}`, sealed.slice(1), sealed.slice(0, -1)]) {
      expect(unsealText(key, 'a purpose', other)).toBeUndefined();
    }
  });
});
