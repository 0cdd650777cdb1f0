// Operations on organizations. Rights to them are tested in access/access.test.ts.
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { organizationGrantOn } from '../../../../test/support/grant.ts';
import { caller } from '../../../../test/support/procedure.ts';
import { createOwnerToken, createTestApp, ownerIdOf } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { createAccount } from '../account/account.ts';

const DAY_MS = 86_400_000;

describe.each(UPPER_ENGINES)('organizations on %s', (engine) => {
  const prepare = async () => {
    const { app, store } = await createTestApp(engine);
    return { store, call: caller(app, await createOwnerToken(store)) };
  };

  it('are created with a name, and shown as they are', async () => {
    const { call } = await prepare();
    const plain = (await call('org.create', { name: 'acme' })).data();
    expect(plain).toEqual({
      name: 'acme',
      displayName: 'acme',
      description: '',
      archived: false,
      createdAt: expect.any(Number),
    });
    expect((await call('org.get', { orgName: 'acme' })).data()).toEqual(plain);
    const said = { displayName: 'Zenith, Inc. é', description: 'Line one\nline two' };
    expect((await call('org.create', { name: 'zenith', ...said })).data()).toMatchObject(said);
    expect(await call('org.create', { name: 'acme' })).toMatchObject({ status: 409, code: 'ALREADY_EXISTS' });
    expect((await call('org.create', { name: 'ada' })).code).toBe('ALREADY_EXISTS');
  });

  it('change what is said about them, and keep what is not', async () => {
    const { call } = await prepare();
    await call('org.create', { name: 'acme', displayName: 'Acme', description: 'old' });
    expect((await call('org.update', { orgName: 'acme', description: 'new' })).data()).toMatchObject({
      displayName: 'Acme',
      description: 'new',
    });
    const update = (change: object) => call('org.update', { orgName: 'acme', ...change });
    expect((await update({ displayName: 'A', description: '' })).data()).toMatchObject({
      displayName: 'A',
      description: '',
    });
    expect((await update({})).data()).toMatchObject({ displayName: 'A', description: '' });
    for (const wrong of [
      { description: 'x'.repeat(2_001) },
      { description: 'null\0byte' },
      { description: '\u001b[2J' },
      { description: '\ud800' },
      { displayName: '' },
      { displayName: '  ' },
      { displayName: 'two\nlines' },
      { displayName: 'x'.repeat(101) },
      { archived: true },
    ]) {
      expect(await update(wrong)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
    }
    expect((await update({ description: '🪨'.repeat(1_000) })).status).toBe(200);
  });

  it('have names of the documented form, and none that is reserved', async () => {
    const { call } = await prepare();
    await call('org.create', { name: 'acme' });
    for (const name of ['a', '0', 'a'.repeat(39), 'a--b', '1-2']) {
      expect((await call('org.create', { name })).status).toBe(200);
    }
    for (const name of ['', 'A', 'a_b', 'a.b', '-a', 'a-', 'a'.repeat(40), 'a b', 'a/b', 'é', 'a\n']) {
      expect([name, (await call('org.create', { name })).code]).toEqual([name, 'VALIDATION_ERROR']);
      expect((await call('org.rename', { orgName: 'acme', newName: name })).code).toBe('VALIDATION_ERROR');
    }
    for (const name of ['api', 'mcp', 'trpc', 'docs', 'admin', 'www', 'oauth']) {
      expect(await call('org.create', { name })).toMatchObject({ status: 400, code: 'RESERVED_NAME' });
      expect((await call('org.rename', { orgName: 'acme', newName: name })).code).toBe('RESERVED_NAME');
    }
  });

  it('take their repositories along when renamed', async () => {
    const { call } = await prepare();
    await call('org.create', { name: 'acme' });
    const repository = (await call('repo.create', { orgName: 'acme', name: 'world' })).data();
    const renamed = (await call('org.rename', { orgName: 'acme', newName: 'zenith' })).data();
    expect(renamed).toMatchObject({ name: 'zenith', displayName: 'zenith' });
    expect((await call('repo.get', { orgName: 'zenith', repoName: 'world' })).data()).toEqual({
      ...repository,
      orgName: 'zenith',
    });
    expect((await call('repo.get', { orgName: 'acme', repoName: 'world' })).status).toBe(404);
    expect((await call('org.get', { orgName: 'acme' })).status).toBe(404);
    await call('org.update', { orgName: 'zenith', displayName: 'The Zenith' });
    expect((await call('org.rename', { orgName: 'zenith', newName: 'nadir' })).data().displayName).toBe('The Zenith');
    await call('org.create', { name: 'other' });
    expect((await call('org.rename', { orgName: 'other', newName: 'nadir' })).code).toBe('ALREADY_EXISTS');
    expect((await call('org.rename', { orgName: 'other', newName: 'other' })).data().name).toBe('other');
  });

  it('hold a name that they gave up for 90 days, for themselves alone', async () => {
    const { store, call } = await prepare();
    for (const name of ['acme', 'other']) await call('org.create', { name });
    const [acme, other] = [await organizationGrantOn(store, 'acme'), await organizationGrantOn(store, 'other')];
    await call('org.rename', { orgName: 'acme', newName: 'zenith' });
    const until = expect.stringMatching(/reserved until \d{4}-\d\d-\d\dT/);
    for (const answer of [
      await call('org.create', { name: 'acme' }),
      await call('org.rename', { orgName: 'other', newName: 'acme' }),
    ]) {
      expect(answer).toMatchObject({ status: 409, code: 'ALREADY_EXISTS', message: until });
    }
    const account = { email: 'a@example.com', name: 'acme', password: 'long enough it is', operator: false };
    await expect(createAccount(store, account)).rejects.toMatchObject({ code: 'ALREADY_EXISTS', message: until });
    expect((await call('org.get', { orgName: 'other' })).status).toBe(200);
    expect((await call('org.rename', { orgName: 'zenith', newName: 'acme' })).data().name).toBe('acme');
    expect((await call('org.create', { name: 'zenith' })).code).toBe('ALREADY_EXISTS');
    const almost = Date.now() + 90 * DAY_MS - 60_000;
    const rename = (now: number) => store.write.renameOrganization({ grant: other, newName: 'zenith', now });
    await expect(rename(almost)).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
    expect((await rename(almost + 61_000)).name).toBe('zenith');
    const back = store.write.renameOrganization({ grant: acme, newName: 'zenith', now: almost + 62_000 });
    await expect(back).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
  });

  it('give a name to one of those who ask for it at once', async () => {
    const { store, call } = await prepare();
    const names = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6'];
    for (const name of names) await call('org.create', { name });
    const grants = await Promise.all(names.map((name) => organizationGrantOn(store, name)));
    const [now, ownerId] = [Date.now(), await ownerIdOf(store)];
    const outcomes = await Promise.allSettled([
      ...grants.map((grant) => store.write.renameOrganization({ grant, newName: 'prize', now })),
      ...Array.from({ length: 3 }, () =>
        store.write.createOrganization({ name: 'prize', description: '', ownerId, now }),
      ),
    ]);
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused).toHaveLength(outcomes.length - 1);
    for (const { reason } of refused) expect(reason).toMatchObject({ code: 'ALREADY_EXISTS' });
  });

  it('that are personal keep the name of their account', async () => {
    const { call } = await prepare();
    expect(await call('org.rename', { orgName: 'ada', newName: 'lovelace' })).toMatchObject({
      status: 409,
      code: 'CONFLICT',
      body: expect.stringContaining('personal_organization'),
    });
  });

  it('take no writes while they are archived, nor do their repositories', async () => {
    const { call } = await prepare();
    const address = { orgName: 'acme', repoName: 'world' };
    await call('org.create', { name: 'acme' });
    await call('org.create', { name: 'other' });
    await call('repo.create', { orgName: 'acme', name: 'world' });
    await call('repo.create', { orgName: 'other', name: 'moon' });
    for (let time = 0; time < 2; time++) {
      expect((await call('org.archive', { orgName: 'acme' })).data().archived).toBe(true);
    }
    expect((await call('repo.get', address)).data().archived).toBe(true);
    expect((await call('repo.list', { orgName: 'acme' })).data().items[0]?.archived).toBe(true);
    for (const answer of [
      await call('org.update', { orgName: 'acme', description: 'x' }),
      await call('org.rename', { orgName: 'acme', newName: 'zenith' }),
      await call('repo.create', { orgName: 'acme', name: 'new' }),
      await call('repo.update', { ...address, description: 'x' }),
      await call('repo.rename', { ...address, newName: 'x' }),
      await call('repo.configure', { ...address, features: { streamSubmissions: true } }),
      await call('repo.setVisibility', { ...address, visibility: 'public' }),
      await call('repo.transfer', { ...address, newOrgName: 'other' }),
      await call('repo.transfer', { orgName: 'other', repoName: 'moon', newOrgName: 'acme' }),
    ]) {
      expect(answer).toMatchObject({
        status: 409,
        code: 'ARCHIVED',
        message: 'The organization acme is archived. Unarchive it first.',
      });
    }
    expect((await call('repo.delete', address)).status).toBe(200);
    expect((await call('repo.restore', address)).data().archived).toBe(true);
    expect((await call('org.unarchive', { orgName: 'acme' })).data().archived).toBe(false);
    expect((await call('repo.get', address)).data().archived).toBe(false);
    expect((await call('repo.update', { ...address, description: 'x' })).status).toBe(200);
  });

  it(verifies('are several, and keep repositories of one name apart', '1/hosts-orgs'), async () => {
    const { call } = await prepare();
    for (const orgName of ['acme', 'zenith']) {
      await call('org.create', { name: orgName });
      await call('repo.create', { orgName, name: 'world', description: `of ${orgName}` });
    }
    const [acme, zenith] = ['acme', 'zenith'].map((orgName) => ({ orgName, repoName: 'world' }));
    if (acme === undefined || zenith === undefined) throw new Error('two were made');
    const before = (await call('repo.get', zenith)).data();
    expect(before).toMatchObject({ description: 'of zenith', visibility: 'private', archived: false });
    await call('repo.update', { ...acme, displayName: 'Changed', description: 'changed' });
    await call('repo.setVisibility', { ...acme, visibility: 'public' });
    await call('repo.configure', { ...acme, features: { streamSubmissions: false } });
    await call('repo.archive', acme);
    expect((await call('repo.get', zenith)).data()).toEqual(before);
    await call('repo.delete', acme);
    expect((await call('repo.get', acme)).status).toBe(404);
    expect((await call('repo.get', zenith)).data()).toEqual(before);
    expect((await call('repo.list', { orgName: 'zenith' })).data().items).toEqual([before]);
  });
});
