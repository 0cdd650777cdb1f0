// Subscriptions to another repository: outbox runs arrive once, in order, while the granting account has access.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createPerson } from '../../../../test/support/person.ts';
import { caller, createScopedToken } from '../../../../test/support/procedure.ts';
import { ENGINES } from '../../../../test/support/store.ts';
import { createSubscribable, HOOK, WORLD } from '../../../../test/support/subscription.ts';
import { createToken, EVERYTHING } from '../account/account.ts';
import { carryOutboxes } from './outbox.job.ts';
import { findOutbox } from './outbox.sql.ts';

const FAR = { orgName: 'acme', repoName: 'far' };
const SHAPE = { kind: 'shape', name: 'T', data: { fields: {} } };
const thing = (n: number | string) => ({ name: `T/${n}`, data: {} });

describe.each(ENGINES)('the outbox on %s', (engine) => {
  const prepare = async () => {
    const world = await createSubscribable(engine);
    (await world.owner('repo.create', { orgName: 'acme', name: 'far' })).data();
    await world.commit([SHAPE], FAR);
    const found = async () =>
      (await world.runs()).map(({ subscription_name, position, repo_seq }) => [subscription_name, position, repo_seq]);
    return { ...world, found };
  };

  it('is carried to those whose source the repository is, in the order of commits', async () => {
    const { store, subscribe, commit, runs, found, owner } = await prepare();
    await subscribe({ name: 'elsewhere', source: 'acme/far', filter: { shape: 'T' } });
    expect((await owner('subscription.get', { ...WORLD, name: 'elsewhere' })).data()).toMatchObject({
      source: 'acme/far',
      filter: { shape: 'T' },
    });
    for (const n of [1, 2, 3]) await commit([thing(n)], FAR);
    expect(await runs()).toEqual([]);
    await carryOutboxes(store);
    expect(await found()).toEqual([
      ['elsewhere', 1, 2],
      ['elsewhere', 2, 3],
      ['elsewhere', 3, 4],
    ]);
    const [home] = await store.database.query<{ id: number }>(`select id from repository where name = 'world'`);
    const [far] = await store.database.query<{ id: number }>(`select id from repository where name = 'far'`);
    const places = (await runs()).map(({ repo_id, origin_repo_id }) => [repo_id, origin_repo_id]);
    expect(places[0]).toEqual([home?.id, far?.id]);
    expect(await store.database.query(`select * from work where kind = 'outbox'`)).toEqual([]);
    expect(await store.database.query('select * from outbox')).toEqual([]);
  });

  it('makes one run of a commit, whoever carries it and however often', async () => {
    const { store, subscribe, commit, found } = await prepare();
    await subscribe({ name: 'a', source: 'acme/far' });
    await subscribe({ name: 'b', source: 'acme/far' });
    for (const n of [1, 2]) await commit([thing(n)], FAR);
    const wish = { now: Date.now(), leaseMs: -1 };
    const first = await store.write.claimOutbox({ ...wish, claim: randomUUID() });
    const second = await store.write.claimOutbox({ ...wish, claim: randomUUID() });
    if (first === undefined || second === undefined) throw new Error('nothing was due');
    const runs = await findOutbox(store.database, second, { limit: 3 });
    const homeId = runs[0]?.homeId ?? 0;
    const carriage = { homeId, runs, lapses: [], now: Date.now() };
    expect(await store.write.carryOutbox({ ...carriage, work: first })).toBe(false);
    expect(await store.write.carryOutbox({ ...carriage, work: second })).toBe(true);
    expect(await store.write.carryOutbox({ ...carriage, work: second })).toBe(true);
    await carryOutboxes(store);
    const once = [
      ['a', 1, 2],
      ['a', 2, 3],
      ['b', 1, 2],
      ['b', 2, 3],
    ];
    expect(await found()).toEqual(once);
    await Promise.all([commit([thing(3)], FAR), carryOutboxes(store), carryOutboxes(store), commit([thing(4)], FAR)]);
    await carryOutboxes(store);
    expect((await found()).map(([name, position]) => `${name}${position}`)).toEqual(
      ['a', 'b'].flatMap((name) => [1, 2, 3, 4].map((position) => name + position)),
    );
  });

  it('pauses a subscription when whoever let it look may not read any more, until somebody resumes it', async () => {
    const { app, store, subscribe, commit, found, owner } = await prepare();
    const email = 'eve@example.com';
    await createPerson(store, { email, password: 'long enough it is', operator: false });
    const { token } = await createToken(store, { email, name: 'all', scopes: EVERYTHING });
    await owner('org.addMember', { orgName: 'acme', email, role: 'admin' });
    const form = { ...WORLD, name: 'eves', filter: {}, webhookUrl: HOOK, source: 'acme/far' };
    (await caller(app, token)('subscription.create', form)).data();
    await subscribe({ name: 'own', source: 'acme/far' });
    await commit([thing(1)], FAR);
    await owner('org.removeMember', { orgName: 'acme', email });
    await commit([thing(2)], FAR);
    await carryOutboxes(store);
    expect(await found()).toEqual([
      ['own', 1, 2],
      ['own', 2, 3],
    ]);
    const eves = { ...WORLD, name: 'eves' };
    const reason = expect.stringContaining('can no longer read all of it');
    expect((await owner('subscription.get', eves)).data()).toMatchObject({ active: false, pausedReason: reason });
    expect((await owner('action.notifications', WORLD)).data().items).toMatchObject([
      { subscriptionName: 'eves', status: 'paused', errorCode: 'SOURCE_UNREADABLE' },
    ]);
    expect((await owner('subscription.resume', eves)).data()).toMatchObject({ active: true });
    await commit([thing(3)], FAR);
    await carryOutboxes(store);
    expect((await found()).filter(([name]) => name === 'eves')).toEqual([['eves', 1, 4]]);
  });

  it('pauses it when the token is revoked, and when the source has moved to another organization', async () => {
    const { app, store, subscribe, commit, found, owner } = await prepare();
    const scopes = [{ permissions: ['repo:read' as const, 'repo:configure' as const] }];
    const { token } = (await owner('token.create', { name: 'brief', scopes })).data();
    const form = { ...WORLD, name: 'brief', filter: {}, webhookUrl: HOOK, source: 'acme/far' };
    (await caller(app, token)('subscription.create', form)).data();
    await subscribe({ name: 'moved', source: 'acme/far' });
    (await owner('token.revoke', { name: 'brief' })).data();
    await commit([thing(1)], FAR);
    await carryOutboxes(store);
    expect(await found()).toEqual([['moved', 1, 2]]);
    (await owner('org.create', { name: 'other' })).data();
    (await owner('repo.transfer', { ...FAR, newOrgName: 'other' })).data();
    await commit([thing(2)], { orgName: 'other', repoName: 'far' });
    await carryOutboxes(store);
    expect(await found()).toEqual([['moved', 1, 2]]);
    expect((await owner('subscription.get', { ...WORLD, name: 'moved' })).data()).toMatchObject({
      active: false,
      pausedReason: expect.stringContaining('another organization'),
    });
    expect((await owner('subscription.resume', { ...WORLD, name: 'moved' })).code).toBe('VALIDATION_ERROR');
  });

  it('is for who may read all of the source', async () => {
    const { app, store, owner } = await prepare();
    const read = { permissions: ['repo:read'], resource: 'acme/far', refs: ['T/a'] };
    const rest = { permissions: ['repo:read', 'repo:configure'], resource: 'acme/world' };
    const scopes = [read, rest] as never;
    const { token } = await createToken(store, { email: 'ada@example.com', name: 'narrow', scopes });
    const form = { ...WORLD, name: 'x', filter: {}, webhookUrl: HOOK, source: 'acme/far' };
    expect((await caller(app, token)('subscription.create', form)).code).toBe('FORBIDDEN');
    const only = await createScopedToken(store, { name: 'only', resource: 'acme/world' });
    expect((await caller(app, only)('subscription.create', form)).code).toBe('NOT_FOUND');
    const absent = { ...form, source: 'acme/none' };
    expect((await owner('subscription.create', absent)).code).toBe('NOT_FOUND');
  });
});
