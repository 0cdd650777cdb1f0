// Contents and lifetimes of the OAuth server's storage. Readers of the database must not be able to use any of it.
import { describe, expect, it } from 'vitest';
import { openTestBlobs } from '../../../../../test/support/server.ts';
import { ENGINES, openTestStore } from '../../../../../test/support/store.ts';
import type { Engine } from '../../engine/database.ts';
import { sweep } from '../../repository/sweep.job.ts';
import { StoreAdapter } from './adapter.ts';

const HOUR_SECONDS = 3_600;
const DAY_MS = 86_400_000;

async function openAdapters(engine: Engine) {
  const store = await openTestStore(engine);
  const account = { email: 'ada@example.com', handle: 'ada', passwordHash: '-', operator: true };
  const { id: accountId } = await store.write.createAccount(account);
  const beginSession = async (id: string) => {
    const times = { createdAt: Date.now(), expiresAt: Date.now() + DAY_MS };
    await store.write.createSession({ id, accountId, client: { id: 'c', name: 'C' }, ...times });
    await grants.upsert(id, { accountId: String(accountId), clientId: 'c' }, HOUR_SECONDS);
  };
  const adapter = (kind: string) => new StoreAdapter(store, kind);
  const grants = adapter('Grant');
  const sessionsLeft = async () => (await store.database.query('select id from session where ended_at is null')).length;
  return { store, adapter, grants, beginSession, sessionsLeft };
}

describe.each(ENGINES)('what the OAuth server keeps on %s', (engine) => {
  it('is found by its id, its uid or its user code, and holds neither in clear', async () => {
    const { store, adapter } = await openAdapters(engine);
    const devices = adapter('DeviceCode');
    await devices.upsert('the-device-code', { jti: 'the-device-code', userCode: 'ABCD', uid: 'u1', clientId: 'c' }, 60);
    const byId = await devices.find('the-device-code');
    expect(byId).toEqual({ jti: 'the-device-code', userCode: 'ABCD', uid: 'u1', clientId: 'c' });
    expect(await adapter('AuthorizationCode').find('the-device-code')).toBeUndefined();
    const byCode = await devices.findByUserCode('ABCD');
    expect(byCode).toMatchObject({ clientId: 'c' });
    expect(await devices.findByUid('u1')).toMatchObject({ clientId: 'c' });
    await devices.upsert(byCode?.jti ?? '', { ...byCode, accountId: '1' }, 60);
    expect(await devices.find('the-device-code')).toMatchObject({ accountId: '1' });
    expect(await devices.find(byCode?.jti ?? '')).toBeUndefined();
    const rows = await store.database.query('select * from oauth_item');
    expect(JSON.stringify(rows)).not.toContain('the-device-code');
  });

  it('keeps of a client’s secret the hash alone', async () => {
    const { adapter } = await openAdapters(engine);
    await adapter('Client').upsert('c', { client_id: 'c', client_secret: 'the-secret' });
    expect((await adapter('Client').find('c'))?.client_secret).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is used once; of two who use it together, one fails and nothing of the grant is left', async () => {
    const { adapter, grants, beginSession, sessionsLeft } = await openAdapters(engine);
    await beginSession('g');
    const tokens = adapter('RefreshToken');
    await tokens.upsert('t', { grantId: 'g' }, HOUR_SECONDS);
    const both = await Promise.allSettled([tokens.consume('t'), tokens.consume('t')]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await tokens.find('t')).toBeUndefined();
    expect(await grants.find('g')).toBeUndefined();
    expect(await sessionsLeft()).toBe(0);
  });

  it('ends with its grant and with its session, each with the other', async () => {
    const { store, adapter, grants, beginSession, sessionsLeft } = await openAdapters(engine);
    for (const id of ['g1', 'g2', 'g3']) {
      await beginSession(id);
      await adapter('RefreshToken').upsert(`t-${id}`, { grantId: id }, HOUR_SECONDS);
    }
    await grants.destroy('g1');
    expect(await sessionsLeft()).toBe(2);
    await store.write.endSession({ id: 'g2', now: Date.now() });
    expect(await grants.find('g2')).toBeUndefined();
    expect(await adapter('RefreshToken').find('t-g2')).toBeUndefined();
    expect(await adapter('RefreshToken').find('t-g3')).toBeDefined();
    await store.write.endSessions({ accountId: 1, now: Date.now() });
    expect(await adapter('RefreshToken').find('t-g3')).toBeUndefined();
  });

  it('is gone when its time is over, and a sweep clears it away', async () => {
    const { store, adapter, beginSession } = await openAdapters(engine);
    await beginSession('g');
    await adapter('AuthorizationCode').upsert('short', {}, -1);
    await adapter('RefreshToken').upsert('long', {}, HOUR_SECONDS);
    await adapter('Client').upsert('unused', { client_id: 'unused' });
    expect(await adapter('AuthorizationCode').find('short')).toBeUndefined();
    const count = async (table: string) => (await store.database.query(`select 1 as one from ${table}`)).length;
    const blobs = openTestBlobs();
    await sweep({ store, blobs }, Date.now());
    expect(await count('oauth_item')).toBe(3);
    await sweep({ store, blobs }, Date.now() + 2 * DAY_MS);
    expect([await count('oauth_item'), await count('session')]).toEqual([1, 0]);
    await sweep({ store, blobs }, Date.now() + 31 * DAY_MS);
    expect(await count('oauth_item')).toBe(0);
  });
});
