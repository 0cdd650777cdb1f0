// Single records through the SDK, against a real server: renames, references, changes.
import { describe, expect, it } from 'vitest';
import { createOwnerToken, startTestServer } from '../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../test/support/store.ts';
import { CairnClient } from './index.ts';

async function caves(engine: (typeof UPPER_ENGINES)[number]) {
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

describe.each(UPPER_ENGINES)('client.thing on %s', (engine) => {
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

  it('tells the names that a record has had, its own and those of its shape', async () => {
    const { thing, shape, commit } = await caves(engine);
    await thing.rename('ada', 'world', 'Location/cave', 'Location/cavern');
    // Only what it is called after a commit is a name of it.
    const [there, back] = [
      { operation: 'rename', name: 'Location/cavern', newName: 'Location/den' },
      { operation: 'rename', name: 'Location/den', newName: 'Location/cavern' },
    ];
    await commit.submit('ada', 'world', { operations: [there, back] });
    await shape.rename('ada', 'world', 'Location', 'Place');
    await thing.rename('ada', 'world', 'Place/cavern', 'Place/cave');
    const names: (readonly [string, number])[] = [];
    for await (const { name, repoSeq, createdBy } of thing.names('ada', 'world', 'Place/cave', { limit: 1 })) {
      expect(createdBy).toMatch(/^token:ada\//);
      names.push([name, repoSeq]);
    }
    expect(names).toEqual([
      ['Location/cave', 2],
      ['Location/cavern', 3],
      ['Place/cavern', 5],
      ['Place/cave', 6],
    ]);
    const then = await thing.names('ada', 'world', 'Location/cavern', { atRepoSeq: 4 });
    expect(then.items.map(({ name }) => name)).toEqual(['Location/cave', 'Location/cavern']);
    expect((await thing.names('ada', 'world', 'Place')).items).toMatchObject([
      { name: 'Location', repoSeq: 1 },
      { name: 'Place', repoSeq: 5 },
    ]);
    expect((await thing.names('ada', 'world', 'Place/hut')).items).toHaveLength(2);
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

  it('shows what a record refers to and what refers to it, near and far', async () => {
    const { thing, commit } = await caves(engine);
    await commit.submit('ada', 'world', {
      operations: [
        { name: 'Location/yard', data: { next: 'Location/hut' } },
        { name: 'Location/note', about: 'Location/hut', data: {} },
      ],
    });
    const hut = { wref: 'Location/hut@v1', pinnedVersion: 1 };
    expect(await thing.refs('ada', 'world', 'Location/cave')).toMatchObject({
      repoSeq: 3,
      items: [{ direction: 'in', role: 'field', path: '/next', ...hut }],
    });
    const { items } = await thing.refs('ada', 'world', 'Location/hut', { direction: 'out' });
    expect(items).toMatchObject([{ direction: 'out', role: 'field', path: '/next', wref: 'Location/cave@v1' }]);
    const about = await thing.refs('ada', 'world', 'Location/hut', { role: 'about' });
    expect(about.items).toMatchObject([{ direction: 'in', role: 'about', path: '', wref: 'Location/note@v1' }]);
    const graph = await thing.graph('ada', 'world', 'Location/cave');
    const distances = Object.fromEntries(graph.nodes.map(({ wref, distance }) => [wref, distance]));
    expect(distances).toEqual({ 'Location/cave': 0, 'Location/hut': 1, 'Location/yard': 2, 'Location/note': 2 });
    expect(graph.edges).toHaveLength(3);
    const small = await thing.graph('ada', 'world', 'Location/cave', { depth: 5, limit: 2 });
    expect([small.nodes.length, small.truncated]).toEqual([2, true]);
  });

  it('shows which records changed after a sequence, and what changed in one', async () => {
    const { thing, commit, repoSeq } = await caves(engine);
    await commit.submit('ada', 'world', {
      operations: [
        { operation: 'retract', name: 'Location/cave' },
        { operation: 'revise', name: 'Location/hut', data: { depth: 3 } },
        { operation: 'rename', name: 'Location/hut', newName: 'Location/house' },
        { name: 'Location/new', data: {} },
      ],
    });
    const changes = await thing.changes('ada', 'world', { sinceRepoSeq: repoSeq, shape: 'Location' });
    expect(changes).toMatchObject({ sinceRepoSeq: repoSeq, repoSeq: repoSeq + 1 });
    expect(changes.items.map(({ name, change }) => [name, change]).sort()).toEqual([
      ['Location/cave', 'retracted'],
      ['Location/house', 'revised'],
      ['Location/new', 'added'],
    ]);
    expect(changes.items.find(({ nameBefore }) => nameBefore !== undefined)).toMatchObject({
      name: 'Location/house',
      nameBefore: 'Location/hut',
      versionBefore: 1,
      version: 2,
    });
    const diff = await thing.diff('ada', 'world', 'Location/house', { sinceRepoSeq: repoSeq });
    expect(diff).toMatchObject({ before: { name: 'Location/hut' }, after: { name: 'Location/house' } });
    expect(diff.differences.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
      { path: '/depth', change: 'added', after: 3 },
      { path: '/next', change: 'removed', before: 'Location/cave@v1' },
    ]);
    const added = await thing.diff('ada', 'world', 'Location/new', { sinceRepoSeq: repoSeq });
    expect(added.before).toBeNull();
  });
});
