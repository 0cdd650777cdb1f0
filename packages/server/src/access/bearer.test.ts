import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashToken, kindOfToken, mintToken } from './principal.ts';

describe.each([
  ['personal', 'cairn_pat_'],
  ['setup', 'cairn_setup_'],
  ['runtime', 'cairn_run_'],
] as const)('%s tokens', (kind, prefix) => {
  it('have a known prefix and a fixed length, and no two are alike', () => {
    const minted = Array.from({ length: 200 }, () => mintToken(kind));
    for (const token of minted) expect(token).toMatch(new RegExp(`^${prefix}[0-9A-Za-z]{49}$`));
    expect(new Set(minted).size).toBe(200);
    expect(new Set(minted.map(kindOfToken))).toEqual(new Set([kind]));
  });

  it('are refused when any one character is changed', () => {
    fc.assert(
      fc.property(fc.nat(48), fc.constantFrom(...'0aZ'), (position, character) => {
        const token = mintToken(kind);
        const at = prefix.length + position;
        fc.pre(token[at] !== character);
        return kindOfToken(token.slice(0, at) + character + token.slice(at + 1)) === undefined;
      }),
    );
  });

  it('are refused under the prefix of another kind', () => {
    const secret = mintToken(kind).slice(prefix.length);
    const others = ['cairn_pat_', 'cairn_setup_', 'cairn_run_', '', 'cairn_'].filter((other) => other !== prefix);
    for (const other of others) expect(kindOfToken(other + secret)).toBeUndefined();
  });
});

it('anything else is no token', () => {
  fc.assert(fc.property(fc.string(), (text) => kindOfToken(text) === undefined));
  for (const text of ['constructor', 'cairn_pat_', '__proto__']) expect(kindOfToken(text)).toBeUndefined();
});

it('tokens are stored as their SHA-256', () => {
  expect(Buffer.from(hashToken('abc')).toString('hex')).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
});
