// Lists of records through the SDK, against a real server.
import { describe, expect, it } from 'vitest';
import { waitForSearch } from '../../../test/support/search-wait.ts';
import { createOwnerToken, startTestServer } from '../../../test/support/server.ts';
import { ENGINES } from '../../../test/support/store.ts';
import { CairnClient, eachItem, type Operation, type RecordItem } from './index.ts';

type Engine = (typeof ENGINES)[number];

async function connect(engine: Engine): Promise<CairnClient> {
  const { url, store } = await startTestServer(engine);
  const client = new CairnClient({ url, token: await createOwnerToken(store) });
  await client.repo.create('ada', 'lab');
  return client;
}

/** Sequence 1: shapes and five sensors. 2: one revised, one retracted. */
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
