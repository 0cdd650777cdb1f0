// Changes between two sequences: the changed records, page by page, and the differences in one of them.
import type { ScopeEntry } from '@cairn/protocol/account';
import { beforeEach, describe, expect, it } from 'vitest';
import { createSession } from '../../../../test/support/principal.ts';
import { type CallProcedure, caller } from '../../../../test/support/procedure.ts';
import { createOwnerToken, createTestApp, ownerIdOf, type TestApp } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';

const WORLD = { orgName: 'ada', repoName: 'world' };
const FIELDS = { 'x?': 'json', 'to?': 'wref' };

describe.each(UPPER_ENGINES)('changes on %s', (engine) => {
  let app: TestApp['app'];
  let session: CallProcedure;

  const write = async (...operations: readonly object[]) =>
    (await session('commit.submit', { ...WORLD, operations: [...operations] })).data().repoSeq;
  const narrowed = async (entry: Partial<ScopeEntry>) => {
    const scopes = [{ resource: 'ada/world', permissions: ['repo:read' as const], ...entry }];
    return caller(app, (await session('token.create', { name: 'narrow', scopes })).data().token);
  };
  type ChangesInput = Omit<Parameters<typeof session<'thing.changes'>>[1], 'orgName' | 'repoName'>;
  const changes = async (input: ChangesInput, call = session) =>
    (await call('thing.changes', { ...WORLD, ...input })).data();
  const short = ({ items }: Awaited<ReturnType<typeof changes>>) =>
    items.map(({ repoSeq, change, name, version, versionBefore = 0, nameBefore }) =>
      [repoSeq, change, name, `v${versionBefore}-v${version}`, ...(nameBefore === undefined ? [] : [nameBefore])].join(
        ' ',
      ),
    );
  const diff = async (input: { wref: string; sinceRepoSeq: number; atRepoSeq?: number }, call = session) =>
    (await call('thing.diff', { ...WORLD, ...input })).data();
  const rename = (name: string, newName: string) => ({ operation: 'rename', name, newName });

  beforeEach(async () => {
    const { app: made, store } = await createTestApp(engine);
    app = made;
    await createOwnerToken(store);
    session = caller(app, (await createSession(store, { accountId: await ownerIdOf(store) })).token);
    (await session('repo.create', { orgName: WORLD.orgName, name: WORLD.repoName })).data();
    for (const name of ['Room', 'Note']) await session('shape.create', { ...WORLD, name, fields: FIELDS });
  });

  it('are listed once for each record, by the last one', async () => {
    await write(...['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({ name: `Room/${name}`, data: {} })));
    await write({ operation: 'retract', name: 'Room/d' });
    const since = await write({ operation: 'revise', name: 'Room/a', data: { x: 0 } });
    expect(since).toBe(5);
    await write({ operation: 'revise', name: 'Room/a', data: { x: 1 } });
    await write({ operation: 'retract', name: 'Room/b' }, { operation: 'revise', name: 'Room/d', data: {} });
    await write(rename('Room/c', 'Room/z'), { name: 'Note/n', about: 'Room/a', data: {} });
    await write(rename('Room/e', 'Room/y'), { operation: 'revise', name: 'Room/f', data: { x: 1 } });
    await write(rename('Room/y', 'Room/e'), { operation: 'revise', name: 'Room/f', data: {} });
    await write(rename('Room/a', 'Room/w'), { type: 'arc', name: 'Arc/x', members: ['Room/z', 'Room/e'] });
    const all = [
      '7 retracted Room/b v1-v2',
      '7 restored Room/d v2-v3',
      '8 renamed Room/z v1-v1 Room/c',
      '8 added Note/n v0-v1',
      '10 revised Room/f v1-v3',
      '11 revised Room/w v2-v3 Room/a',
      '11 added Arc v0-v1',
      '11 added Arc/x v0-v1',
    ];
    const whole = await changes({ sinceRepoSeq: since });
    expect([whole.sinceRepoSeq, whole.repoSeq]).toEqual([5, 11]);
    expect(short(whole)).toEqual(all);
    expect(short(await changes({ sinceRepoSeq: since, atRepoSeq: 9 }))).toEqual([
      '6 revised Room/a v2-v3',
      ...all.slice(0, 4),
      '9 renamed Room/y v1-v1 Room/e',
      '9 revised Room/f v1-v2',
    ]);
    expect(short(await changes({ sinceRepoSeq: since, shape: 'Note' }))).toEqual([all[3]]);
    expect(short(await changes({ sinceRepoSeq: since, kind: 'shape' }))).toEqual([all[6]]);
    expect(short(await changes({ sinceRepoSeq: since, match: '*/z' }))).toEqual([all[2]]);
    expect(short(await changes({ sinceRepoSeq: since, match: 'Room/**', shape: 'Room', kind: 'thing' }))).toHaveLength(
      5,
    );
    expect(short(await changes({ sinceRepoSeq: 11 }))).toEqual([]);
    expect(short(await changes({ sinceRepoSeq: 0, atRepoSeq: 1 }))).toEqual(['1 added Room v0-v1']);
  });

  it("of a shape's name are changes of the shape alone", async () => {
    await write({ name: 'Room/a', data: {} }, { name: 'Room/b', data: {} });
    await write({ operation: 'rename', kind: 'shape', name: 'Room', newName: 'Hall' });
    expect(short(await changes({ sinceRepoSeq: 3 }))).toEqual(['4 renamed Hall v1-v1 Room']);
    await write({ operation: 'revise', name: 'Hall/a', data: { x: 1 } });
    expect(short(await changes({ sinceRepoSeq: 3, shape: 'Hall' }))).toEqual(['5 revised Hall/a v1-v2 Room/a']);
  });

  it('are read in pages of one snapshot while others write', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `Room/${String(index).padStart(3, '0')}`);
    await write(...names.slice(0, 40).map((name) => ({ name, data: {} })));
    await write(...names.slice(40).map((name) => ({ name, data: {} })));
    const read: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await changes({ sinceRepoSeq: 2, limit: 7, ...(cursor !== undefined && { cursor }) });
      expect(page.repoSeq).toBe(4);
      read.push(...page.items.map(({ name, change, version }) => `${name} ${change} ${version}`));
      cursor = page.nextCursor;
      if (cursor === undefined) break;
      await write(
        ...names.slice(30).map((name, index) => ({ operation: 'revise', name, data: { x: [read.length, index] } })),
      );
    }
    expect(read).toEqual(names.map((name) => `${name} added 1`));
  });

  it('are hidden from narrowed tokens with the names of before', async () => {
    await write(
      { name: 'Room/secret', data: { x: 1 } },
      { name: 'Room/open', data: {} },
      { name: 'Room/pass', data: {} },
    );
    await write(rename('Room/secret', 'Room/open2'), rename('Room/pass', 'Room/secret3'), {
      operation: 'revise',
      name: 'Room/open',
      data: { x: 0 },
    });
    await write({ operation: 'revise', name: 'Room/open', data: { x: 1, to: 'Room/secret3' } });
    const call = await narrowed({ refs: ['Room/open*'] });
    const { body, data } = await call('thing.changes', { ...WORLD, sinceRepoSeq: 3 });
    expect(body).not.toMatch(/secret|pass/);
    expect(short(data())).toEqual(['4 added Room/open2 v0-v1', '5 revised Room/open v1-v3']);
    expect(short(await changes({ sinceRepoSeq: 3, limit: 1 }, call))).toEqual(['4 added Room/open2 v0-v1']);
    const renamed = await call('thing.diff', { ...WORLD, wref: 'Room/open2', sinceRepoSeq: 3 });
    expect(renamed.body).not.toContain('secret');
    expect(renamed.data()).toMatchObject({ before: null, differences: [{ path: '/x', change: 'added', after: 1 }] });
    const revised = await call('thing.diff', { ...WORLD, wref: 'Room/open', sinceRepoSeq: 3 });
    expect(revised.body).not.toContain('secret');
    expect(revised.data().differences).toEqual([
      { path: '/to', change: 'added', after: null },
      { path: '/x', change: 'added', after: 1 },
    ]);
    const hidden = await call('thing.diff', { ...WORLD, wref: 'Room/secret3', sinceRepoSeq: 3 });
    const missing = await call('thing.diff', { ...WORLD, wref: 'Room/nobody', sinceRepoSeq: 3 });
    expect([hidden.status, hidden.body]).toEqual([404, missing.body.replaceAll('nobody', 'secret3')]);
  });

  it('in one record are told by pointers', async () => {
    await write({ name: 'Room/a', data: { x: { deep: [1, 2], gone: true } } }, { name: 'Room/t', data: {} });
    await write({ operation: 'revise', name: 'Room/a', data: { x: { deep: [1, 3, 4] }, to: 'Room/t' } });
    await write(rename('Room/a', 'Room/b'), rename('Room/t', 'Room/u'), { name: 'Room/a', data: {} });
    await write({ operation: 'retract', name: 'Room/b' });
    const found = await diff({ wref: 'Room/b', sinceRepoSeq: 3 });
    expect(found).toMatchObject({ sinceRepoSeq: 3, repoSeq: 6 });
    expect([found.before?.name, found.before?.version, found.after.name, found.after.active]).toEqual([
      'Room/a',
      1,
      'Room/b',
      false,
    ]);
    expect(found.differences).toEqual([
      { path: '/x/deep/1', change: 'changed', before: 2, after: 3 },
      { path: '/x/deep/2', change: 'added', after: 4 },
      { path: '/x/gone', change: 'removed', before: true },
      { path: '/to', change: 'added', after: 'Room/u@v1' },
    ]);
    const same = await diff({ wref: 'Room/b', sinceRepoSeq: 4 });
    expect([same.before?.data, same.after.data, same.differences]).toEqual([
      { x: { deep: [1, 3, 4] }, to: 'Room/t@v1' },
      { x: { deep: [1, 3, 4] }, to: 'Room/u@v1' },
      [],
    ]);
    expect((await diff({ wref: 'Room/a', sinceRepoSeq: 4 })).before).toBeNull();
    expect((await diff({ wref: 'Room/a', sinceRepoSeq: 3, atRepoSeq: 4 })).after.version).toBe(2);
    expect((await diff({ wref: 'wh:ada/world/Room/u', sinceRepoSeq: 6 })).differences).toEqual([]);
  });

  it('are asked for with good parameters, or the bad one is named', async () => {
    await write({ name: 'Room/a', data: {} });
    await session('repo.create', { orgName: 'ada', name: 'other', visibility: 'public' });
    const { nextCursor = '' } = await changes({ sinceRepoSeq: 0, limit: 1 });
    const bad: [Record<string, unknown>, string][] = [
      [{ sinceRepoSeq: 9 }, 'sinceRepoSeq'],
      [{ sinceRepoSeq: 2, atRepoSeq: 1 }, 'sinceRepoSeq'],
      [{ sinceRepoSeq: -1 }, 'sinceRepoSeq'],
      [{ atRepoSeq: 9 }, 'atRepoSeq'],
      [{ match: 'a*b*c*d*e*f' }, 'match'],
      [{ match: 'Room/?' }, 'match'],
      [{ kind: 'other' }, 'kind'],
      [{ cursor: 'nonsense' }, 'cursor'],
      [{ cursor: nextCursor, sinceRepoSeq: 1 }, 'cursor'],
      [{ cursor: nextCursor, match: '**' }, 'cursor'],
      [{ cursor: nextCursor, repoName: 'other' }, 'cursor'],
      [{ cursor: nextCursor, atRepoSeq: 3 }, 'cursor'],
    ];
    for (const [input, parameter] of bad) {
      const answer = await session('thing.changes', { ...WORLD, sinceRepoSeq: 0, ...input } as never);
      expect([input, answer.status, answer.code]).toEqual([input, 400, 'VALIDATION_ERROR']);
      expect(JSON.stringify(JSON.parse(answer.body).error.data.cairn)).toContain(parameter);
    }
    for (const [input, status, parameter] of [
      [{ sinceRepoSeq: 9 }, 400, 'sinceRepoSeq'],
      [{ atRepoSeq: 9 }, 400, 'atRepoSeq'],
      [{ wref: 'Room/a@v1' }, 400, 'wref'],
      [{ wref: 'Room/a@ALL' }, 400, 'wref'],
      [{ wref: 'wh:ada/other/Room/a' }, 400, 'wref'],
      [{ wref: 'wh:ada/none/Room/a' }, 400, 'wref'],
      [{ wref: 'Room/none' }, 404, 'Room/none'],
      [{ atRepoSeq: 2 }, 404, 'Room/a'],
    ] as const) {
      const answer = await session('thing.diff', { ...WORLD, wref: 'Room/a', sinceRepoSeq: 0, ...input });
      expect([input, answer.status]).toEqual([input, status]);
      expect(JSON.stringify(JSON.parse(answer.body).error.data.cairn)).toContain(parameter);
    }
    const anonymous = caller(app);
    for (const repoName of ['world', 'nothing']) {
      const answer = await anonymous('thing.changes', { ...WORLD, repoName, sinceRepoSeq: 0 });
      expect([answer.status, answer.message]).toEqual([
        404,
        'The repository does not exist, or you may not see it. Check the name.',
      ]);
    }
  });
});
