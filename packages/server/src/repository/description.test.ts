// repo.stats and repo.describe: counts, now and in the past, as far as the caller may see them.

import { parseDurableId } from '@cairn/model/wref';
import type { ScopeEntry } from '@cairn/protocol/account';
import { describe, expect, it } from 'vitest';
import { createComponentToken, createSession } from '../../../../test/support/principal.ts';
import { type CallProcedure, caller } from '../../../../test/support/procedure.ts';
import { createOwnerToken, createTestApp, ownerIdOf } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import type { Engine } from '../engine/database.ts';

const WORLD = { orgName: 'ada', repoName: 'world' };
const HIDDEN = /Secret|hush|Room/;

/**
 * 1 Room; 2 Signal, which asks for Room; 3 Secret, which asks for Signal; 4 two signals, one room, an arc between them
 * and an assertion; 5 a secret; 6 one signal is retracted; 7 Signal is called Beep; 8 the secret is revised.
 */
async function prepare(engine: Engine) {
  const { app, store } = await createTestApp(engine);
  await createOwnerToken(store);
  const owner = caller(app, (await createSession(store, { accountId: await ownerIdOf(store) })).token);
  (await owner('repo.create', { orgName: 'ada', name: 'world', visibility: 'public', description: 'Signals' })).data();
  const shape = async (name: string, fields: object) =>
    (await owner('shape.create', { ...WORLD, name, fields, description: `What ${name} is` })).data();
  const commit = async (...operations: object[]) =>
    (await owner('commit.submit', { ...WORLD, operations, message: 'hush' })).data();
  await shape('Room', {});
  await shape('Signal', { 'x?': 'number', 'room?': { type: 'wref', shape: ['Room', 'Signal'] } });
  await shape('Secret', { 'of?': { type: 'wref', shape: 'Signal' } });
  await commit(
    { name: 'Signal/a', data: { x: 1 } },
    { name: 'Signal/b', data: { x: 2 } },
    { name: 'Room/r', data: {} },
    { kind: 'collection', type: 'arc', name: 'Arc/a-r', members: ['Signal/a', 'Room/r'] },
    { name: 'Signal/said', about: 'Signal/a', data: {} },
  );
  await commit({ name: 'Secret/hush', data: {} });
  await commit({ operation: 'retract', name: 'Signal/b' });
  await commit({ operation: 'rename', kind: 'shape', name: 'Signal', newName: 'Beep' });
  await commit({ operation: 'revise', name: 'Secret/hush', data: { of: 'Beep/a' } });
  const withScope = async (name: string, entry: Partial<ScopeEntry>) => {
    const scopes = [{ resource: 'ada/world', permissions: ['repo:read'] as ScopeEntry['permissions'], ...entry }];
    return caller(app, (await owner('token.create', { name, scopes })).data().token);
  };
  const times = (await owner('commit.log', WORLD)).data().items.map(({ createdAt }) => createdAt);
  return { app, store, owner, withScope, commit, timeOf: (repoSeq: number) => times[8 - repoSeq] };
}

type World = Awaited<ReturnType<typeof prepare>>;

const stats = async (call: CallProcedure, atRepoSeq?: number) =>
  (await call('repo.stats', { ...WORLD, ...(atRepoSeq !== undefined && { atRepoSeq }) })).data();

const ALL = { counts: { thing: 3, assertion: 1, shape: 4, collection: 1 }, retracted: 1 };
const byName = (counts: object) => Object.entries(counts).map(([name, count]) => ({ name, count }));

describe.each(UPPER_ENGINES)('repo.list on %s', (engine) => {
  it('says when each was written to last, but not to who sees a part', async () => {
    const { owner, app, withScope, timeOf } = await prepare(engine);
    (await owner('repo.create', { orgName: 'ada', name: 'empty', visibility: 'public' })).data();
    const times = async (call: CallProcedure) =>
      (await call('repo.list', {})).data().items.map(({ name, lastCommitAt }) => [name, lastCommitAt]);
    const all = [
      ['empty', undefined],
      ['world', timeOf(8)],
    ];
    expect(await times(owner)).toEqual(all);
    expect(await times(caller(app))).toEqual(all);
    expect(await times(await withScope('whole', {}))).toEqual(all);
    const narrow = await withScope('narrow', { shapes: ['Beep'] });
    expect(await times(narrow)).toEqual(all.map(([name]) => [name, undefined]));
  });
});

describe.each(UPPER_ENGINES)('repo.stats on %s', (engine) => {
  it('counts active records by kind and by shape, and says when the last commit was', async () => {
    const { owner, app, timeOf } = await prepare(engine);
    const shapes = byName({ Arc: 1, Beep: 2, Room: 1, Secret: 1 });
    expect(await stats(owner)).toEqual({ repoSeq: 8, ...ALL, shapes, lastCommitAt: timeOf(8) });
    expect(await stats(caller(app))).toEqual(await stats(owner));
  });

  it('counts what was there at an older sequence, by the names of then', async () => {
    const { owner, timeOf } = await prepare(engine);
    const shapes = byName({ Arc: 1, Room: 1, Secret: 0, Signal: 3 });
    const counts = { thing: 3, assertion: 1, shape: 4, collection: 1 };
    expect(await stats(owner, 4)).toEqual({ repoSeq: 4, counts, retracted: 0, shapes, lastCommitAt: timeOf(4) });
    expect(await stats(owner, 8)).toEqual(await stats(owner));
    const empty = { thing: 0, assertion: 0, shape: 0, collection: 0 };
    expect(await stats(owner, 0)).toEqual({ repoSeq: 0, counts: empty, retracted: 0, shapes: [], lastCommitAt: null });
    const future = await owner('repo.stats', { ...WORLD, atRepoSeq: 9 });
    expect([future.status, future.message]).toEqual([
      400,
      'atRepoSeq: The repository is at sequence 8, so 9 does not exist yet.',
    ]);
  });

  it('lists a shape that is retracted as long as it has active records', async () => {
    const { owner } = await prepare(engine);
    for (const name of ['Secret', 'Room']) (await owner('shape.retract', { ...WORLD, name })).data();
    expect((await stats(owner)).shapes).toEqual(byName({ Arc: 1, Beep: 2, Room: 1, Secret: 1 }));
    const operations = [{ operation: 'retract', name: 'Secret/hush' }];
    (await owner('commit.submit', { ...WORLD, operations })).data();
    expect((await stats(owner)).shapes).toEqual(byName({ Arc: 1, Beep: 2, Room: 1 }));
    expect(await stats(owner)).toMatchObject({ counts: { shape: 2 }, retracted: 4 });
  });

  it.each<[string, Partial<ScopeEntry>]>([
    ['refs', { refs: ['Beep/**', 'Signal/**'] }],
    ['shapes', { shapes: ['Beep'] }],
    ['both', { refs: ['**'], shapes: ['Beep'] }],
  ])('shows a token that is narrowed by %s its own records alone', async (_, entry) => {
    const { withScope, timeOf } = await prepare(engine);
    const call = await withScope('narrow', entry);
    const counts = { thing: 1, assertion: 1, shape: 1, collection: 0 };
    const seen = { counts, retracted: 1, shapes: byName({ Beep: 2 }) };
    expect(await stats(call)).toEqual({ repoSeq: 8, ...seen, lastCommitAt: timeOf(7) });
    const before = { counts: { ...counts, thing: 2 }, retracted: 0, shapes: byName({ Signal: 3 }) };
    expect(await stats(call, 5)).toEqual({ repoSeq: 5, ...before, lastCommitAt: timeOf(4) });
    expect((await call('repo.stats', WORLD)).body).not.toMatch(HIDDEN);
  });

  it('asks for the names of now and of then', async () => {
    const { withScope } = await prepare(engine);
    const call = await withScope('now', { refs: ['Beep/**'] });
    expect((await stats(call)).shapes).toEqual(byName({ Beep: 2 }));
    expect(await stats(call, 5)).toMatchObject({ counts: { thing: 0, shape: 0 }, shapes: [], lastCommitAt: null });
  });

  it('counts in steps what is more than one step, the same for all who see the same', async () => {
    const { owner, withScope, commit } = await prepare(engine);
    const many = Array.from({ length: 4_500 }, (_, n) => ({ name: `Beep/n${n}`, data: {} }));
    await commit(...many);
    await commit(...many.slice(0, 100).map(({ name }) => ({ operation: 'retract', name })));
    const full = await stats(owner);
    expect(full).toMatchObject({ counts: { thing: 4_403 }, retracted: 101 });
    for (const [name, glob] of Object.entries({ shapes: '**', records: '*/*' })) {
      const call = await withScope(name, { refs: [glob] });
      expect(await stats(call)).toEqual(full);
      for (const atRepoSeq of [9, 8, 6]) expect(await stats(call, atRepoSeq)).toEqual(await stats(owner, atRepoSeq));
    }
    expect(await stats(owner, 9)).toMatchObject({ counts: { thing: 4_503 }, retracted: 1 });
  });
});

const described = async (call: CallProcedure, atRepoSeq?: number) =>
  (await call('repo.describe', { ...WORLD, ...(atRepoSeq !== undefined && { atRepoSeq }) })).data();

describe.each(UPPER_ENGINES)('repo.describe on %s', (engine) => {
  it('tells the repository, its active shapes with their fields, and which texts are written', async () => {
    const { owner, app } = await prepare(engine);
    (await owner('repo.setContent', { ...WORLD, name: 'readme', content: '# World' })).data();
    (await owner('shape.retract', { ...WORLD, name: 'Secret' })).data();
    const got = await described(owner);
    expect(got.repository).toEqual((await owner('repo.get', WORLD)).data());
    expect(got).toMatchObject({ repoSeq: 10, counts: { thing: 4, shape: 4 }, contents: ['readme'] });
    expect(got.shapes.map(({ name, version, count }) => [name, version, count])).toEqual([
      ['Arc', 1, 1],
      ['Beep', 1, 2],
      ['Content', 1, 1],
      ['Room', 1, 1],
    ]);
    expect(got.shapes[1]).toEqual({
      name: 'Beep',
      version: 1,
      count: 2,
      description: 'What Signal is',
      fields: { 'x?': 'number', 'room?': { type: 'wref', shape: ['Room', 'Beep'] } },
    });
    expect(await described(caller(app))).toEqual(got);
  });

  it('tells it as it was at an older sequence', async () => {
    const { owner } = await prepare(engine);
    const got = await described(owner, 3);
    expect(got).toMatchObject({ repoSeq: 3, counts: { thing: 0, shape: 3 }, contents: [] });
    expect(got.shapes.map(({ name, count }) => [name, count])).toEqual([
      ['Room', 0],
      ['Secret', 0],
      ['Signal', 0],
    ]);
    expect(got.repository.repoSeq).toBe(8);
  });

  it('goes on after the first page of shapes', async () => {
    const { owner, commit } = await prepare(engine);
    const shape = (n: number) => ({ kind: 'shape', name: `S${n}`, data: { fields: {} } });
    await commit(...Array.from({ length: 150 }, (_, n) => shape(n)));
    const { shapes } = await described(owner);
    const names = shapes.map(({ name }) => name);
    expect(names).toHaveLength(154);
    expect(names).toEqual(names.toSorted());
  });

  it('refuses what is too much for one answer, and says what to do', async () => {
    const { app, store } = await createTestApp(engine, { CAIRN_LIMIT_ANSWER_BYTES: '2000' });
    const owner = caller(app, await createOwnerToken(store));
    await owner('repo.create', { orgName: 'ada', name: 'world' });
    const description = 'long '.repeat(300);
    for (const name of ['A', 'B']) await owner('shape.create', { ...WORLD, name, fields: {}, description });
    const refused = await owner('repo.describe', WORLD);
    expect([refused.code, refused.message]).toEqual(['PAYLOAD_TOO_LARGE', expect.stringContaining('in pages')]);
  });

  it('hides shapes, also where others ask for them, and texts', async () => {
    const { owner, withScope } = await prepare(engine);
    (await owner('repo.setContent', { ...WORLD, name: 'agents', content: 'hush' })).data();
    const call = await withScope('narrow', { shapes: ['Beep'] });
    const got = await described(call);
    expect(got).toMatchObject({ counts: { thing: 1, assertion: 1, shape: 1, collection: 0 }, contents: [] });
    expect(got.shapes).toMatchObject([{ name: 'Beep', count: 2, fields: { 'room?': { shape: [null, 'Beep'] } } }]);
    expect(JSON.stringify(got)).not.toMatch(HIDDEN);
    const texts = await withScope('texts', { refs: ['Content/Agents'] });
    expect(await described(texts)).toMatchObject({ contents: ['agents'], shapes: [{ name: 'Content', count: 1 }] });
  });
});

const CALLERS: Record<string, (world: World) => Promise<[CallProcedure, number]>> = {
  anonymous: async ({ app }) => [caller(app), 404],
  'a wrong token': async ({ app }) => [caller(app, 'cairn_pat_wrong'), 401],
  'a token for elsewhere': async ({ withScope }) => [await withScope('elsewhere', { resource: 'ada/vault' }), 404],
  'a token that may write alone': async ({ withScope }) => [
    await withScope('writer', { permissions: ['repo:write'] }),
    404,
  ],
  'a component elsewhere': async ({ app, store, owner }) => {
    const { durableId } = (await owner('shape.get', { ...VAULT, name: 'Nothing' })).data();
    const { repoId = 0 } = parseDurableId(durableId) ?? {};
    return [caller(app, await createComponentToken(store, { repoId })), 403];
  },
  'the owner': async ({ owner }) => [owner, 200],
};
const VAULT = { orgName: 'ada', repoName: 'vault' };

describe.each(UPPER_ENGINES)('a private repository on %s', (engine) => {
  it.each(Object.keys(CALLERS))('tells %s of itself what they may know', async (who) => {
    const world = await prepare(engine);
    const { owner } = world;
    (await owner('repo.create', { orgName: 'ada', name: 'vault' })).data();
    await owner('shape.create', { ...VAULT, name: 'Nothing', fields: {} });
    await owner('repo.setVisibility', { ...WORLD, visibility: 'private' });
    const [call, status] = (await CALLERS[who]?.(world)) ?? [];
    if (call === undefined) throw new Error(`no caller ${who}`);
    for (const name of ['repo.stats', 'repo.describe'] as const) {
      const [answer, missing] = [await call(name, WORLD), await call(name, { ...WORLD, repoName: 'missing' })];
      expect([name, answer.status]).toEqual([name, status]);
      if (status === 200) continue;
      expect(answer.body).toBe(missing.body);
      expect(answer.body).not.toMatch(/Signal|Room|Secret|Signals/);
    }
  });
});
