import { createSecretKey, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { EXTERNAL_FLOW_MS, type ExternalFlow, openFlow, sealFlow } from './external-sign-in.ts';

const key = createSecretKey(randomBytes(32));
const flow: ExternalFlow = {
  checks: { state: 'a state', nonce: 'a nonce', verifier: 'a verifier' },
  intent: { kind: 'invitation', code: 'a code' },
};
const NOW = 1_800_000_000_000;

describe('what a browser keeps for an external sign-in', () => {
  it('is what was sealed, for a quarter of an hour, and shows nothing of it', () => {
    const sealed = sealFlow(key, flow, NOW);
    expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toContain('a code');
    expect(openFlow(key, sealed, NOW + EXTERNAL_FLOW_MS - 1)).toEqual(flow);
    expect(() => openFlow(key, sealed, NOW + EXTERNAL_FLOW_MS)).toThrow('Start again');
  });

  it('is refused when it is none of ours', () => {
    const other = createSecretKey(randomBytes(32));
    for (const sealed of [undefined, '', 'x', sealFlow(other, flow, NOW), JSON.stringify(flow)]) {
      expect(() => openFlow(key, sealed, NOW)).toThrow('Start again');
    }
  });
});
