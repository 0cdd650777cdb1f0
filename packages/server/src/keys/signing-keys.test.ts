// Key rotation: no node refuses a token of a key it has not heard of, and no key outlives its last token.

import { createPublicKey } from 'node:crypto';
import { CairnClient } from '@cairn/sdk';
import { createLocalJWKSet, importJWK, type JSONWebKeySet, jwtVerify, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { createSession, TEST_SECRET, TEST_URL } from '../../../../test/support/principal.ts';
import { caller } from '../../../../test/support/procedure.ts';
import { createOwnerToken, createTestAppOn, ownerIdOf, startTestServer } from '../../../../test/support/server.ts';
import { openStoreAt, preparedLocation, UPPER_ENGINES } from '../../../../test/support/store.ts';
import { authenticate } from '../access/principal.ts';
import { AccessView } from '../engine/access-epoch.ts';
import type { Engine } from '../engine/database.ts';
import type { Store } from '../store.ts';
import { listSigningGenerations } from './server-fact.sql.ts';
import { deriveSigningKey } from './session-jwt.ts';
import {
  followSigningKey,
  rotateAgedSigningKey,
  rotateSigningKey,
  SigningKeys,
  toJwk,
  VERIFIES_MS,
} from './signing-keys.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

function nodeOn(store: Store, secret = TEST_SECRET) {
  const signingKeys = new SigningKeys({ reader: store.database, secret });
  const verification = { store, signingKeys, settings: { publicUrl: TEST_URL } };
  const whoIs = async (token: string) => {
    const found = await authenticate(verification, {
      authorization: `Bearer ${token}`,
      path: '/trpc',
      view: new AccessView(0),
    });
    return found.kind;
  };
  return { signingKeys, whoIs };
}

async function prepare(engine: Engine) {
  const location = await preparedLocation(engine);
  const [store, otherStore] = [await openStoreAt(location), await openStoreAt(location)];
  await createOwnerToken(store);
  const accountId = await ownerIdOf(store);
  const [node, other] = [nodeOn(store), nodeOn(otherStore)];
  const sign = async ({ signingKeys }: typeof node) =>
    (await createSession(store, { accountId, key: signingKeys.current() })).token;
  return { store, otherStore, node, other, sign };
}

describe.each(UPPER_ENGINES)('signing keys on %s', (engine) => {
  it('that were rotated refuse no token, on nodes that have heard of it and on others', async () => {
    const { store, node, other, sign } = await prepare(engine);
    const before = await sign(node);
    expect(await rotateSigningKey(store)).toMatchObject({ generation: 2 });
    await node.signingKeys.reload();
    const after = await sign(node);
    const late = await sign(other);
    expect(node.signingKeys.current().id).not.toBe(other.signingKeys.current().id);
    for (const token of [before, late, after]) {
      expect([await node.whoIs(token), await other.whoIs(token)]).toEqual(['session', 'session']);
    }
    expect(other.signingKeys.current().id).toBe(node.signingKeys.current().id);
    await rotateSigningKey(store);
    await node.signingKeys.reload();
    const third = await sign(node);
    expect(await Promise.all([third, third, before].map(other.whoIs))).toEqual(['session', 'session', 'session']);
  });

  it('are looked for once, however many tokens name keys that nobody has', async () => {
    const { store, node, sign } = await prepare(engine);
    let statements = 0;
    const reader = {
      ...store.database,
      query: <Row>(sql: string, values: readonly string[] = []) => {
        statements++;
        return store.database.query<Row>(sql, values);
      },
    };
    const heard = new SigningKeys({ reader, secret: TEST_SECRET });
    const foreign = await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        const key = deriveSigningKey('the secret of another server', n + 1);
        return await sign({ ...node, signingKeys: { current: () => key } as SigningKeys });
      }),
    );
    expect(await Promise.all(foreign.map((token) => heard.keyOfToken(token)))).toEqual(foreign.map(() => undefined));
    expect(statements).toBe(1);
    const header = Buffer.from('{"alg":"EdDSA","typ":"at+jwt","kid":"../../../secrets"}').toString('base64url');
    expect(await heard.keyOfToken(`${header}.e30.AAAA`)).toBeUndefined();
    expect(await heard.keyOfToken('nonsense')).toBeUndefined();
    expect(statements).toBe(1);
  });

  it('that were rotated verify until their last token is over, and not longer', async () => {
    const { store, node, sign } = await prepare(engine);
    const now = Date.now();
    const old = await sign(node);
    const { id } = node.signingKeys.current();
    await rotateSigningKey(store, now - VERIFIES_MS + HOUR_MS);
    await node.signingKeys.reload();
    expect(node.signingKeys.verifying(now).map((key) => key.id)).toEqual([node.signingKeys.current().id, id]);
    expect(await node.whoIs(old)).toBe('session');
    expect(node.signingKeys.verifying(now + HOUR_MS - 1)).toHaveLength(2);
    expect(node.signingKeys.verifying(now + HOUR_MS)).toHaveLength(1);
    await rotateSigningKey(store, now + HOUR_MS);
    expect((await listSigningGenerations(store.database)).map(({ generation }) => generation)).toEqual([2, 3]);
    await node.signingKeys.reload();
    await expect(node.whoIs(old)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it('are others with another secret', async () => {
    const { store, node, sign } = await prepare(engine);
    const [first, restarted] = [await sign(node), nodeOn(store, 'another secret than before')];
    await rotateSigningKey(store);
    await node.signingKeys.reload();
    for (const token of [first, await sign(node)]) {
      expect(await node.whoIs(token)).toBe('session');
      await expect(restarted.whoIs(token)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    }
  });

  it('are rotated after 90 days, by one node of many', async () => {
    const { store, otherStore, node, other, sign } = await prepare(engine);
    const now = Date.now();
    const everyNode = (at: number) =>
      Promise.all([store, otherStore, store, otherStore].map((one) => rotateAgedSigningKey(one, at)));
    const generations = async () => (await listSigningGenerations(store.database)).map((one) => one.generation);
    await everyNode(now - 90 * DAY_MS);
    expect(await generations()).toEqual([1]);
    const token = await sign(node);
    await everyNode(now - 1);
    expect(await generations()).toEqual([1]);
    await everyNode(now);
    expect(await generations()).toEqual([1, 2]);
    await Promise.all([followSigningKey(store, node.signingKeys), followSigningKey(otherStore, other.signingKeys)]);
    expect(node.signingKeys.current().id).toBe(deriveSigningKey(TEST_SECRET, 2).id);
    expect(other.signingKeys.version).toBe(node.signingKeys.version);
    expect([await node.whoIs(token), await other.whoIs(token)]).toEqual(['session', 'session']);
  });

  it('that two operators rotate at once are given each number once, and the log says by whom', async () => {
    const { store, otherStore } = await prepare(engine);
    const now = Date.now();
    await rotateAgedSigningKey(store, now - 91 * DAY_MS);
    const outcomes = await Promise.allSettled([rotateSigningKey(store, now), rotateSigningKey(otherStore, now)]);
    const generations = await listSigningGenerations(store.database);
    const done = outcomes.filter(({ status }) => status === 'fulfilled');
    expect(generations.map(({ generation }) => generation)).toEqual(done.length === 2 ? [1, 2, 3] : [1, 2]);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'CONFLICT' });
    }
    await rotateAgedSigningKey(store, now + 91 * DAY_MS);
    const { app } = createTestAppOn(store);
    const owner = caller(app, (await createSession(store, { accountId: await ownerIdOf(store) })).token);
    const action = 'admin.rotateSigningKey';
    const { items } = (await owner('audit.list', { orgName: 'ada', action })).data();
    expect(items).toHaveLength(done.length + 1);
    expect(items[0]).toMatchObject({ actor: 'server', target: 'server', details: { reason: 'after 90 days' } });
    expect(items[1]).toMatchObject({ actor: 'operator', details: { generation: 1 + done.length } });
  });

  it('are not rotated faster than their tokens end', async () => {
    const { store } = await prepare(engine);
    for (let n = 0; n < 7; n++) await rotateSigningKey(store);
    await expect(rotateSigningKey(store)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await rotateSigningKey(store, Date.now() + 2 * HOUR_MS)).toMatchObject({ generation: 9 });
  });
});

describe.each(UPPER_ENGINES)('a server on %s whose key was rotated', (engine) => {
  it('lists both keys as soon as it has seen a token of the new one, and others verify with them', async () => {
    const secret = 'the secret of a server whose key is rotated';
    const { url, store } = await startTestServer(engine, { CAIRN_SECRET: secret });
    await createOwnerToken(store);
    const accountId = await ownerIdOf(store);
    const listed = async () => {
      const answer = await fetch(`${url}/.well-known/jwks.json`);
      return (await answer.json()) as JSONWebKeySet;
    };
    const [first, second] = [deriveSigningKey(secret), deriveSigningKey(secret, 2)];
    expect((await listed()).keys.map(({ kid }) => kid)).toEqual([first.id]);
    await rotateSigningKey(store);
    for (const key of [second, first]) {
      const { token } = await createSession(store, { accountId, url, key });
      expect(await new CairnClient({ url, token }).auth.whoami()).toMatchObject({ kind: 'session', handle: 'ada' });
      const keys = await listed();
      expect(keys.keys.map(({ kid }) => kid)).toEqual([second.id, first.id]);
      expect(JSON.stringify(keys)).not.toContain('"d"');
      const { payload } = await jwtVerify(token, createLocalJWKSet(keys), { issuer: url, audience: url });
      expect(payload.sub).toBe(String(accountId));
    }
  });
});

it('a signing key is a JWK that others can use', async () => {
  const key = deriveSigningKey(TEST_SECRET, 2);
  const jwk = toJwk(key);
  expect(jwk).toMatchObject({ kty: 'OKP', crv: 'Ed25519', kid: key.id, alg: 'EdDSA', use: 'sig' });
  const { d: _, ...open } = jwk;
  const found = createPublicKey({ key: open, format: 'jwk' });
  expect(found.equals(key.publicKey)).toBe(true);
  const token = await new SignJWT({}).setProtectedHeader({ alg: 'EdDSA' }).sign(await importJWK(jwk));
  await jwtVerify(token, key.publicKey);
});
