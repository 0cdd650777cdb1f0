import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { createOwnerToken, startTestServer } from '../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../test/support/store.ts';
import { CairnClient } from './index.ts';

describe.each(UPPER_ENGINES)('client.repo on %s', (engine) => {
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
    const features = { streamSubmissions: false };
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

  it('describes a repository, and keeps its texts', async () => {
    const { url, store } = await startTestServer(engine);
    const { repo, shape, commit } = new CairnClient({ url, token: await createOwnerToken(store) });
    await repo.create('ada', 'world', { description: 'A world' });
    expect(await repo.getContent('ada', 'world', 'readme')).toEqual({
      name: 'readme',
      content: '',
      version: 0,
      repoSeq: 0,
    });
    await shape.create('ada', 'world', 'Location', { fields: { x: 'number' }, description: 'A place' });
    await commit.submit('ada', 'world', {
      operations: ['cave', 'hut'].map((name) => ({ name: `Location/${name}`, data: { x: 1 } })),
    });
    await commit.submit('ada', 'world', { operations: [{ operation: 'retract', name: 'Location/hut' }] });
    const counts = { thing: 1, assertion: 0, shape: 1, collection: 0 };
    expect(await repo.stats('ada', 'world')).toEqual({
      repoSeq: 3,
      counts,
      retracted: 1,
      shapes: [{ name: 'Location', count: 1 }],
      lastCommitAt: expect.any(Number),
    });
    expect(await repo.stats('ada', 'world', { atRepoSeq: 2 })).toMatchObject({ repoSeq: 2, counts: { thing: 2 } });
    expect(await repo.describe('ada', 'world')).toEqual({
      repository: await repo.get('ada', 'world'),
      repoSeq: 3,
      counts,
      shapes: [{ name: 'Location', count: 1, version: 1, description: 'A place', fields: { x: 'number' } }],
      contents: [],
    });

    const text = '# A world\n\nOf caves.\n';
    const options = { expectedVersion: 0, message: 'What it is' };
    const written = await repo.setContent('ada', 'world', 'readme', text, options);
    expect(written).toEqual({ name: 'readme', content: text, version: 1, repoSeq: 4 });
    await expect(repo.setContent('ada', 'world', 'readme', 'other', options)).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    expect(await repo.setContent('ada', 'world', 'readme', 'Caves')).toMatchObject({ version: 2, repoSeq: 5 });
    expect(await repo.getContent('ada', 'world', 'readme', { atRepoSeq: 4 })).toMatchObject({ content: text });
    expect((await repo.describe('ada', 'world')).contents).toEqual(['readme']);
    expect((await commit.get('ada', 'world', 4)).message).toBe('What it is');
  });
});
