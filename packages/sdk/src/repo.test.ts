// Repositories through the SDK, against a real server.
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { createOwnerToken, startTestServer } from '../../../test/support/server.ts';
import { ENGINES } from '../../../test/support/store.ts';
import { CairnClient } from './index.ts';

describe.each(ENGINES)('client.repo on %s', (engine) => {
  it(verifies('manages repositories', '4.6/repos-sdk'), async () => {
    const { url, store } = await startTestServer(engine);
    const { org, repo } = new CairnClient({ url, token: await createOwnerToken(store) });
    for (const name of ['acme', 'other']) await org.create(name);
    const made = await repo.create('acme', 'world', { description: 'A world' });
    expect(made).toMatchObject({ orgName: 'acme', name: 'world', visibility: 'private', description: 'A world' });
    expect(await repo.create('acme', 'moon', { visibility: 'public' })).toMatchObject({ visibility: 'public' });
    expect(await repo.get('acme', 'world')).toEqual(made);
    expect(await repo.update('acme', 'world', { displayName: 'W' })).toEqual({ ...made, displayName: 'W' });
    expect(await repo.rename('acme', 'world', { newName: 'earth' })).toMatchObject({ name: 'earth' });
    expect(await repo.setVisibility('acme', 'earth', { visibility: 'public' })).toMatchObject({ visibility: 'public' });
    const features = { streamSubmissions: true };
    expect(await repo.configure('acme', 'earth', { features })).toMatchObject({ features });
    expect(await repo.archive('acme', 'earth')).toMatchObject({ archived: true });
    const transfer = () => repo.transfer('acme', 'earth', { newOrgName: 'other' });
    await expect(transfer()).rejects.toMatchObject({ code: 'ARCHIVED' });
    expect(await repo.unarchive('acme', 'earth')).toMatchObject({ archived: false });
    expect(await transfer()).toMatchObject({ orgName: 'other', name: 'earth', createdAt: made.createdAt });
    const { deletedAt, finalAt } = await repo.delete('other', 'earth');
    expect(finalAt).toBeGreaterThan(deletedAt);
    await expect(repo.get('other', 'earth')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await repo.list({ deleted: true })).items).toMatchObject([{ name: 'earth', deletedAt }]);
    const restored = await repo.restore('other', 'earth');
    expect(restored).toEqual(await repo.get('other', 'earth'));
    expect((await repo.list()).items.map(({ name }) => name)).toEqual(['moon', 'earth']);
    expect((await repo.list({ orgName: 'other' })).items).toEqual([restored]);
    expect((await new CairnClient({ url }).repo.list()).items).toHaveLength(2);
  });
});
