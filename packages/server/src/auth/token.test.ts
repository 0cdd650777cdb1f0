import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashToken, isWellFormedToken, mintToken } from './token.ts';

describe('personal access tokens', () => {
  it('have a known prefix and a fixed length, and no two are alike', () => {
    const minted = Array.from({ length: 200 }, mintToken);
    for (const token of minted) expect(token).toMatch(/^cairn_pat_[0-9A-Za-z]{49}$/);
    expect(new Set(minted).size).toBe(200);
    expect(minted.every(isWellFormedToken)).toBe(true);
  });

  it('are refused when any one character is changed', () => {
    fc.assert(
      fc.property(fc.nat(48), fc.constantFrom(...'0aZ'), (position, character) => {
        const token = mintToken();
        const at = 'cairn_pat_'.length + position;
        fc.pre(token[at] !== character);
        return !isWellFormedToken(token.slice(0, at) + character + token.slice(at + 1));
      }),
    );
  });

  it('are refused when they are anything else', () => {
    fc.assert(fc.property(fc.string(), (text) => !isWellFormedToken(text)));
  });

  it('are stored as their SHA-256', () => {
    expect(Buffer.from(hashToken('abc')).toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });
});
