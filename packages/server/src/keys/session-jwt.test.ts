// Session tokens against a fixed clock: lifetimes to the second, and damaged tokens.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compactJws,
  type ForgedWorld,
  forgedAlgorithms,
  forgedClaims,
  forgedForms,
  forgedHeaders,
  forgedKeys,
  headerOf,
  signerOf,
} from '../../../../test/support/forged-session.ts';
import { deriveSigningKey, signSessionToken, verifySessionToken } from './session-jwt.ts';

const NOW = 1_800_000_000;
const url = 'http://cairn.example';
const key = deriveSigningKey('the secret of a test');
const sessionId = randomUUID();
const expected = { issuer: url, audiences: [url], nowMs: NOW * 1_000 };
const claims = {
  ...{ sid: sessionId, scope: 'cairn', iss: url, aud: url, sub: '7', jti: 'a-token' },
  ...{ iat: NOW, exp: NOW + 3_600 },
};
const world: ForgedWorld = { key, claims, foreignUrl: 'http://127.0.0.1:9' };

const verify = (token: string, nowMs = NOW * 1_000) => verifySessionToken(key, token, { ...expected, nowMs });
const signed = (changed: object) => compactJws(headerOf(key), { ...claims, ...changed }, signerOf(key));

describe('session tokens', () => {
  it('say whose they are, and are the same however they are made', async () => {
    const place = { issuer: url, audience: url };
    const token = await signSessionToken(key, place, {
      accountId: 7,
      sessionId,
      tokenId: 'a-token',
      nowMs: NOW * 1_000,
    });
    expect(token).toBe(signed({}));
    expect(await verify(token)).toEqual({ accountId: 7, sessionId, expiresAt: (NOW + 3_600) * 1_000 });
  });

  it('have a key that only their secret gives', () => {
    expect(deriveSigningKey('the secret of a test').id).toBe(key.id);
    expect(deriveSigningKey('the secret of a tesu').id).not.toBe(key.id);
    expect(deriveSigningKey('the secret of a test', 2).id).not.toBe(key.id);
  });

  it('are good in the form in which an OAuth server writes them', async () => {
    const { sid, scope: _, iss, aud, sub, jti, iat, exp } = claims;
    const scope = 'openid offline_access cairn';
    const written = { sid, jti, sub, iat, exp, scope, client_id: 'cairn-cli', iss, aud };
    const token = compactJws(headerOf(key), written, signerOf(key));
    expect(await verify(token)).toEqual({ accountId: 7, sessionId, expiresAt: (NOW + 3_600) * 1_000 });
    expect(await verify(signed({ scope: 'openid offline_access' }))).toBeUndefined();
  });

  it('are for those who are named, and for nobody else', async () => {
    const forMcp = { ...expected, audiences: [url, `${url}/mcp`] };
    expect(await verifySessionToken(key, signed({ aud: `${url}/mcp` }), forMcp)).toMatchObject({ accountId: 7 });
    expect(await verifySessionToken(key, signed({}), forMcp)).toMatchObject({ accountId: 7 });
    expect(await verify(signed({ aud: `${url}/mcp` }))).toBeUndefined();
    expect(await verifySessionToken(key, signed({ aud: [url, `${url}/mcp`] }), forMcp)).toBeUndefined();
  });

  it.each([
    ['before it ends', {}, 3_599, true],
    ['when it ends, by a clock that is 29 s late', {}, 3_629, true],
    ['30 s after its end', {}, 3_630, false],
    ['long after its end', {}, 86_400, false],
    ['30 s before it was made, by a clock that is early', {}, -30, true],
    ['31 s before it was made', {}, -31, false],
    ['30 s before nbf', { nbf: NOW + 30 }, 0, true],
    ['31 s before nbf', { nbf: NOW + 31 }, 0, false],
    ['of a whole hour', { exp: NOW + 3_600 }, 0, true],
    ['of a second more', { exp: NOW + 3_601 }, 0, false],
    ['of a second', { exp: NOW + 1 }, 0, true],
    ['of no time', { exp: NOW }, 0, false],
  ])('a token %s', async (_, changed, seconds, good) => {
    const claimed = await verify(signed(changed), (NOW + seconds) * 1_000);
    expect(claimed !== undefined).toBe(good);
  });

  it('that are forged are refused, whoever signed them', async () => {
    const forged = [
      ...forgedAlgorithms(world),
      ...forgedKeys(world),
      ...forgedHeaders(world),
      ...forgedClaims(world).filter(([what]) => !what.includes('00000000-0000')),
      ...(await forgedForms(world)),
    ];
    const accepted: string[] = [];
    for (const [what, token] of forged) if ((await verify(token)) !== undefined) accepted.push(what);
    expect(accepted).toEqual([]);
    expect(forged.length).toBeGreaterThan(200);
  });

  it('of another server are refused', async () => {
    const other = deriveSigningKey('the secret of another');
    expect(await verify(compactJws(headerOf(other), claims, signerOf(other)))).toBeUndefined();
    expect(await verify(compactJws(headerOf(key), claims, signerOf(other)))).toBeUndefined();
  });

  it('that are changed anywhere are refused, and nothing is thrown', async () => {
    const good = signed({});
    const character = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~+/=');
    const edit = fc.record({
      at: fc.nat(good.length),
      removed: fc.nat(3),
      inserted: fc.array(character, { maxLength: 3 }).map((some) => some.join('')),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 3 }), async (edits) => {
        const changed = edits.reduce(
          (text, { at, removed, inserted }) => text.slice(0, at) + inserted + text.slice(at + removed),
          good,
        );
        fc.pre(changed !== good);
        expect(await verify(changed)).toBeUndefined();
      }),
      { numRuns: 2_000 },
    );
  });

  it('with any other bit are refused, one by one', async () => {
    const good = Buffer.from(signed({}));
    for (let at = 0; at < good.length; at++) {
      for (let bit = 1; bit < 256; bit *= 2) {
        const changed = Buffer.from(good);
        changed[at] = Number(good[at]) ^ bit;
        expect([at, bit, await verify(changed.toString('latin1'))]).toEqual([at, bit, undefined]);
      }
    }
  });

  it('that hold anything at all are refused unless it is what we sign', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('sub', 'sid', 'scope', 'jti', 'aud', 'iss', 'iat', 'exp', 'nbf'),
        fc.jsonValue(),
        async (name, value) => {
          const claimed = await verify(signed({ [name]: value }));
          if (claimed === undefined) return;
          expect([typeof claimed.accountId, typeof claimed.sessionId]).toEqual(['number', 'string']);
          expect(Number.isSafeInteger(claimed.accountId) && Number.isSafeInteger(claimed.expiresAt)).toBe(true);
          expect(claimed.expiresAt).toBeLessThanOrEqual((NOW + 3_630) * 1_000);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
