// Managing subscriptions. action/firing.sql.test.ts tests which commits they match.
import { describe, expect, it } from 'vitest';
import { caller, createPrincipals, createScopedToken } from '../../../../test/support/procedure.ts';
import { createTestApp } from '../../../../test/support/server.ts';
import { runStatement } from '../../../../test/support/statement.ts';
import { ENGINES } from '../../../../test/support/store.ts';
import { createSubscribable, HOOK, OUTBOUND, WORLD } from '../../../../test/support/subscription.ts';

const OTHER_HOOK = 'http://localhost:9/other?key=hidden';

describe.each(ENGINES)('subscriptions on %s', (engine) => {
  it('show what they are for, and where they go without what is secret', async () => {
    const { owner, store } = await createSubscribable(engine);
    const form = { ...WORLD, name: 'signals', filter: { operation: 'add' as const }, webhookUrl: HOOK };
    const made = (await owner('subscription.create', { ...form, fallbackWebhookUrl: OTHER_HOOK })).data();
    const shown = {
      ...WORLD,
      name: 'signals',
      filter: { operation: 'add' },
      webhookOrigin: 'http://127.0.0.1:9/***',
      fallbackWebhookOrigin: 'http://localhost:9/***',
      allowTraceReentry: false,
      active: true,
      createdBy: 'token:ada/all',
      createdAt: expect.any(Number),
      updatedAt: expect.any(Number),
    };
    expect(made).toEqual(shown);
    const got = await owner('subscription.get', { ...WORLD, name: 'signals' });
    expect(got.data()).toEqual(shown);
    expect((await owner('subscription.list', WORLD)).data()).toEqual({ items: [shown] });
    expect(got.body).not.toMatch(/secret-path|hidden/);
    expect((await owner('subscription.create', form)).code).toBe('ALREADY_EXISTS');
    expect((await owner('subscription.get', { ...WORLD, name: 'none' })).code).toBe('NOT_FOUND');
    const audit = (await owner('audit.list', { orgName: 'acme', action: 'subscription.create' })).data().items;
    expect(audit.map(({ target, actor }) => [target, actor])).toEqual([['acme/world/signals', 'token:ada/all']]);
    const kept = JSON.stringify(await store.database.query('select details from audit'));
    expect(kept).not.toMatch(/secret-path|hidden/);
  });

  it('show their URLs when they are asked to, and the audit log says so', async () => {
    const { owner, subscribe } = await createSubscribable(engine);
    await subscribe({ fallbackWebhookUrl: OTHER_HOOK });
    const revealed = (await owner('subscription.reveal', { ...WORLD, name: 'all' })).data();
    expect(revealed).toEqual({ name: 'all', webhookUrl: HOOK, fallbackWebhookUrl: OTHER_HOOK });
    const { items } = (await owner('audit.list', { orgName: 'acme', action: 'subscription.reveal' })).data();
    expect(items).toMatchObject([{ target: 'acme/world/all', actor: 'token:ada/all' }]);
  });

  it('are listed in pages', async () => {
    const { owner, subscribe } = await createSubscribable(engine);
    for (const name of ['c', 'B', 'a']) await subscribe({ name });
    const first = (await owner('subscription.list', { ...WORLD, limit: 2 })).data();
    const cursor = first.nextCursor ?? '';
    const second = (await owner('subscription.list', { ...WORLD, limit: 2, cursor })).data();
    expect([...first.items, ...second.items].map(({ name }) => name)).toEqual(['B', 'a', 'c']);
    expect(second.nextCursor).toBeUndefined();
  });

  it('are changed, and take the place of what they were', async () => {
    const { owner, subscribe, commit, runs } = await createSubscribable(engine);
    await subscribe({ fallbackWebhookUrl: OTHER_HOOK });
    const changes = {
      newName: 'renames',
      event: 'thing.renamed' as const,
      fallbackWebhookUrl: null,
      allowTraceReentry: true,
    };
    const changed = (await owner('subscription.update', { ...WORLD, name: 'all', ...changes })).data();
    expect(changed).toMatchObject({ name: 'renames', event: 'thing.renamed', allowTraceReentry: true, active: true });
    expect(changed).not.toHaveProperty('filter');
    expect(changed).not.toHaveProperty('fallbackWebhookOrigin');
    await commit([
      { kind: 'shape', name: 'T', data: { fields: {} } },
      { name: 'T/a', data: {} },
    ]);
    await commit([{ operation: 'rename', name: 'T/a', newName: 'T/b' }]);
    expect((await runs()).map(({ subscription_name, repo_seq }) => [subscription_name, repo_seq])).toEqual([
      ['renames', 2],
    ]);
    await subscribe({ name: 'taken' });
    const clash = await owner('subscription.update', { ...WORLD, name: 'taken', newName: 'renames' });
    expect(clash.code).toBe('ALREADY_EXISTS');
  });

  it('are given a credential set of their home, and lose its use when they go elsewhere', async () => {
    const { owner, store, subscribe } = await createSubscribable(engine);
    await subscribe({});
    const all = { ...WORLD, name: 'all' };
    expect((await owner('subscription.bindCredentials', { ...all, credentialSet: 'hooks' })).code).toBe(
      'VALIDATION_ERROR',
    );
    (await owner('credential.create', { orgName: 'acme', name: 'hooks' })).data();
    expect((await owner('subscription.bindCredentials', { ...all, credentialSet: 'hooks' })).code).toBe(
      'VALIDATION_ERROR',
    );
    (await owner('credential.create', { ...WORLD, name: 'hooks' })).data();
    const bound = (await owner('subscription.bindCredentials', { ...all, credentialSet: 'hooks' })).data();
    expect(bound.credentialSet).toBe('hooks');
    await runStatement(store, `update credential_set set bound_origin = 'http://127.0.0.1:9'`);
    const unboundAt = async () => (await owner('credential.get', { ...WORLD, name: 'hooks' })).data().unboundAt;
    (await owner('subscription.update', { ...all, webhookUrl: 'http://127.0.0.1:9/another/path' })).data();
    expect(await unboundAt()).toBeUndefined();
    (await owner('subscription.update', { ...all, webhookUrl: OTHER_HOOK })).data();
    expect(await unboundAt()).toEqual(expect.any(Number));
    expect((await owner('subscription.unbindCredentials', all)).data()).not.toHaveProperty('credentialSet');
    for (const action of ['subscription.bindCredentials', 'subscription.unbindCredentials'] as const) {
      const { items } = (await owner('audit.list', { orgName: 'acme', action })).data();
      expect(items).toMatchObject([{ target: 'acme/world/all' }]);
    }
  });

  it('have something to deliver when they are resumed or deleted', async () => {
    const { owner, store, subscribe } = await createSubscribable(engine);
    await subscribe({});
    const all = { ...WORLD, name: 'all' };
    const waiting = async () => {
      const found = await store.database.query(`select work_key from work where kind = 'delivery'`);
      await runStatement(store, 'delete from work');
      return found.length;
    };
    const counts = [await waiting()];
    for (const change of ['subscription.pause', 'subscription.resume', 'subscription.delete'] as const) {
      (await owner(change, all)).data();
      counts.push(await waiting());
    }
    expect(counts).toEqual([0, 0, 1, 1]);
  });

  it('refuse what cannot be, and say what is wrong', async () => {
    const { owner } = await createSubscribable(engine);
    const form = { ...WORLD, name: 'x', webhookUrl: HOOK };
    const refusals = [
      { ...form, filter: { shape: 'None' } },
      { ...form, filter: { match: 'a b' } },
      { ...form, event: 'repo.created' as const },
      { ...form, filter: {}, source: 'other/world' },
      { ...form, filter: {}, source: 'acme/world' },
      { ...form, filter: {}, credentialSet: 'none' },
      { ...form, filter: {}, webhookUrl: 'http://127.0.0.1:10/' },
      { ...form, repoName: undefined, filter: {} },
      { ...form, repoName: undefined, event: 'thing.renamed' as const },
    ];
    const answers = [];
    for (const refused of refusals) answers.push(await owner('subscription.create', refused));
    expect(answers.map(({ code }) => code)).toEqual(refusals.map(() => 'VALIDATION_ERROR'));
    expect(answers.map(({ message }) => message?.replace(/:.*/s, '')).slice(0, 5)).toEqual([
      'filter.shape',
      'filter.match',
      'event',
      'source',
      'source',
    ]);
    expect((await owner('subscription.list', WORLD)).data().items).toEqual([]);
  });

  it('have filters that a commit can be held against in little time, all together', async () => {
    const { owner, subscribe } = await createSubscribable(engine);
    const globs = (count: number, end: string) => Array.from({ length: count }, (_, n) => `A/${n}${end}`);
    for (let n = 0; n < 9; n++) await subscribe({ name: `s${n}`, filter: { match: globs(50, '*') } });
    await subscribe({ name: 'searching', filter: { match: globs(2, '**x*') } });
    const form = { ...WORLD, name: 'more', webhookUrl: HOOK, filter: { match: globs(11, '*') } };
    const refused = await owner('subscription.create', form);
    expect([refused.code, refused.message]).toEqual(['CONFLICT', expect.stringContaining('at most 500 predicates')]);
    (await owner('subscription.pause', { ...WORLD, name: 'searching' })).data();
    (await owner('subscription.create', form)).data();
    expect(await owner('subscription.resume', { ...WORLD, name: 'searching' })).toMatchObject({ code: 'CONFLICT' });
  });

  it('are for who may configure and read all of the repository', async () => {
    const { app, store } = await createTestApp(engine, OUTBOUND);
    const { operator, writer, other, anonymous } = await createPrincipals(store);
    const owner = caller(app, operator);
    await owner('org.create', { name: 'acme' });
    await owner('repo.create', { orgName: 'acme', name: 'world' });
    const form = { ...WORLD, name: 'x', webhookUrl: HOOK, filter: {} };
    const configures = await createScopedToken(store, { name: 'configures', permissions: ['repo:configure'] });
    const asked = [];
    for (const token of [anonymous, other, writer, configures]) {
      asked.push((await caller(app, token)('subscription.create', form)).status);
    }
    expect(asked).toEqual([401, 404, 403, 403]);
    (await owner('subscription.create', form)).data();
    const call = caller(app, configures);
    expect((await call('subscription.pause', { ...WORLD, name: 'x' })).status).toBe(200);
    expect((await call('subscription.resume', { ...WORLD, name: 'x' })).status).toBe(403);
  });

  it('of an archived repository can be paused and deleted, not made or resumed', async () => {
    const { owner, subscribe } = await createSubscribable(engine);
    await subscribe({});
    (await owner('repo.archive', WORLD)).data();
    const all = { ...WORLD, name: 'all' };
    expect((await owner('subscription.create', { ...all, name: 'b', filter: {}, webhookUrl: HOOK })).code).toBe(
      'ARCHIVED',
    );
    expect((await owner('subscription.pause', all)).status).toBe(200);
    expect((await owner('subscription.resume', all)).code).toBe('ARCHIVED');
    expect((await owner('subscription.delete', all)).status).toBe(200);
  });

  it('of an organization are told what happens to its repositories, and those of a repository its renaming', async () => {
    const { owner, subscribe, runs } = await createSubscribable(engine);
    const events = ['repo.created', 'repo.renamed', 'repo.archived', 'repo.deleted'] as const;
    for (const event of events) await subscribe({ repoName: undefined, name: event, event });
    await subscribe({ name: 'own', event: 'repo.renamed' });
    await owner('repo.create', { orgName: 'acme', name: 'moon' });
    await owner('repo.rename', { ...WORLD, newName: 'earth' });
    const earth = { orgName: 'acme', repoName: 'earth' };
    await owner('repo.archive', earth);
    await owner('repo.archive', earth);
    await owner('repo.delete', { orgName: 'acme', repoName: 'moon' });
    const renamed = { from: 'acme/world', to: 'acme/earth' };
    const told = (await runs()).map(({ repo_id, event, data }) => [repo_id < 0, event, JSON.parse(data ?? '')]);
    expect(told).toEqual([
      [true, 'cairn.repo.archived', { orgName: 'acme', repoName: 'earth' }],
      [true, 'cairn.repo.created', { orgName: 'acme', repoName: 'moon' }],
      [true, 'cairn.repo.deleted', { orgName: 'acme', repoName: 'moon' }],
      [true, 'cairn.repo.renamed', renamed],
      [false, 'cairn.repo.renamed', renamed],
    ]);
    const { items } = (await owner('subscription.list', { orgName: 'acme' })).data();
    expect(items.map(({ name, repoName }) => [name, repoName])).toEqual(
      [...events].sort().map((name) => [name, undefined]),
    );
  });
});
