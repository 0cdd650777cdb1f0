import { PROCEDURE_NAMES, PROCEDURES } from '@cairn/protocol/procedures';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { listOf } from '../../../test/support/sdk-world.ts';
import { createOwnerToken, startTestServer } from '../../../test/support/server.ts';
import { CairnClient, defineShape, List, type RepoHandle } from './index.ts';

const Sensor = defineShape(
  'Sensor',
  { x: 'number', 'label?': 'string', 'next?': 'wref', state: { type: 'string', enum: ['on', 'off'] } },
  { description: 'What measures' },
);
const Belief = defineShape('Belief', { safe: 'boolean' });

async function openLab(): Promise<{ client: CairnClient; repo: RepoHandle }> {
  const { url, store } = await startTestServer('sqlite');
  const client = new CairnClient({ url, token: await createOwnerToken(store) });
  await client.repo.create('ada', 'lab');
  return { client, repo: client.repo('ada/lab') };
}

const namesIn = async (items: AsyncIterable<{ name: string }>) => (await listOf(items)).map(({ name }) => name);

describe('client.repo', () => {
  it.each(['', 'world', 'acme/', '/world', 'acme/world/more'])('names no repository by %j', (name) => {
    const client = new CairnClient({ url: 'http://localhost:8787' });
    expect(() => client.repo(name)).toThrow('is not the name of a repository. Write the organization and the name');
  });

  it('has on a handle every call that says which repository it is about', async () => {
    const { client, repo } = await openLab();
    const without = (surface: object, names: string[]) => Object.keys(surface).filter((name) => !names.includes(name));
    const registry = ['register', 'publish', 'registry', 'view', 'unregister', 'resolve', 'setupCall'];
    const callsOf = (part: object) => new Set(Object.keys(part));
    expect(Object.keys(repo)).toEqual(expect.arrayContaining(without(client.repo, ['list', 'create'])));
    expect(callsOf(repo.things)).toEqual(callsOf(client.thing));
    expect(callsOf(repo.shapes)).toEqual(new Set([...Object.keys(client.shape), 'ensure']));
    expect(callsOf(repo.commits)).toEqual(callsOf(client.commit));
    expect(callsOf(repo.subscriptions)).toEqual(callsOf(client.subscription));
    expect(callsOf(repo.credentials)).toEqual(callsOf(client.credential));
    expect(callsOf(repo.actions)).toEqual(new Set(without(client.action, ['callback'])));
    expect(callsOf(repo.components)).toEqual(new Set(without(client.component, registry)));
    expect(await repo.get()).toEqual(await client.repo.get('ada', 'lab'));
    expect(await repo.stats()).toEqual(await client.repo.stats('ada', 'lab'));
    expect(await repo.checkPermission('repo:write')).toMatchObject({ allowed: true });
    expect('list' in repo).toBe(false);
  });

  it('reads and writes records that are typed by their shape', async () => {
    const { repo } = await openLab();
    expect(await repo.shapes.ensure(Sensor)).toMatchObject({ version: 1, data: { description: 'What measures' } });
    expect(await repo.shapes.ensure(Sensor)).toMatchObject({ version: 1 });
    const Wider = defineShape('Sensor', { ...Sensor.fields, 'unit?': 'string' });
    expect(await repo.shapes.ensure(Wider)).toMatchObject({ version: 2 });
    await repo.shapes.retract('Sensor');
    expect(await repo.shapes.ensure(Wider)).toMatchObject({ active: true });
    await repo
      .commit('Two sensors')
      .add(Wider.wref('roof'), { x: 3, state: 'on', unit: 'K' })
      .add(Wider.wref('cellar'), { x: 1, state: 'off', next: 'Sensor/roof' })
      .submit();
    const { data } = await repo.things.get(Wider.wref('roof'));
    expect(data).toEqual({ x: 3, state: 'on', unit: 'K' });
    expect((await repo.things.get(Wider.wref('cellar', 1))).data.next).toBe('Sensor/roof@v1');
    const warm = repo.things.query({ shape: Wider, where: ['x:gte:2', { fieldPath: 'state', op: 'eq', rhs: 'on' }] });
    expect(await namesIn(warm)).toEqual(['Sensor/roof']);
    const { items } = await repo.things.getMany([Wider.wref('roof'), Wider.wref('attic')]);
    expect(items.map((item) => item?.data.x)).toEqual([3, undefined]);
    expect(await repo.things.count({ shape: Wider, where: ['unit:exists'] })).toMatchObject({ count: 1 });
    const [some] = await listOf(repo.things.head({ shape: Wider, fields: ['unit'] }));
    expect(some?.data).toEqual({ unit: 'K' });
    expect(await namesIn(repo.things.history(Wider.wref('roof')))).toEqual(['Sensor/roof']);
  });
});

describe('a list', () => {
  it('is a page when it is awaited, and every item when it is gone through', async () => {
    const { repo } = await openLab();
    const commit = repo.commit().addShape(Belief);
    for (const name of ['a', 'b', 'c', 'd', 'e']) commit.add(Belief.wref(name), { safe: true });
    await commit.submit();
    await repo.commit('Doubt').add(Belief.wref('doubt'), { safe: false }, { about: 'Belief/a' }).submit();
    const all = ['Belief/a', 'Belief/b', 'Belief/c', 'Belief/d', 'Belief/e'];
    const list = repo.things.head({ shape: 'Belief', kind: 'thing', limit: 2 });
    expect((await list).items.map(({ name }) => name)).toEqual(all.slice(0, 2));
    expect(await namesIn(list)).toEqual(all);
    expect(await namesIn(list)).toEqual(all);
    const { nextCursor } = await list.page();
    const rest = repo.things.head({ shape: 'Belief', kind: 'thing', limit: 2, cursor: nextCursor });
    expect(await namesIn(rest)).toEqual(all.slice(2));
    const pages = await listOf(list.pages());
    expect(pages.map(({ items, repoSeq }) => [items.length, repoSeq])).toEqual([
      [2, 2],
      [2, 2],
      [1, 2],
    ]);
    expect((await listOf(repo.commits.log({ limit: 1 }))).map(({ message }) => message)).toEqual(['Doubt', '']);
    expect(await namesIn(repo.things.about('Belief/a'))).toEqual(['Belief/doubt']);
    expect(await namesIn(repo.shapes.list())).toContain('Belief');
    expect((await listOf(repo.things.changes({ sinceRepoSeq: 1 }))).map(({ change }) => change)).toEqual(['added']);
    expect((await listOf(repo.things.refs('Belief/a'))).map(({ role }) => role)).toEqual(['about']);
  });

  it('sends nothing before it is needed, and no page that is not', async () => {
    const asked: (string | undefined)[] = [];
    const list = new List(async (cursor) => {
      asked.push(cursor);
      return { items: [1, 2], nextCursor: `${cursor ?? ''}a` };
    });
    expect(asked).toEqual([]);
    for await (const item of list) if (item === 2) break;
    expect(asked).toEqual([undefined]);
    await Promise.all([list, list.page(), list.finally(() => {})]);
    expect(asked).toEqual([undefined]);
    expect(Object.prototype.toString.call(list)).toBe('[object List]');
  });

  it('fails as a promise does', async () => {
    const { repo } = await openLab();
    const wrong = () => repo.things.head({ where: ['x:gte:3'] });
    await expect(wrong()).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await wrong().catch((error: unknown) => (error as Error).name)).toBe('CairnError');
    await expect(listOf(wrong())).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('is what every call that lists gives', () => {
    const client = new CairnClient({ url: 'http://localhost:8787' });
    const lists: Record<string, unknown> = {
      'action.runs': client.action.runs('ada', 'lab'),
      'action.attempts': client.action.attempts('ada', 'lab', 'run'),
      'action.notifications': client.action.notifications('ada', 'lab'),
      'audit.list': client.audit.list('ada'),
      'auth.listSessions': client.auth.listSessions(),
      'commit.log': client.commit.log('ada', 'lab'),
      'component.list': client.component.list('ada', 'lab'),
      'component.registry': client.component.registry(),
      'credential.audit': client.credential.audit('ada', 'lab', 'hooks'),
      'credential.list': client.credential.list('ada', 'lab'),
      'org.list': client.org.list(),
      'org.listMembers': client.org.listMembers('ada'),
      'repo.checkpoints': client.repo.checkpoints('ada', 'lab'),
      'repo.list': client.repo.list(),
      'repo.listRoles': client.repo.listRoles('ada', 'lab'),
      'shape.history': client.shape.history('ada', 'lab', 'Sensor'),
      'shape.list': client.shape.list('ada', 'lab'),
      'subscription.list': client.subscription.list('ada', 'lab'),
      'thing.about': client.thing.about('ada', 'lab', 'Sensor/a'),
      'thing.changes': client.thing.changes('ada', 'lab', { sinceRepoSeq: 0 }),
      'thing.head': client.thing.head('ada', 'lab'),
      'thing.history': client.thing.history('ada', 'lab', 'Sensor/a'),
      'thing.names': client.thing.names('ada', 'lab', 'Sensor/a'),
      'thing.query': client.thing.query('ada', 'lab'),
      'thing.refs': client.thing.refs('ada', 'lab', 'Sensor/a'),
      'thing.search': client.thing.search('ada', 'lab', 'roof'),
      'token.list': client.token.list(),
    };
    for (const [name, list] of Object.entries(lists)) expect(list, name).toBeInstanceOf(List);
    const paged = PROCEDURE_NAMES.filter((name) =>
      JSON.stringify(z.toJSONSchema(PROCEDURES[name].output)).includes('"nextCursor"'),
    );
    expect(new Set(Object.keys(lists))).toEqual(new Set([...paged, 'action.attempts']));
  });
});

describe('the commit builder', () => {
  it('makes every operation, with tokens for records of the same commit', async () => {
    const { repo } = await openLab();
    const made = await repo
      .commit('All at once')
      .addShape(Sensor)
      .addShape(Belief)
      .add(Sensor.wref('$1'), { x: 1, state: 'on' })
      .add(Sensor.wref('roof'), { x: 2, state: 'on', next: '#1' })
      .add(Belief.wref('$2'), { safe: true }, { about: '#1' })
      .addCollection('arc', ['#1', 'Sensor/roof'], { name: 'wire' })
      .operation(Sensor.add('cellar', { x: 5, state: 'off' }, { skipExisting: true }))
      .submit();
    expect(made.operations.map(({ status }) => status)).toEqual(Array(7).fill('applied'));
    const first = made.operations[2]?.name ?? '';
    expect((await repo.things.get(Sensor.wref('roof'))).data.next).toBe(`${first}@v1`);
    await repo
      .commit()
      .revise(Sensor.wref('roof'), { x: 3, state: 'off' }, { expectedVersion: 1 })
      .reviseMembers('Arc/wire', ['Sensor/roof', first])
      .rename('Sensor/cellar', 'Sensor/vault')
      .retract(first, { reason: 'broken' })
      .add('Belief/roof', { safe: false }, { about: 'Sensor/roof' })
      .submit();
    expect((await repo.things.get(Sensor.wref('roof'))).data).toEqual({ x: 3, state: 'off' });
    expect(await repo.things.get('Sensor/vault')).toMatchObject({ version: 1 });
    expect(await repo.things.get(first, { includeRetracted: true })).toMatchObject({ reason: 'broken' });
    expect((await listOf(repo.commits.log())).map(({ message }) => message)).toEqual(['', 'All at once']);
  });

  it('validates without writing, and refuses what an edit of another has overtaken', async () => {
    const { repo } = await openLab();
    const commit = repo.commit('Dry').addShape(Belief).add(Belief.wref('a'), { safe: true });
    expect(commit.operations).toHaveLength(2);
    expect((await commit.validate()).operations.map(({ status }) => status)).toEqual(['applied', 'applied']);
    expect(await listOf(repo.commits.log())).toEqual([]);
    await commit.submit();
    const late = repo.commit().revise(Belief.wref('a'), { safe: false }, { expectedVersion: 7 });
    await expect(late.submit()).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(repo.commit().submit()).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('is applied once, however often it is sent', async () => {
    const { repo } = await openLab();
    const commit = repo.commit().addShape(Belief);
    expect(commit.submissionId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(repo.commit().submissionId).not.toBe(commit.submissionId);
    const first = await commit.submit();
    expect(await commit.submit()).toEqual(first);
    expect(await repo.commits.receipt(commit.submissionId)).toEqual(first);
    expect(await listOf(repo.commits.log())).toHaveLength(1);
  });
});
