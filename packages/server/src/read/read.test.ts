import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { caller } from '../../../../test/support/procedure.ts';
import { followSearch } from '../../../../test/support/search.ts';
import { createOwnerToken, createTestApp } from '../../../../test/support/server.ts';
import { runStatement } from '../../../../test/support/statement.ts';
import { ENGINES } from '../../../../test/support/store.ts';
import { checksumVersion, type VersionColumns } from '../commit/integrity.rule.ts';
import type { Engine } from '../engine/database.ts';

const address = { orgName: 'ada', repoName: 'world' };

async function prepare(engine: Engine) {
  const { app, store } = await createTestApp(engine);
  const token = await createOwnerToken(store);
  const call = caller(app, token);
  const write = async (...operations: object[]) =>
    (await call('commit.submit', { ...address, operations })).data().repoSeq;
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await app.request(`/api/repos/ada/world${path}`, {
      headers: { authorization: `Bearer ${token}`, ...headers },
    });
    const body = await answer.text();
    return { status: answer.status, headers: answer.headers, body, json: () => JSON.parse(body) };
  };
  const names = async (path: string): Promise<string[]> => {
    const { status, body, json } = await get(path);
    if (status !== 200) throw new Error(`${path} answered ${status}: ${body}`);
    return json().items.map(({ name }: { name: string }) => name);
  };
  (await call('org.create', { name: 'ada' })).status;
  (await call('repo.create', { orgName: 'ada', name: 'world' })).data();
  return { app, store, call, write, get, names, token };
}

const SENSORS = [
  { kind: 'shape', name: 'Room', data: { fields: {} } },
  {
    kind: 'shape',
    name: 'Sensor',
    data: {
      fields: {
        label: 'string',
        'score?': { type: 'number', indexed: true },
        'kind?': 'string',
        'room?': 'wref',
        'position?': { x: 'number' },
        'on?': 'boolean',
      },
    },
  },
  { kind: 'shape', name: 'Claim', data: { fields: { 'text?': 'string' } } },
  { name: 'Room/a', data: {} },
  { name: 'Sensor/t1', data: { label: 'one', score: 0.5, room: 'Room/a', on: true } },
  { name: 'Sensor/t2', data: { label: 'two', score: 0.95, position: { x: 3 } } },
  { name: 'Sensor/u/t3', data: { label: 'three', score: 0.91 } },
  { name: 'Claim/c1', about: 'Sensor/t1', data: { text: 'good' } },
  { name: 'Claim/c2', about: 'Claim/c1', data: { text: 'true' } },
  { kind: 'collection', type: 'arc', name: 'Arc/x', members: ['Sensor/t1', 'Sensor/t2'] },
  { name: 'Claim/c3', about: 'Arc/x', data: {} },
];

describe.each(ENGINES)('lists of records on %s', (engine) => {
  it('filter, order and page', async () => {
    const { write, names, get } = await prepare(engine);
    await write(...SENSORS);
    const things = ['Room/a', 'Sensor/t1', 'Sensor/t2', 'Sensor/u/t3'];
    expect(await names('/head?kind=thing')).toEqual(things);
    expect(await names('/head?kind=thing&order=-created')).toEqual(things.toReversed());
    expect(await names('/head?shape=Sensor&order=name')).toEqual(things.slice(1));
    expect(await names('/head?kind=shape&order=name')).toEqual(['Arc', 'Claim', 'Room', 'Sensor']);
    expect(await names('/head?match=Sensor/*')).toEqual(['Sensor/t1', 'Sensor/t2']);
    expect(await names('/head?match=Sensor/**&order=name')).toEqual(things.slice(1));
    expect(await names('/head?match=Sensor/t*')).toEqual(['Sensor/t1', 'Sensor/t2']);
    expect(await names('/head?match=Sensor/t2')).toEqual(['Sensor/t2']);
    expect(await names('/head?match=**t3')).toEqual(['Sensor/u/t3']);
    expect(await names('/head?match=S*')).toEqual(['Sensor']);
    expect(await names('/query?shape=Sensor&where=score:gte:0.9')).toEqual(['Sensor/t2', 'Sensor/u/t3']);
    expect(await names('/query?shape=Sensor&where=score:gte:0.9&order=-updated')).toEqual(['Sensor/u/t3', 'Sensor/t2']);
    expect(await names('/query?shape=Sensor&where=score:eq:0.5')).toEqual(['Sensor/t1']);
    expect(await names('/query?shape=Sensor&where=label:prefix:t')).toEqual(['Sensor/t2', 'Sensor/u/t3']);
    expect(await names('/query?shape=Sensor&where=room:eq:Room/a')).toEqual(['Sensor/t1']);
    expect(await names('/query?shape=Sensor&where=room:exists:false')).toEqual(['Sensor/t2', 'Sensor/u/t3']);
    expect(await names('/query?shape=Sensor&where=position.x:lte:3')).toEqual(['Sensor/t2']);
    expect(await names('/query?shape=Sensor&where=on:ne:true')).toEqual(['Sensor/t2', 'Sensor/u/t3']);
    expect(await names('/query?about=Sensor/t1')).toEqual(['Claim/c1']);
    expect(await names('/about/Sensor%2Ft1?depth=2')).toEqual(['Claim/c1', 'Claim/c2']);
    expect(await names('/about/Sensor/t1?resolveCollections=true&order=-updated')).toEqual(['Claim/c3', 'Claim/c1']);
    expect((await get('/head?kind=thing&count=true')).json()).toEqual({ repoSeq: 1, count: 4 });
    const first = (await get('/head?kind=thing&limit=3')).json();
    expect(first.items).toHaveLength(3);
    expect(await names(`/head?kind=thing&limit=3&cursor=${first.nextCursor}`)).toEqual(['Sensor/u/t3']);
  });

  it('answer what they answered, at any sequence', async () => {
    const { write, names, get } = await prepare(engine);
    await write(...SENSORS);
    await write({ operation: 'retract', name: 'Sensor/t1' });
    await write({ operation: 'revise', name: 'Room/a', data: { x: 1 } });
    await write({ operation: 'rename', name: 'Sensor/t2', newName: 'Sensor/renamed' });
    for (const order of ['created', '-created', 'updated', '-updated', 'name']) {
      const then = await names(`/head?kind=thing&atRepoSeq=1&order=${order}`);
      expect(new Set(then)).toEqual(new Set(['Room/a', 'Sensor/t1', 'Sensor/t2', 'Sensor/u/t3']));
    }
    expect(await names('/head?kind=thing&order=-updated')).toEqual(['Room/a', 'Sensor/u/t3', 'Sensor/renamed']);
    expect(await names('/head?kind=thing&order=-updated&atRepoSeq=3')).toEqual(['Room/a', 'Sensor/u/t3', 'Sensor/t2']);
    expect(await names('/head?kind=thing&includeRetracted=true')).toContain('Sensor/t1');
    expect(await names('/query?shape=Sensor&where=score:eq:0.5')).toEqual([]);
    expect(await names('/query?shape=Sensor&where=score:eq:0.5&atRepoSeq=1')).toEqual(['Sensor/t1']);
    expect((await get('/head?atRepoSeq=9')).body).toContain('atRepoSeq');
  });

  it('find words, those with the words in their name first, and show where they stand', async () => {
    const { write, names, get, store } = await prepare(engine);
    await write(...SENSORS, { name: 'Sensor/Café-noir', data: { label: 'A machine, number two', room: 'Room/a' } });
    await followSearch(store);
    expect(await names('/query?q=two&kind=thing')).toEqual(['Sensor/Café-noir', 'Sensor/t2']);
    expect(await names('/query?q=CAFE')).toEqual(['Sensor/Café-noir']);
    expect(await names('/query?q=sensor+t2')).toEqual(['Sensor/t2']);
    expect(await names('/query?q=sensor&shape=Sensor&where=score:gte:0.9')).toEqual(['Sensor/u/t3', 'Sensor/t2']);
    expect(await names('/query?q=mach*')).toEqual(['Sensor/Café-noir']);
    expect(await names('/query?q=two&kind=thing&order=created')).toEqual(['Sensor/t2', 'Sensor/Café-noir']);
    expect(await names('/query?q=good&about=Sensor/t1')).toEqual(['Claim/c1']);
    expect(await names('/query?q=good&about=Claim/c1')).toEqual([]);
    expect((await get('/query?q=two&count=true')).json().count).toBe(3);
    const first = (await get('/query?q=two&kind=thing&limit=1')).json();
    expect(first.items[0].snippet).toEqual({ path: '/label', text: 'A machine, number two', matches: [[18, 21]] });
    expect(first.searchedThrough).toBe(1);
    expect(await names(`/query?q=two&kind=thing&limit=1&cursor=${first.nextCursor}`)).toEqual(['Sensor/t2']);
    expect((await get('/query?q=two&kind=thing')).headers.get('etag')).toBeNull();
    for (const path of ['/query?q=%2B%2B', '/query?q=two&atRepoSeq=1']) {
      expect((await get(path)).status).toBe(400);
    }
  });

  it('send data on in the text that it was stored as, without looking into it', async () => {
    const { write, get, store, call } = await prepare(engine);
    await write(...SENSORS);
    const whole = (await get('/head?kind=thing')).json();
    expect(whole).toEqual((await call('thing.head', { ...address, kind: 'thing' })).data());
    const data = '{"label":?}';
    const digest = hash('sha256', data);
    const dataHash = engine === 'sqlite' ? `x'${digest}'` : `'\\x${digest}'`;
    const two = `where data like '%"two"%'`;
    const [row] = await store.database.query<VersionColumns & { repo_id: number }>(`select * from version ${two}`);
    const crc = row && checksumVersion(row.repo_id, { ...row, data_hash: digest });
    await runStatement(store, `update version set data = '${data}', data_hash = ${dataHash}, crc = ${crc} ${two}`);
    const { status, body } = await get('/head?match=Sensor/t2');
    expect([status, body.includes('"data":{"label":?},"dataHash"')]).toEqual([200, true]);
  });

  it('have a tag, by which who has them is told so', async () => {
    const { write, get } = await prepare(engine);
    await write(...SENSORS);
    const first = await get('/head?kind=thing');
    const tag = first.headers.get('etag') ?? '';
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    expect(await get('/head?kind=thing', { 'if-none-match': tag })).toMatchObject({ status: 304, body: '' });
    expect((await get('/head', { 'if-none-match': tag })).status).toBe(200);
    await write({ name: 'Room/b', data: {} });
    expect((await get('/head?kind=thing', { 'if-none-match': tag })).status).toBe(200);
  });
});
