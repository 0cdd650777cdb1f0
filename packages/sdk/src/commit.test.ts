import { describe, expect, it } from 'vitest';
import { createOwnerToken, startTestServer } from '../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../test/support/store.ts';
import { CairnClient, type Operation } from './index.ts';

describe.each(UPPER_ENGINES)('client.commit on %s', (engine) => {
  it('writes every operation that the types let one write', async () => {
    const { url, store } = await startTestServer(engine);
    const { repo, commit, thing } = new CairnClient({ url, token: await createOwnerToken(store) });
    await repo.create('ada', 'world');
    const members = ['Location/cave', '#1'];
    const operations: Operation[] = [
      { kind: 'shape', name: 'Location', data: { fields: { x: 'number', 'next?': 'wref' }, description: 'A place' } },
      { operation: 'add', kind: 'shape', name: 'Belief', data: { fields: { safe: 'boolean' } } },
      { name: 'Location/cave', data: { x: 3 }, skipExisting: true },
      { operation: 'add', kind: 'thing', name: 'Location/hut-$1', data: { x: 4, next: 'Location/cave' } },
      { name: 'Belief/safe', about: 'Location/cave', data: { safe: true } },
      { operation: 'add', kind: 'assertion', name: 'Belief/hut', about: '#1', data: { safe: false } },
      { type: 'arc', name: 'way', members },
      { operation: 'add', kind: 'collection', type: 'set', members },
      { operation: 'revise', name: 'Location/cave', data: { x: 5 }, expectedVersion: 1 },
      { operation: 'revise', kind: 'collection', name: 'Arc/way', members: members.toReversed() },
      { operation: 'retract', kind: 'assertion', name: 'Belief/hut', reason: 'a guess' },
      { operation: 'rename', name: '#1', newName: 'Location/hut' },
    ];
    const { repoSeq, partial, operations: results } = await commit.submit('ada', 'world', { operations });
    expect({ repoSeq, partial }).toEqual({ repoSeq: 1, partial: false });
    expect(results.map(({ status }) => status)).toEqual(operations.map(() => 'applied'));
    expect((await thing.get('ada', 'world', 'Arc/way')).data).toEqual({
      from: 'Location/hut@v1',
      to: 'Location/cave@v2',
    });
  });

  it('takes objects of any type, and leaves it to the server to refuse them', async () => {
    const { url, store } = await startTestServer(engine);
    const { repo, commit } = new CairnClient({ url, token: await createOwnerToken(store) });
    await repo.create('ada', 'world');
    // @ts-expect-error The types know that a rename needs a new name.
    const wrong: Operation = { operation: 'rename', name: 'Location/cave' };
    const operations: object[] = [wrong];
    await expect(commit.validate('ada', 'world', { operations })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining('newName'),
    });
  });
});
