// Operations on repositories. Rights are tested in access/access.test.ts, removal in repository/sweep.job.test.ts.
import { describe, expect, it } from 'vitest';
import { grantOn } from '../../../../test/support/grant.ts';
import { caller } from '../../../../test/support/procedure.ts';
import { createOwnerToken, createTestAppOn } from '../../../../test/support/server.ts';
import { ENGINES, inTransaction, openStoreAt, preparedLocation } from '../../../../test/support/store.ts';
import { findRepository } from './repository.sql.ts';

const world = { orgName: 'acme', repoName: 'world' };

describe.each(ENGINES)('repositories on %s', (engine) => {
  const prepare = async () => {
    const location = await preparedLocation(engine);
    const { app, store } = createTestAppOn(await openStoreAt(location));
    const call = caller(app, await createOwnerToken(store));
    await call('org.create', { name: 'acme' });
    await call('org.create', { name: 'other' });
    const made = (await call('repo.create', { orgName: 'acme', name: 'world' })).data();
    return { location, app, store, call, made };
  };
  const idOf = async (store: Awaited<ReturnType<typeof prepare>>['store'], address: typeof world) =>
    (await findRepository(store.database, address))?.repoId;

  it('are private until someone says otherwise', async () => {
    const { app, call, made } = await prepare();
    expect(made).toEqual({
      orgName: 'acme',
      name: 'world',
      displayName: 'world',
      description: '',
      visibility: 'private',
      archived: false,
      repoSeq: 0,
      createdAt: expect.any(Number),
      features: { streamSubmissions: true },
    });
    const said = { visibility: 'public', displayName: 'The Moon', description: 'Dust' } as const;
    expect((await call('repo.create', { orgName: 'acme', name: 'moon', ...said })).data()).toMatchObject(said);
    expect((await caller(app)('repo.get', world)).status).toBe(404);
    expect((await call('repo.setVisibility', { ...world, visibility: 'public' })).data().visibility).toBe('public');
    expect((await caller(app)('repo.get', world)).status).toBe(200);
    await call('repo.setVisibility', { ...world, visibility: 'private' });
    expect((await caller(app)('repo.get', world)).status).toBe(404);
  });

  it('have names of the documented form, unique without regard to case', async () => {
    const { call, location } = await prepare();
    for (const name of ['Moon', 'a', '-', '_.', 'a..b', 'x'.repeat(100)]) {
      expect([name, (await call('repo.create', { orgName: 'acme', name })).status]).toEqual([name, 200]);
    }
    for (const name of ['', '.', '..', '.git', 'a b', 'a/b', 'é', 'x'.repeat(101), 'a\n']) {
      expect([name, (await call('repo.create', { orgName: 'acme', name })).code]).toEqual([name, 'VALIDATION_ERROR']);
      expect((await call('repo.rename', { ...world, newName: name })).code).toBe('VALIDATION_ERROR');
    }
    expect((await call('repo.create', { orgName: 'acme', name: 'world' })).code).toBe('ALREADY_EXISTS');
    expect((await call('repo.rename', { ...world, newName: 'mOON' })).code).toBe('ALREADY_EXISTS');
    const refused = await call('repo.create', { orgName: 'acme', name: 'MOON' });
    expect(refused.message).toBe(
      'The repository acme/Moon exists already. Choose a name that differs in more than case.',
    );
    await call('repo.create', { orgName: 'other', name: 'MOON' });
    expect((await call('repo.transfer', { orgName: 'other', repoName: 'MOON', newOrgName: 'acme' })).code).toBe(
      'ALREADY_EXISTS',
    );
    const together = ['Sun', 'sun', 'SUN'].map((name) => call('repo.create', { orgName: 'acme', name }));
    expect((await Promise.all(together)).map(({ status }) => status).sort()).toEqual([200, 409, 409]);

    expect((await call('repo.rename', { ...world, newName: 'World' })).data().name).toBe('World');
    expect((await call('repo.get', world)).status).toBe(404);
    await inTransaction(location, (tx) => tx.query(`update repository set name = 'world' where name = 'a'`, []));
    expect((await call('repo.get', world)).data().name).toBe('world');
    expect((await call('repo.get', { ...world, repoName: 'World' })).data().name).toBe('World');
  });

  it('change what is said about them and which features are on', async () => {
    const { call } = await prepare();
    expect((await call('repo.update', { ...world, displayName: 'W' })).data()).toMatchObject({
      displayName: 'W',
      description: '',
    });
    expect((await call('repo.update', { ...world, description: 'd' })).data()).toMatchObject({
      displayName: 'W',
      description: 'd',
    });
    expect((await call('repo.update', { ...world, description: 'x'.repeat(2_001) })).code).toBe('VALIDATION_ERROR');
    const configure = async (features: object) => await call('repo.configure', { ...world, features });
    expect((await configure({ streamSubmissions: false })).data().features).toEqual({ streamSubmissions: false });
    expect((await configure({})).data().features).toEqual({ streamSubmissions: false });
    expect((await configure({ streamSubmissions: true })).data().features).toEqual({ streamSubmissions: true });
    expect((await configure({ telepathy: true })).code).toBe('VALIDATION_ERROR');
  });

  it('keep their id when renamed and when moved, and free the old place at once', async () => {
    const { store, call, made } = await prepare();
    const id = await idOf(store, world);
    expect((await call('repo.rename', { ...world, newName: 'earth' })).data()).toEqual({
      ...made,
      name: 'earth',
      displayName: 'earth',
    });
    const earth = { orgName: 'acme', repoName: 'earth' };
    expect(await idOf(store, earth)).toBe(id);
    expect((await call('repo.create', { orgName: 'acme', name: 'world' })).status).toBe(200);
    const moved = (await call('repo.transfer', { ...earth, newOrgName: 'other' })).data();
    expect(moved).toMatchObject({ orgName: 'other', name: 'earth', createdAt: made.createdAt });
    expect(await idOf(store, { orgName: 'other', repoName: 'earth' })).toBe(id);
    expect(await idOf(store, earth)).toBeUndefined();
    await call('repo.create', { orgName: 'acme', name: 'earth' });
    expect((await call('repo.transfer', { ...earth, newOrgName: 'other' })).code).toBe('ALREADY_EXISTS');
    expect((await call('repo.transfer', { ...earth, newOrgName: 'acme' })).data().orgName).toBe('acme');
  });

  it('take no writes while they are archived', async () => {
    const { call } = await prepare();
    for (let time = 0; time < 2; time++) expect((await call('repo.archive', world)).data().archived).toBe(true);
    for (const answer of [
      await call('repo.update', { ...world, description: 'x' }),
      await call('repo.rename', { ...world, newName: 'x' }),
      await call('repo.configure', { ...world, features: {} }),
      await call('repo.setVisibility', { ...world, visibility: 'public' }),
      await call('repo.transfer', { ...world, newOrgName: 'other' }),
    ]) {
      expect(answer).toMatchObject({
        status: 409,
        code: 'ARCHIVED',
        message: 'The repository acme/world is archived. Unarchive it first.',
      });
    }
    expect((await call('repo.delete', world)).status).toBe(200);
    expect((await call('repo.restore', world)).data().archived).toBe(true);
    expect((await call('repo.unarchive', world)).data().archived).toBe(false);
    expect((await call('repo.rename', { ...world, newName: 'x' })).status).toBe(200);
  });

  it('are gone when deleted, keep their name, and come back as they were', async () => {
    const { app, store, call } = await prepare();
    const before = (await call('repo.setVisibility', { ...world, visibility: 'public' })).data();
    const id = await idOf(store, world);
    const deletion = (await call('repo.delete', world)).data();
    expect(deletion).toMatchObject({ orgName: 'acme', name: 'world' });
    expect(deletion.finalAt - deletion.deletedAt).toBe(30 * 86_400_000);
    for (const answer of [
      await call('repo.get', world),
      await call('repo.update', { ...world, description: 'x' }),
      await call('repo.delete', world),
      await caller(app)('repo.get', world),
    ]) {
      expect(answer.body).toContain('The repository does not exist, or you may not see it. Check the name.');
    }
    expect((await call('repo.list', {})).data().items).toEqual([]);
    expect((await call('repo.list', { deleted: true })).data().items).toEqual([
      { ...before, deletedAt: deletion.deletedAt },
    ]);
    await call('repo.create', { orgName: 'other', name: 'world' });
    await call('repo.create', { orgName: 'acme', name: 'moon' });
    for (const answer of [
      await call('repo.create', { orgName: 'acme', name: 'world' }),
      await call('repo.rename', { orgName: 'acme', repoName: 'moon', newName: 'world' }),
      await call('repo.transfer', { orgName: 'other', repoName: 'world', newOrgName: 'acme' }),
    ]) {
      expect(answer).toMatchObject({ code: 'ALREADY_EXISTS', message: expect.stringContaining('was deleted') });
    }
    for (let time = 0; time < 2; time++) expect((await call('repo.restore', world)).data()).toEqual(before);
    expect(await idOf(store, world)).toBe(id);
    expect((await call('repo.list', { deleted: true })).data().items).toEqual([]);
  });

  it('refuse a change that was authorized before they were deleted or archived', async () => {
    const { store, call } = await prepare();
    const grant = await grantOn(store, world);
    await call('repo.archive', world);
    const rename = () => store.write.renameRepository({ grant, newName: 'x' });
    await expect(rename()).rejects.toMatchObject({ code: 'ARCHIVED' });
    await call('repo.delete', world);
    await expect(rename()).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(store.write.setRepositoryArchived({ grant, archived: false, now: 1 })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('give a name to one of those who ask for it at once', async () => {
    const { store, call } = await prepare();
    const names = ['r1', 'r2', 'r3', 'r4'];
    for (const name of names) await call('repo.create', { orgName: 'acme', name });
    const grants = await Promise.all(names.map((repoName) => grantOn(store, { orgName: 'acme', repoName })));
    const outcomes = await Promise.allSettled([
      ...grants.map((grant) => store.write.renameRepository({ grant, newName: 'prize' })),
      ...names.map(() => call('repo.create', { orgName: 'acme', name: 'prize' }).then((answer) => answer.data())),
    ]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const taken = /The repository acme\/prize exists already/;
    for (const outcome of outcomes) if (outcome.status === 'rejected') expect(String(outcome.reason)).toMatch(taken);
  });
});
