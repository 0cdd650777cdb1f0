// References as a list and as a graph: in both directions, at any sequence, across repositories, page by page.
import type { ScopeEntry } from '@cairn/protocol/account';
import { beforeEach, describe, expect, it } from 'vitest';
import { createSession } from '../../../../test/support/principal.ts';
import { type CallProcedure, caller } from '../../../../test/support/procedure.ts';
import { createOwnerToken, createTestApp, ownerIdOf, type TestApp } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';

const WORLD = { orgName: 'ada', repoName: 'world' };
const OTHER = { orgName: 'ada', repoName: 'other' };
const FIELDS = { 'to?': 'wref', 'links?': ['wref'] };

const to = (...names: readonly string[]) => ({ links: names });

describe.each(UPPER_ENGINES)('references on %s', (engine) => {
  let app: TestApp['app'];
  let session: CallProcedure;
  let made = 0;

  const write = async (operations: readonly object[], address = WORLD) =>
    (await session('commit.submit', { ...address, operations: [...operations] })).data().repoSeq;
  const withScopes = async (...scopes: ScopeEntry[]) =>
    caller(app, (await session('token.create', { name: `t${++made}`, scopes })).data().token);
  type RefsInput = Omit<Parameters<typeof session<'thing.refs'>>[1], 'orgName' | 'repoName'>;
  const refs = async (input: RefsInput, call = session, address = WORLD) =>
    (await call('thing.refs', { ...address, ...input })).data();
  const short = ({ items }: Awaited<ReturnType<typeof refs>>) =>
    items.map(
      ({ direction, role, path, wref, pinnedVersion }) => `${direction} ${role} ${path} ${wref} v${pinnedVersion}`,
    );
  const graph = async (
    input: Omit<Parameters<typeof session<'thing.graph'>>[1], 'orgName' | 'repoName'>,
    call = session,
  ) => (await call('thing.graph', { ...WORLD, ...input })).data();
  const shortGraph = ({ nodes, edges, truncated }: Awaited<ReturnType<typeof graph>>) => {
    const nameOf = (id: string) => nodes.find(({ durableId }) => durableId === id)?.wref;
    return {
      nodes: nodes.map(({ wref, distance }) => `${distance} ${wref}`),
      edges: edges.map((edge) => `${nameOf(edge.from)} ${edge.role}${edge.path} ${nameOf(edge.to)}`),
      truncated,
    };
  };

  beforeEach(async () => {
    const { app: made, store } = await createTestApp(engine);
    app = made;
    await createOwnerToken(store);
    session = caller(app, (await createSession(store, { accountId: await ownerIdOf(store) })).token);
    for (const { orgName, repoName } of [WORLD, OTHER]) {
      (await session('repo.create', { orgName, name: repoName })).data();
      for (const name of ['Room', 'Note']) await session('shape.create', { orgName, repoName, name, fields: FIELDS });
    }
  });

  it('are listed both ways, by path, then by role, record and path', async () => {
    await write([
      { name: 'Room/a', data: {} },
      { name: 'Room/b', data: {} },
    ]);
    await write([
      { name: 'Room/c', about: 'Room/a', data: { to: 'Room/b', ...to('Room/a', 'Room/b') } },
      { type: 'arc', name: 'Arc/x', members: ['Room/c', 'Room/a'] },
      { type: 'list', name: 'List/l', members: ['Room/c', 'Room/c'] },
      { name: 'Note/n', about: 'Room/c', data: {} },
    ]);
    await write([{ operation: 'revise', name: 'Room/b', data: { to: 'Room/c' } }]);
    const all = [
      'out about  Room/a@v1 v1',
      'out field /links/0 Room/a@v1 v1',
      'out field /links/1 Room/b@v1 v1',
      'out field /to Room/b@v1 v1',
      'in about  Note/n@v1 v1',
      'in field /to Room/b@v2 v1',
      'in from /from Arc/x@v1 v1',
      'in items /items/0 List/l@v1 v1',
      'in items /items/1 List/l@v1 v1',
    ];
    expect(short(await refs({ wref: 'Room/c' }))).toEqual(all);
    expect(short(await refs({ wref: 'Room/c', direction: 'out' }))).toEqual(all.slice(0, 4));
    expect(short(await refs({ wref: 'Room/c', direction: 'in', role: 'items' }))).toEqual(all.slice(7));
    expect(short(await refs({ wref: 'Room/c', role: 'about' }))).toEqual([all[0], all[4]]);
    expect((await refs({ wref: 'Room/c', atRepoSeq: 4 })).items).toHaveLength(8);
    for (const limit of [1, 2, 4, 5, 500]) {
      const pages: string[] = [];
      for (let cursor: string | undefined; ; ) {
        const page = await refs({ wref: 'Room/c', limit, ...(cursor !== undefined && { cursor }) });
        pages.push(...short(page));
        cursor = page.nextCursor;
        if (cursor === undefined) break;
        expect(page.items).toHaveLength(limit);
      }
      expect(pages).toEqual(all);
    }
  });

  it('are those of a version where the wref names one', async () => {
    await write([
      { name: 'Room/a', data: {} },
      { name: 'Room/b', data: {} },
    ]);
    await write([
      { name: 'Room/c', data: { to: 'Room/a' } },
      { name: 'Room/d', data: { to: 'Room/c@v1' } },
    ]);
    await write([
      { operation: 'revise', name: 'Room/c', data: { to: 'Room/b' } },
      { name: 'Room/e', data: { to: 'Room/c' } },
    ]);
    expect(short(await refs({ wref: 'Room/c@v1' }))).toEqual([
      'out field /to Room/a@v1 v1',
      'in field /to Room/d@v1 v1',
    ]);
    expect(short(await refs({ wref: 'Room/c@v2' }))).toEqual([
      'out field /to Room/b@v1 v1',
      'in field /to Room/e@v1 v2',
    ]);
    expect(short(await refs({ wref: 'Room/c', direction: 'in' }))).toHaveLength(2);
    expect(short(await refs({ wref: 'Room/a', direction: 'in' }))).toEqual([]);
    expect(short(await refs({ wref: 'Room/a', direction: 'in', atRepoSeq: 4 }))).toEqual(['in field /to Room/c@v1 v1']);
  });

  it('follow renames, and leave retracted records out until they come back', async () => {
    await write([{ name: 'Room/a', data: {} }]);
    await write([{ name: 'Note/n', about: 'Room/a', data: {} }]);
    const before = await write([{ operation: 'rename', name: 'Note/n', newName: 'Note/m' }]);
    await write([{ operation: 'rename', kind: 'shape', name: 'Note', newName: 'Memo' }]);
    await write([{ operation: 'rename', name: 'Room/a', newName: 'Room/z' }]);
    expect(short(await refs({ wref: 'Room/z' }))).toEqual(['in about  Memo/m@v1 v1']);
    expect(short(await refs({ wref: 'Memo/m' }))).toEqual(['out about  Room/z@v1 v1']);
    expect(short(await refs({ wref: 'Note/m', atRepoSeq: before }))).toEqual(['out about  Room/a@v1 v1']);
    await write([{ operation: 'retract', name: 'Memo/m' }]);
    expect(short(await refs({ wref: 'Room/z' }))).toEqual([]);
    expect(short(await refs({ wref: 'Memo/m' }))).toEqual(['out about  Room/z@v1 v1']);
    await write([{ operation: 'revise', name: 'Memo/m', data: {} }]);
    expect(short(await refs({ wref: 'Room/z' }))).toEqual(['in about  Memo/m@v3 v1']);
  });

  it('come from other repositories that the caller may read, in one snapshot', async () => {
    await write([
      { name: 'Room/a', data: {} },
      { name: 'Note/n', about: 'Room/a', data: {} },
    ]);
    const target = 'wh:ada/world/Room/a';
    const far = (name: string) => ({ name, data: { to: target } });
    await write([far('Note/x'), far('Note/y'), far('Note/z')], OTHER);
    expect(short(await refs({ wref: 'Room/a' }))).toEqual(['in about  Note/n@v1 v1']);
    const wanted = [
      'in about  Note/n@v1 v1',
      ...['x', 'y', 'z'].map((name) => `in field /to wh:ada/other/Note/${name}@v1 v1`),
    ];
    const first = await refs({ wref: 'Room/a', acrossRepos: true, limit: 1 });
    await write(
      [
        far('Note/w'),
        { operation: 'retract', name: 'Note/y' },
        { operation: 'rename', name: 'Note/z', newName: 'Note/q' },
      ],
      OTHER,
    );
    await write([{ name: 'Note/m', about: 'Room/a', data: {} }]);
    const read = [...short(first)];
    for (let cursor = first.nextCursor; cursor !== undefined; ) {
      const page = await refs({ wref: 'Room/a', acrossRepos: true, limit: 1, cursor });
      read.push(...short(page));
      cursor = page.nextCursor;
    }
    expect(read).toEqual(wanted);
    const seen = await refs({ wref: target, acrossRepos: true, role: 'field' }, session, OTHER);
    expect(short(seen).map((line) => line.split(' ')[3])).toEqual(['Note/x@v1', 'Note/q@v1', 'Note/w@v1']);
    const only = await withScopes({ resource: 'ada/world', permissions: ['repo:read'] });
    expect(short(await refs({ wref: 'Room/a', acrossRepos: true }, only))).toEqual([
      'in about  Note/n@v1 v1',
      'in about  Note/m@v1 v1',
    ]);
    // A cursor of an authorized caller is useless to others.
    const theirs = await refs({ wref: 'Room/a', acrossRepos: true, limit: 3 });
    expect(
      (await refs({ wref: 'Room/a', acrossRepos: true, limit: 3, cursor: String(theirs.nextCursor) }, only)).items,
    ).toEqual([]);
  });

  it('come from more repositories than a cursor notes at once', async () => {
    const repositories = Array.from({ length: 103 }, (_, index) => ({ orgName: 'ada', repoName: `r${index}` }));
    await write([{ name: 'Room/a', data: {} }]);
    for (const { orgName, repoName } of repositories) {
      (await session('repo.create', { orgName, name: repoName })).data();
      const shape = { operation: 'add', kind: 'shape', name: 'Note', data: { fields: FIELDS } };
      await write([shape, { name: 'Note/n', data: { to: 'wh:ada/world/Room/a' } }], { orgName, repoName });
    }
    const read: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await refs({
        wref: 'Room/a',
        acrossRepos: true,
        limit: 40,
        ...(cursor !== undefined && { cursor }),
      });
      read.push(...page.items.map(({ wref }) => wref));
      cursor = page.nextCursor;
      if (cursor === undefined) break;
      expect([page.items.length, cursor.length < 4_096]).toEqual([40, true]);
    }
    expect(read).toEqual(repositories.map(({ repoName }) => `wh:ada/${repoName}/Note/n@v1`));
    const all = await refs({ wref: 'Room/a', acrossRepos: true, limit: 500 });
    expect(all.items.map(({ wref }) => wref)).toEqual(read);
  });

  it('are hidden from narrowed tokens at either end, and in cursors', async () => {
    await write([
      { name: 'Room/open', data: {} },
      { name: 'Room/secret', data: {} },
    ]);
    await write([
      { name: 'Note/a', about: 'Room/open', data: to('Room/open', 'Room/secret', 'Room/open') },
      { name: 'Room/secret2', data: { to: 'Note/a' } },
    ]);
    await write([{ name: 'Room/far-secret', data: { to: 'wh:ada/world/Note/a' } }], OTHER);
    const call = await withScopes(
      { resource: 'ada/world', permissions: ['repo:read'], refs: ['Note/**', 'Room/open'] },
      { resource: 'ada/other', permissions: ['repo:read'], refs: ['Note/**'] },
    );
    const page = await refs({ wref: 'Note/a', acrossRepos: true, limit: 1 }, call);
    const place = Buffer.from(String(page.nextCursor), 'base64url').subarray(32).toString();
    expect(JSON.parse(place)).toEqual([4, '', 0, '']);
    const all = await call('thing.refs', { ...WORLD, wref: 'Note/a', acrossRepos: true });
    expect(short(all.data())).toEqual([
      'out about  Room/open@v1 v1',
      'out field /links/0 Room/open@v1 v1',
      'out field /links/2 Room/open@v1 v1',
    ]);
    expect(all.body).not.toContain('secret');
    const hidden = await call('thing.refs', { ...WORLD, wref: 'Room/secret' });
    const missing = await call('thing.refs', { ...WORLD, wref: 'Room/nobody' });
    expect([hidden.status, hidden.body]).toEqual([404, missing.body.replaceAll('nobody', 'secret')]);
    const seen = await call('thing.graph', { ...WORLD, wref: 'Note/a' });
    expect(seen.body).not.toContain('secret');
    expect(shortGraph(seen.data())).toEqual({
      nodes: ['0 Note/a', '1 Room/open'],
      edges: ['Note/a about Room/open', 'Note/a field/links/0 Room/open', 'Note/a field/links/2 Room/open'],
      truncated: false,
    });
    await write([{ operation: 'retract', name: 'Room/secret' }]);
    const withRetracted = await call('thing.graph', { ...WORLD, wref: 'Note/a', includeRetracted: true });
    expect(shortGraph(withRetracted.data())).toEqual(shortGraph(seen.data()));
    expect((await call('thing.graph', { ...WORLD, wref: 'Room/secret', includeRetracted: true })).status).toBe(404);
  });

  it('that are very many cost a page no more than it holds, and skip what was given up', async () => {
    await write([
      { name: 'Room/hub', data: {} },
      { name: 'Room/last', data: {} },
    ]);
    const count = 2_600;
    const operations = Array.from({ length: count }, (_, index) => ({
      name: `Note/${index}`,
      data: { to: 'Room/hub' },
    }));
    await write(operations);
    await write(operations.slice(0, count - 3).map(({ name }) => ({ operation: 'retract', name })));
    await write(operations.slice(-1).map(({ name }) => ({ operation: 'revise', name, data: {} })));
    const page = await refs({ wref: 'Room/hub' });
    expect(short(page)).toEqual(['in field /to Note/2597@v1 v1', 'in field /to Note/2598@v1 v1']);
    expect(page.nextCursor).toBeUndefined();
    const before = await graph({ wref: 'Room/hub', limit: 4, atRepoSeq: 4 });
    expect(shortGraph(before)).toMatchObject({
      nodes: ['0 Room/hub', '1 Note/0', '1 Note/1', '1 Note/2'],
      truncated: true,
    });
    expect(shortGraph(await graph({ wref: 'Room/hub', limit: 3 })).nodes).toHaveLength(3);
    expect((await graph({ wref: 'Room/hub', limit: 3 })).truncated).toBe(false);
    expect((await graph({ wref: 'Room/hub', limit: 2 })).truncated).toBe(true);
  });

  it('make a graph, breadth first, each reference once', async () => {
    await write([
      { name: 'Room/a', data: {} },
      { name: 'Room/b', data: { to: 'Room/a' } },
      { name: 'Room/c', data: { to: 'Room/b', ...to('Room/a') } },
      { name: 'Room/d', data: { to: 'Room/c' } },
      { name: 'Note/n', about: 'Room/a', data: {} },
    ]);
    await write([{ name: 'Room/x', data: { to: 'wh:ada/world/Room/a' } }], OTHER);
    await write([{ operation: 'revise', name: 'Room/a', data: { to: 'wh:ada/other/Room/x' } }]);
    const all = shortGraph(await graph({ wref: 'Room/a', depth: 5 }));
    expect(all).toEqual({
      nodes: ['0 Room/a', '1 Room/b', '1 Room/c', '1 Note/n', '2 Room/d'],
      edges: [
        'Room/b field/to Room/a',
        'Room/c field/links/0 Room/a',
        'Room/c field/to Room/b',
        'Note/n about Room/a',
        'Room/d field/to Room/c',
      ],
      truncated: false,
    });
    expect(shortGraph(await graph({ wref: 'Room/a', depth: 1 })).nodes).toEqual(all.nodes.slice(0, 4));
    expect(shortGraph(await graph({ wref: 'Room/d', direction: 'out' })).nodes).toEqual([
      '0 Room/d',
      '1 Room/c',
      '2 Room/a',
      '2 Room/b',
    ]);
    expect(shortGraph(await graph({ wref: 'Room/d', direction: 'in' })).nodes).toEqual(['0 Room/d']);
    expect(shortGraph(await graph({ wref: 'Room/a', limit: 1 }))).toEqual({
      nodes: ['0 Room/a'],
      edges: [],
      truncated: true,
    });
    await write([{ operation: 'retract', name: 'Room/c' }]);
    expect(shortGraph(await graph({ wref: 'Room/a', depth: 5 })).nodes).toEqual(['0 Room/a', '1 Room/b', '1 Note/n']);
    expect(shortGraph(await graph({ wref: 'Room/a', depth: 5, atRepoSeq: 4 })).nodes).toHaveLength(5);
    const retracted = await session('thing.graph', { ...WORLD, wref: 'Room/c' });
    expect([retracted.status, retracted.body.includes('It is retracted')]).toEqual([404, true]);
  });

  it('lead a graph to what is retracted only where that is asked for, and never on from it', async () => {
    await write([
      { name: 'Room/a', data: {} },
      { name: 'Room/b', data: { to: 'Room/a' } },
      { name: 'Room/c', data: { to: 'Room/b' } },
      { name: 'Note/gone', about: 'Room/c', data: { to: 'Room/b' } },
    ]);
    await write([
      { operation: 'retract', name: 'Room/b' },
      { operation: 'retract', name: 'Note/gone' },
    ]);
    expect(shortGraph(await graph({ wref: 'Room/c', depth: 5 })).nodes).toEqual(['0 Room/c']);
    const withIt = await graph({ wref: 'Room/c', depth: 5, includeRetracted: true });
    expect(shortGraph(withIt)).toEqual({
      nodes: ['0 Room/c', '1 Room/b'],
      edges: ['Room/c field/to Room/b'],
      truncated: false,
    });
    expect(withIt.nodes.map(({ active }) => active)).toEqual([true, false]);
    const fromIt = shortGraph(await graph({ wref: 'Room/b', includeRetracted: true }));
    expect(fromIt).toEqual({ nodes: ['0 Room/b', '1 Room/c'], edges: ['Room/c field/to Room/b'], truncated: false });
    const before = shortGraph(await graph({ wref: 'Room/c', depth: 5, includeRetracted: true, atRepoSeq: 3 }));
    expect(before.nodes).toEqual(['0 Room/c', '1 Room/b', '1 Note/gone', '2 Room/a']);
  });

  it("of a private repository are nobody else's", async () => {
    await write([{ name: 'Room/a', data: {} }]);
    const anonymous = caller(app);
    for (const name of ['thing.refs', 'thing.graph'] as const) {
      const hidden = await anonymous(name, { ...WORLD, wref: 'Room/a' });
      const missing = await anonymous(name, { ...WORLD, repoName: 'nothing', wref: 'Room/a' });
      expect([hidden.status, hidden.body]).toEqual([404, missing.body]);
    }
    (await session('repo.setVisibility', { ...OTHER, visibility: 'public' })).data();
    await write([{ name: 'Room/b', data: {} }], OTHER);
    await write([{ name: 'Room/c', data: { to: 'wh:ada/other/Room/b' } }]);
    const seen = await anonymous('thing.refs', { ...OTHER, wref: 'Room/b', acrossRepos: true });
    expect(seen.data().items).toEqual([]);
    expect(short(await refs({ wref: 'Room/b', acrossRepos: true }, session, OTHER))).toEqual([
      'in field /to wh:ada/world/Room/c@v1 v1',
    ]);
  });

  it('are asked for with good parameters, or the bad one is named', async () => {
    await write([
      { name: 'Room/a', data: {} },
      { name: 'Note/n', about: 'Room/a', data: { to: 'Room/a' } },
    ]);
    const { nextCursor = '' } = await refs({ wref: 'Room/a', limit: 1 });
    expect(nextCursor).not.toBe('');
    const bad: [Record<string, unknown>, string][] = [
      [{ role: 'friend' }, 'role'],
      [{ atRepoSeq: 99 }, 'atRepoSeq'],
      [{ acrossRepos: true, atRepoSeq: 1 }, 'atRepoSeq'],
      [{ wref: 'Room/a@ALL' }, 'wref'],
      [{ wref: 'Room/a@v0' }, 'wref'],
      [{ direction: 'up' }, 'direction'],
      [{ limit: 0 }, 'limit'],
      [{ cursor: 'nonsense' }, 'cursor'],
      [{ cursor: nextCursor, role: 'about' }, 'cursor'],
      [{ cursor: nextCursor, direction: 'in' }, 'cursor'],
      [{ cursor: nextCursor, wref: 'Note/n' }, 'cursor'],
      [{ cursor: nextCursor, acrossRepos: true }, 'cursor'],
    ];
    for (const [input, parameter] of bad) {
      const answer = await session('thing.refs', { ...WORLD, wref: 'Room/a', ...input } as never);
      expect([input, answer.status, answer.code]).toEqual([input, 400, 'VALIDATION_ERROR']);
      expect(JSON.stringify(JSON.parse(answer.body).error.data.cairn)).toContain(parameter);
    }
    const elsewhere = await session('thing.refs', { ...OTHER, wref: 'wh:ada/world/Room/a', cursor: nextCursor });
    expect(elsewhere.code).toBe('VALIDATION_ERROR');
    for (const input of [
      { depth: 6 },
      { depth: 0 },
      { limit: 501 },
      { wref: 'Room/a@v1' },
      { wref: 'Room/a@ALL' },
      { atRepoSeq: 99 },
    ]) {
      const answer = await session('thing.graph', { ...WORLD, wref: 'Room/a', ...input });
      expect([input, answer.status]).toEqual([input, 400]);
      expect(answer.body).toContain(Object.keys(input)[0]);
    }
    expect((await session('thing.graph', { ...WORLD, wref: 'Room/none' })).status).toBe(404);
    expect((await session('thing.refs', { ...WORLD, wref: 'Room/a@v9' })).status).toBe(404);
  });
});
