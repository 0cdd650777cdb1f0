// Renames through the SDK, against a real server.
import { describe, expect, it } from 'vitest';
import { createOwnerToken, startTestServer } from '../../../test/support/server.ts';
import { ENGINES } from '../../../test/support/store.ts';
import { CairnClient } from './index.ts';

async function caves(engine: (typeof ENGINES)[number]) {
  const { url, store } = await startTestServer(engine);
  const client = new CairnClient({ url, token: await createOwnerToken(store) });
  await client.repo.create('ada', 'world');
  await client.shape.create('ada', 'world', 'Location', { fields: { 'next?': 'wref' } });
  const operations = [
    { name: 'Location/cave', data: {} },
    { name: 'Location/hut', data: { next: 'Location/cave' } },
  ];
  const { repoSeq } = await client.commit.submit('ada', 'world', { operations });
  return { ...client, repoSeq };
}

describe.each(ENGINES)('client.thing on %s', (engine) => {
  it('renames records; what refers to them follows', async () => {
    const { thing, commit, repoSeq } = await caves(engine);
    const options = { message: 'It grew', expectedVersion: 1 };
    const renamed = await thing.rename('ada', 'world', 'Location/cave', 'Location/cavern', options);
    expect(renamed).toMatchObject({ name: 'Location/cavern', version: 1 });
    expect((await commit.log('ada', 'world', { limit: 1 })).items).toMatchObject([{ message: 'It grew' }]);
    expect((await thing.get('ada', 'world', 'Location/hut')).data).toEqual({ next: 'Location/cavern@v1' });
    const before = await thing.get('ada', 'world', 'Location/hut', { atRepoSeq: repoSeq });
    expect(before.data).toEqual({ next: 'Location/cave@v1' });
    await expect(thing.get('ada', 'world', 'Location/cave')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const back = await thing.rename('ada', 'world', renamed.durableId, 'Location/cave');
    expect(back).toMatchObject({ name: 'Location/cave', durableId: renamed.durableId });
  });

  it('says why it does not rename', async () => {
    const { thing } = await caves(engine);
    const codeOf = (name: string, newName: string, options = {}) =>
      thing.rename('ada', 'world', name, newName, options).then(
        () => 'none',
        ({ code }) => code,
      );
    expect(await codeOf('Location/cave', 'Location/hut')).toBe('ALREADY_EXISTS');
    expect(await codeOf('Location/none', 'Location/new')).toBe('NOT_FOUND');
    expect(await codeOf('Location/cave', 'Cave')).toBe('VALIDATION_ERROR');
    expect(await codeOf('Location/cave', 'Location/new', { expectedVersion: 2 })).toBe('CONFLICT');
  });
});
