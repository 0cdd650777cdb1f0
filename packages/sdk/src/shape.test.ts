import { describe, expect, it } from 'vitest';
import { createOwnerToken, startTestServer } from '../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../test/support/store.ts';
import { CairnClient } from './index.ts';

describe.each(UPPER_ENGINES)('client.shape on %s', (engine) => {
  it('renames shapes; their records follow', async () => {
    const { url, store } = await startTestServer(engine);
    const { repo, shape, commit, thing } = new CairnClient({ url, token: await createOwnerToken(store) });
    await repo.create('ada', 'world');
    await shape.create('ada', 'world', 'Location', { fields: { x: 'number' } });
    const operations = [{ name: 'Location/cave', data: { x: 3 } }];
    const { repoSeq } = await commit.submit('ada', 'world', { operations });
    const options = { message: 'A wider word', expectedVersion: 1 };
    const renamed = await shape.rename('ada', 'world', 'Location', 'Place', options);
    expect(renamed).toMatchObject({ name: 'Place', kind: 'shape', version: 1, indexes: [] });
    expect((await commit.log('ada', 'world', { limit: 1 })).items).toMatchObject([{ message: 'A wider word' }]);
    expect(await thing.get('ada', 'world', 'Place/cave')).toMatchObject({ shapeName: 'Place', data: { x: 3 } });
    const before = await thing.get('ada', 'world', 'Location/cave', { atRepoSeq: repoSeq });
    expect(before).toMatchObject({ shapeName: 'Location', data: { x: 3 } });
    await expect(shape.get('ada', 'world', 'Location')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(shape.rename('ada', 'world', 'Place', 'Set')).rejects.toMatchObject({ code: 'RESERVED_NAME' });
  });
});
