import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { TEST_SECRET } from '../../../../../test/support/principal.ts';
import { caller } from '../../../../../test/support/procedure.ts';
import { tracesOf } from '../../../../../test/support/secret-trace.ts';
import { createOwnerToken, createTestAppOn } from '../../../../../test/support/server.ts';
import { ENGINES, inTransaction, openStoreAt, preparedLocation } from '../../../../../test/support/store.ts';
import { homeIdOf } from '../../access/grant.rule.ts';
import type { Engine } from '../../engine/database.ts';
import { findRepository } from '../../repository/repository.sql.ts';
import { deriveKeys } from '../../server.ts';
import { type DeliveryUse, type OpenedCredentials, openCredentials } from './credential-set.ts';

const WORLD = { orgName: 'acme', repoName: 'world' };
const SET = { ...WORLD, name: 'hooks' };
const SECRET = `whsec_${Buffer.alloc(32, 'signing').toString('base64')}`;
const ORIGIN = 'https://hooks.example.com';

async function prepare(engine: Engine) {
  const location = await preparedLocation(engine);
  const store = await openStoreAt(location);
  const { app, logged } = createTestAppOn(store);
  const owner = caller(app, await createOwnerToken(store));
  (await owner('org.create', { name: 'acme' })).data();
  (await owner('repo.create', { orgName: 'acme', name: 'world' })).data();
  const repoId = (await findRepository(store.database, WORLD))?.repoId ?? 0;
  const keys = deriveKeys(TEST_SECRET);
  const setIdOf = async (name: string) => {
    const rows = await store.database.query<{ id: string }>(
      'select credential_set_id as id from credential_set where name = $1',
      [name],
    );
    return rows[0]?.id ?? '';
  };
  const open = async (use: Partial<DeliveryUse> = {}) =>
    await openCredentials(
      { store, keys },
      {
        homeId: homeIdOf({ repoId }),
        credentialSetId: await setIdOf('hooks'),
        actor: 'subscription:tell',
        target: 'webhook',
        origin: ORIGIN,
        details: { runId: 'run_1', attempt: 1 },
        ...use,
      },
    );
  return { location, store, app, owner, logged, repoId, open };
}

async function prepareSet(engine: Engine, keys: Record<string, string> = { WEBHOOK_SIGNING_SECRET: SECRET }) {
  const world = await prepare(engine);
  (await world.owner('credential.create', SET)).data();
  (await world.owner('credential.setKeys', { ...SET, keys })).data();
  const actions = async () =>
    (await world.owner('credential.audit', { ...SET, limit: 50 })).data().items.map(({ action }) => action);
  return { ...world, actions, set: async () => (await world.owner('credential.get', SET)).data() };
}

const opened = (found: Awaited<ReturnType<typeof openCredentials>>): OpenedCredentials => {
  if ('code' in found) throw new Error(found.code);
  return found;
};

describe.each(ENGINES)('credential sets on %s', (engine) => {
  it('are made, filled, shown without values, listed in pages, and removed', async () => {
    const { owner } = await prepare(engine);
    const made = (await owner('credential.create', { ...SET, description: 'for hooks' })).data();
    expect(made).toEqual({
      ...SET,
      description: 'for hooks',
      keys: [],
      createdBy: 'token:ada/all',
      createdAt: expect.any(Number),
      updatedAt: expect.any(Number),
    });
    expect((await owner('credential.create', SET)).code).toBe('ALREADY_EXISTS');
    const keys = { WEBHOOK_SIGNING_SECRET: SECRET, WEBHOOK_API_KEY: 'key-1' };
    const set = (await owner('credential.setKeys', { ...SET, keys })).data();
    expect(set.keys.map(({ key, setBy }) => [key, setBy])).toEqual([
      ['WEBHOOK_API_KEY', 'token:ada/all'],
      ['WEBHOOK_SIGNING_SECRET', 'token:ada/all'],
    ]);
    (await owner('credential.setKeys', { ...SET, keys: { WEBHOOK_API_KEY: 'key-2', OTHER: 'x' } })).data();
    const left = (await owner('credential.unsetKey', { ...SET, key: 'WEBHOOK_API_KEY' })).data();
    expect(left.keys.map(({ key }) => key)).toEqual(['OTHER', 'WEBHOOK_SIGNING_SECRET']);
    expect((await owner('credential.unsetKey', { ...SET, key: 'WEBHOOK_API_KEY' })).code).toBe('NOT_FOUND');
    for (const name of ['b', 'a', 'B']) (await owner('credential.create', { ...WORLD, name })).data();
    const first = (await owner('credential.list', { ...WORLD, limit: 3 })).data();
    expect(first.items.map(({ name }) => name)).toEqual(['B', 'a', 'b']);
    const rest = (await owner('credential.list', { ...WORLD, limit: 3, cursor: first.nextCursor ?? '' })).data();
    expect(rest.items).toEqual([left]);
    (await owner('credential.delete', SET)).data();
    expect((await owner('credential.get', SET)).code).toBe('NOT_FOUND');
  });

  it('of an organization are its own', async () => {
    const { owner } = await prepare(engine);
    const made = (await owner('credential.create', { orgName: 'acme', name: 'hooks' })).data();
    expect([made.orgName, made.repoName]).toEqual(['acme', undefined]);
    expect((await owner('credential.get', SET)).code).toBe('NOT_FOUND');
    expect((await owner('credential.list', WORLD)).data().items).toEqual([]);
  });

  it.each([
    [{ WEBHOOK_SIGNING_SECRET: 'not base64, a secret' }, 'keys.WEBHOOK_SIGNING_SECRET'],
    [{ WEBHOOK_API_KEY_HEADER: 'Host' }, 'keys.WEBHOOK_API_KEY_HEADER'],
    [{ WEBHOOK_BEARER_TOKEN: 'a secret', WEBHOOK_BASIC_PASSWORD: 'a secret' }, 'keys.WEBHOOK_BEARER_TOKEN'],
    [Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`KEY_${n}`, 'a secret'])), 'keys'],
  ])('refuse keys that cannot be used: %#', async (keys, path) => {
    const { owner, set } = await prepareSet(engine);
    const refusal = await owner('credential.setKeys', { ...SET, keys });
    expect([refusal.status, refusal.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(refusal.body).toContain(`"path":"${path}"`);
    expect(refusal.body).not.toContain('a secret');
    expect((await set()).keys).toHaveLength(1);
  });

  it('sign deliveries, and are bound to the origin of their first use', async () => {
    const { open, set, actions } = await prepareSet(engine);
    const { headersFor } = opened(await open());
    const body = '{"a":1}';
    const headers = headersFor({ id: 'run_1', at: new Date(), body });
    expect(new Webhook(SECRET).verify(body, headers)).toEqual({ a: 1 });
    expect((await set()).boundOrigin).toBe(ORIGIN);
    opened(await open({ details: { runId: 'run_1', attempt: 2 } }));
    expect(await actions()).toEqual(['use', 'use', 'bind', 'setKeys', 'create']);
  });

  it('are sent nowhere once they were to go to another origin, until all keys are set anew', async () => {
    const { owner, open, set, actions } = await prepareSet(engine, {
      WEBHOOK_SIGNING_SECRET: SECRET,
      WEBHOOK_API_KEY: 'known to few',
    });
    opened(await open());
    expect(await open({ origin: 'https://evil.example.com' })).toMatchObject({ code: 'CREDENTIALS_UNBOUND' });
    expect(await open()).toMatchObject({ code: 'CREDENTIALS_UNBOUND' });
    expect((await set()).unboundAt).toEqual(expect.any(Number));
    (await owner('credential.setKeys', { ...SET, keys: { WEBHOOK_BEARER_TOKEN: 'new' } })).data();
    const evil = opened(await open({ origin: 'https://evil.example.com' }));
    expect(evil.headersFor({ id: 'run_1', at: new Date(), body: '' })).toEqual({ authorization: 'Bearer new' });
    expect((await set()).keys.map(({ key }) => key)).toEqual(['WEBHOOK_BEARER_TOKEN']);
    expect((await actions()).slice(0, 4)).toEqual(['use', 'bind', 'setKeys', 'unbind']);
  });

  it('stay bound when a key is set', async () => {
    const { owner, open, set } = await prepareSet(engine);
    opened(await open());
    (await owner('credential.setKeys', { ...SET, keys: { WEBHOOK_API_KEY: 'another' } })).data();
    expect((await set()).boundOrigin).toBe(ORIGIN);
    expect(await open({ origin: 'https://evil.example.com' })).toMatchObject({ code: 'CREDENTIALS_UNBOUND' });
  });

  it('are bound once, however many first uses come together', async () => {
    const { open, actions } = await prepareSet(engine);
    const origins = Array.from({ length: 8 }, (_, n) => `https://h${n}.example.com`);
    const uses = await Promise.all(origins.map((origin) => open({ origin })));
    expect(uses.filter((use) => !('code' in use))).toHaveLength(1);
    expect((await actions()).filter((action) => action === 'bind')).toHaveLength(1);
  });

  it('give the fallback its own keys, bound to its own origin', async () => {
    const { owner, open, set } = await prepareSet(engine);
    const fallback = { target: 'fallback', origin: 'https://fallback.example.com' } as const;
    const without = opened(await open(fallback));
    expect(without.headersFor({ id: 'run_1', at: new Date(), body: '' })).toEqual({});
    expect(without.scrub(`it said ${SECRET}`)).toBe('it said ***');
    expect((await set()).boundFallbackOrigin).toBeUndefined();
    (await owner('credential.setKeys', { ...SET, keys: { FALLBACK_WEBHOOK_API_KEY: 'for fallback' } })).data();
    const { headersFor } = opened(await open(fallback));
    expect(headersFor({ id: 'run_1', at: new Date(), body: '' })).toEqual({ 'x-api-key': 'for fallback' });
    opened(await open());
    expect(await set()).toMatchObject({ boundOrigin: ORIGIN, boundFallbackOrigin: fallback.origin });
  });

  it('that are revoked are never sent again, and their values are gone', async () => {
    const { owner, open, store } = await prepareSet(engine);
    const revoked = (await owner('credential.revoke', SET)).data();
    expect([revoked.keys, revoked.revokedAt]).toEqual([[], expect.any(Number)]);
    expect(await store.database.query('select key from credential_key')).toEqual([]);
    for (const target of ['webhook', 'fallback'] as const) {
      expect(await open({ target })).toMatchObject({ code: 'CREDENTIALS_REVOKED' });
    }
    expect((await owner('credential.revoke', SET)).data()).toEqual(revoked);
    for (const refusal of [
      await owner('credential.setKeys', { ...SET, keys: { A: 'b' } }),
      await owner('credential.unsetKey', { ...SET, key: 'A' }),
    ]) {
      expect([refusal.status, refusal.code]).toEqual([409, 'CONFLICT']);
    }
    expect(await open()).toMatchObject({ code: 'CREDENTIALS_REVOKED' });
  });

  it('without a key for webhooks, or that are gone, are not opened', async () => {
    const { open } = await prepareSet(engine, { OTHER: 'x' });
    expect(await open()).toMatchObject({ code: 'CREDENTIALS_MISSING' });
    expect(await open({ credentialSetId: 'gone' })).toMatchObject({ code: 'CREDENTIALS_MISSING' });
  });

  it('that a subscription uses are not removed', async () => {
    const { owner, location, repoId } = await prepareSet(engine);
    await inTransaction(location, (tx) =>
      tx.query(
        `insert into subscription (repo_id, subscription_id, name, webhook_url, credential_set_id, allow_trace_reentry,
           active, last_position, created_by, created_at, updated_at)
         select repo_id, 's', 'tell', 'https://a.example/', credential_set_id, 0, 1, 0, '-', 0, 0 from credential_set
         where repo_id = $1`,
        [repoId],
      ),
    );
    const refusal = await owner('credential.delete', SET);
    expect([refusal.status, refusal.code]).toEqual([409, 'CONFLICT']);
    expect(refusal.body).toContain('"subscriptions":["tell"]');
    (await owner('credential.get', SET)).data();
  });

  it('tell what happened to them, newest first and in pages, and the audit log who changed them', async () => {
    const { owner, open } = await prepareSet(engine);
    opened(await open());
    const first = (await owner('credential.audit', { ...SET, limit: 2 })).data();
    expect(first.items).toEqual([
      {
        at: expect.any(Number),
        action: 'use',
        actor: 'subscription:tell',
        details: { origin: ORIGIN, target: 'webhook', runId: 'run_1', attempt: 1 },
      },
      {
        at: expect.any(Number),
        action: 'bind',
        actor: 'subscription:tell',
        details: { target: 'webhook', origin: ORIGIN },
      },
    ]);
    const { items } = (await owner('credential.audit', { ...SET, limit: 2, cursor: first.nextCursor ?? '' })).data();
    expect(items.map(({ action, actor, details }) => [action, actor, details])).toEqual([
      ['setKeys', 'token:ada/all', { keys: ['WEBHOOK_SIGNING_SECRET'] }],
      ['create', 'token:ada/all', {}],
    ]);
    (await owner('credential.unsetKey', { ...SET, key: 'WEBHOOK_SIGNING_SECRET' })).data();
    (await owner('credential.revoke', SET)).data();
    (await owner('credential.delete', SET)).data();
    const log = (await owner('audit.list', { orgName: 'acme' })).data().items;
    expect(log.slice(0, 5).map(({ action, target }) => [action, target])).toEqual(
      ['delete', 'revoke', 'unsetKey', 'setKeys', 'create'].map((verb) => [`credential.${verb}`, 'acme/world/hooks']),
    );
  });

  it('show their values nowhere: not in answers, logs or rows', async () => {
    const secrets = { WEBHOOK_SIGNING_SECRET: SECRET, WEBHOOK_API_KEY: 'an api key of some length' };
    const { owner, open, logged, store } = await prepareSet(engine, secrets);
    opened(await open());
    const answers = [
      await owner('credential.get', SET),
      await owner('credential.list', WORLD),
      await owner('credential.audit', SET),
      await owner('credential.setKeys', { ...SET, keys: secrets }),
      await owner('credential.setKeys', { ...SET, keys: { ...secrets, WEBHOOK_API_KEY_HEADER: 'host' } }),
      await owner('audit.list', { orgName: 'acme' }),
    ].map(({ body }) => body);
    const rows = await Promise.all(
      ['credential_set', 'credential_event', 'audit'].map((table) => store.database.query(`select * from ${table}`)),
    );
    const values = await store.database.query<{ value: Uint8Array }>('select value from credential_key');
    const stored = values.map(({ value }) => Buffer.from(value).toString('latin1'));
    const text = [...answers, ...stored, JSON.stringify(logged), JSON.stringify(rows)].join('\n');
    expect(Object.values(secrets).flatMap((secret) => tracesOf(secret, text))).toEqual([]);
  });
});
