import { describe, expect, it } from 'vitest';
import { waitForSearch } from '../../../test/support/search-wait.ts';
import { createOwnerToken, startTestServer } from '../../../test/support/server.ts';
import { ENGINES, UPPER_ENGINES } from '../../../test/support/store.ts';
import { CairnClient, eachItem, type Operation, type RecordItem } from './index.ts';

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
    // Only the name after a whole commit is recorded.
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

type Engine = (typeof ENGINES)[number];

async function connect(engine: Engine): Promise<CairnClient> {
  const { url, store } = await startTestServer(engine);
  const client = new CairnClient({ url, token: await createOwnerToken(store) });
  await client.repo.create('ada', 'lab');
  return client;
}

/** Sequence 1 adds shapes and five sensors. Sequence 2 revises one and retracts one. */
async function openLab(engine: Engine): Promise<CairnClient> {
  const client = await connect(engine);
  const operations: Operation[] = [
    { kind: 'shape', name: 'Sensor', data: { fields: { score: 'number', label: 'string' } } },
    { kind: 'shape', name: 'Belief', data: { fields: { broken: 'boolean' } } },
    ...[1, 2, 3, 4, 5].map((n) => ({ name: `Sensor/t${n}`, data: { score: n, label: `Number ${n}` } })),
    { name: 'Belief/t1', about: 'Sensor/t1', data: { broken: true } },
    { name: 'Belief/doubt', about: 'Belief/t1', data: { broken: false } },
    { type: 'arc', name: 'wire', members: ['Sensor/t1', 'Sensor/t2'] },
    { name: 'Belief/wire', about: 'Arc/wire', data: { broken: true } },
  ];
  await client.commit.submit('ada', 'lab', { operations });
  const changes: Operation[] = [
    { operation: 'revise', name: 'Sensor/t1', data: { score: 9, label: 'The tall one' } },
    { operation: 'retract', name: 'Sensor/t5' },
  ];
  await client.commit.submit('ada', 'lab', { operations: changes });
  return client;
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const names = ({ items }: { items: RecordItem[] }) => items.map(({ name }) => name);

describe.each(ENGINES)('lists of client.thing on %s', (engine) => {
  it('lists the head, filtered, in order, in part, and as it was', async () => {
    const { thing } = await openLab(engine);
    const head = (options: Parameters<typeof thing.head>[2]) => thing.head('ada', 'lab', options);
    const sensors = await head({ shape: 'Sensor' });
    expect(sensors).toMatchObject({ repoSeq: 2, items: [{ name: 'Sensor/t1', version: 2 }, {}, {}, {}] });
    expect(sensors.items[1]).toEqual(await thing.get('ada', 'lab', 'Sensor/t2'));
    expect(names(await head({ kind: 'collection' }))).toEqual(['Arc/wire']);
    expect(names(await head({ match: 'Belief/*', order: 'name' }))).toEqual([
      'Belief/doubt',
      'Belief/t1',
      'Belief/wire',
    ]);
    expect(names(await head({ shape: 'Sensor', where: ['score:gte:3'] }))).toEqual([
      'Sensor/t1',
      'Sensor/t3',
      'Sensor/t4',
    ]);
    const where = [{ fieldPath: 'score', op: 'in', rhs: [2, 4] } as const];
    expect(names(await head({ shape: 'Sensor', where, order: '-created' }))).toEqual(['Sensor/t4', 'Sensor/t2']);
    const [newest] = (await head({ shape: 'Sensor', order: '-updated', fields: ['label'], limit: 1 })).items;
    expect(newest?.data).toEqual({ label: 'The tall one' });
    expect((await head({ shape: 'Sensor', includeRetracted: true })).items.at(-1)).toMatchObject({ active: false });
    const before = await head({ shape: 'Sensor', atRepoSeq: 1 });
    expect(before).toMatchObject({ repoSeq: 1, items: [{ data: { score: 1 } }, {}, {}, {}, { name: 'Sensor/t5' }] });
  });

  it('finds what is about a record, and counts by the same filters', async () => {
    const { thing } = await openLab(engine);
    expect(names(await thing.about('ada', 'lab', 'Sensor/t1'))).toEqual(['Belief/t1']);
    expect(names(await thing.about('ada', 'lab', 'Sensor/t1', { depth: 2 }))).toEqual(['Belief/t1', 'Belief/doubt']);
    const resolved = { resolveCollections: true, role: 'from' } as const;
    expect(names(await thing.about('ada', 'lab', 'Sensor/t1', resolved))).toEqual(['Belief/t1', 'Belief/wire']);
    const query = { about: 'Sensor/t1', shape: 'Belief', where: ['broken:eq:true'] };
    expect(names(await thing.query('ada', 'lab', query))).toEqual(['Belief/t1']);
    expect(await thing.count('ada', 'lab', query)).toEqual({ repoSeq: 2, count: 1 });
    expect(await thing.count('ada', 'lab', { shape: 'Sensor' })).toEqual({ repoSeq: 2, count: 4 });
    await expect(thing.about('ada', 'lab', 'Sensor/none')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('searches words, and says where they stand', async () => {
    const { thing } = await openLab(engine);
    await waitForSearch(() => thing.search('ada', 'lab', 'tall'));
    const { items } = await thing.search('ada', 'lab', 'tall ONE');
    expect(items).toMatchObject([{ name: 'Sensor/t1', snippet: { path: '/label', text: 'The tall one' } }]);
    expect(items.flatMap(({ snippet }) => snippet?.matches ?? [])).toEqual([
      [4, 8],
      [9, 12],
    ]);
    expect(names(await thing.query('ada', 'lab', { q: 'number', shape: 'Sensor', where: ['score:lt:3'] }))).toEqual([
      'Sensor/t2',
    ]);
  });

  it('reads every page at the sequence of the first, whatever is written meanwhile', async () => {
    const { thing, commit } = await openLab(engine);
    const seen: string[] = [];
    for await (const { name } of thing.query('ada', 'lab', { shape: 'Sensor', limit: 2 })) {
      seen.push(name);
      const operations = [{ name: `Sensor/new${seen.length}`, data: { score: 0, label: '' } }];
      await commit.submit('ada', 'lab', { operations });
    }
    expect(seen).toEqual(['Sensor/t1', 'Sensor/t2', 'Sensor/t3', 'Sensor/t4']);
    const { nextCursor } = await thing.query('ada', 'lab', { shape: 'Sensor', limit: 3 });
    const rest = await collect(thing.query('ada', 'lab', { shape: 'Sensor', cursor: nextCursor, limit: 3 }));
    expect(rest.map(({ name }) => name)).toEqual([
      'Sensor/t4',
      'Sensor/new1',
      'Sensor/new2',
      'Sensor/new3',
      'Sensor/new4',
    ]);
  });

  it('goes through any list with eachItem', async () => {
    const { commit } = await openLab(engine);
    const log = eachItem((cursor) => commit.log('ada', 'lab', { limit: 1, cursor }));
    expect((await collect(log)).map(({ repoSeq }) => repoSeq)).toEqual([2, 1]);
  });

  it('says what is wrong with a list', async () => {
    const { thing } = await openLab(engine);
    const refused = { code: 'VALIDATION_ERROR' };
    await expect(thing.head('ada', 'lab', { where: ['score:gte:3'] })).rejects.toMatchObject(refused);
    await expect(thing.head('ada', 'lab', { cursor: 'forged' })).rejects.toMatchObject(refused);
    await expect(thing.head('ada', 'lab', { atRepoSeq: 99 })).rejects.toMatchObject(refused);
    const { nextCursor } = await thing.head('ada', 'lab', { shape: 'Sensor', limit: 1 });
    await expect(thing.head('ada', 'lab', { shape: 'Belief', cursor: nextCursor })).rejects.toMatchObject(refused);
    // @ts-expect-error A list answers a page; `thing.count` counts.
    expect(await thing.head('ada', 'lab', { count: true, shape: 'Sensor' })).toEqual({ repoSeq: 2, count: 4 });
  });
});
