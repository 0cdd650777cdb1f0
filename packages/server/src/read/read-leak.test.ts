import { describe, expect, it } from 'vitest';
import { createSession } from '../../../../test/support/principal.ts';
import { caller } from '../../../../test/support/procedure.ts';
import { createOwnerToken, createTestApp, ownerIdOf } from '../../../../test/support/server.ts';
import { ENGINES } from '../../../../test/support/store.ts';
import type { Engine } from '../engine/database.ts';

const WORLD = { orgName: 'ada', repoName: 'world' };

async function prepare(engine: Engine, environment: Record<string, string> = {}) {
  const { app, store } = await createTestApp(engine, environment);
  await createOwnerToken(store);
  const { token } = await createSession(store, { accountId: await ownerIdOf(store) });
  const call = caller(app, token);
  for (const name of ['world', 'other']) (await call('repo.create', { orgName: 'ada', name })).data();
  const write = async (operations: object[], repoName = 'world') =>
    (await call('commit.submit', { orgName: 'ada', repoName, operations })).data();
  const getter =
    (bearer: string) =>
    async (path: string, headers: Record<string, string> = {}) => {
      const answer = await app.request(`/api/repos/ada/world${path}`, {
        headers: { authorization: `Bearer ${bearer}`, ...headers },
      });
      const body = await answer.text();
      const json = () => JSON.parse(body);
      return {
        status: answer.status,
        etag: answer.headers.get('etag') ?? '',
        body,
        json,
        names: () => json().items.map(({ wref }: { wref: string }) => wref),
      };
    };
  let made = 0;
  const mint = async (...scopes: object[]): Promise<string> =>
    (await call('token.create', { name: `t${++made}`, scopes } as never)).data().token;
  return { app, store, call, write, get: getter(token), mint, getter };
}
const reading = (resource: string, narrowing: object = {}) => ({ resource, permissions: ['repo:read'], ...narrowing });
const shape = (name: string, fields: object = {}) => ({ kind: 'shape', name, data: { fields } });
const decoded = (cursor: string) => JSON.parse(Buffer.from(cursor, 'base64url').subarray(32).toString());

describe.each(ENGINES)('reads that others would like to know more by, on %s', (engine) => {
  it('a hidden name does not show through a field that was a pointer once', async () => {
    const { write, mint, getter } = await prepare(engine);
    await write([
      shape('Secret'),
      shape('Note', { 'owner?': 'wref' }),
      { name: 'Secret/x', data: {} },
      { name: 'Note/a', data: { owner: 'Secret/x' } },
    ]);
    const narrowed = getter(await mint(reading('ada/world', { shapes: ['Note'] })));
    await write([{ operation: 'revise', ...shape('Note', { 'owner?': 'string' }) }]);
    for (const condition of ['owner:exists', 'owner:prefix:Secret', 'owner:eq:Secret/x@v1', 'owner:gte:S']) {
      expect.soft((await narrowed(`/query?shape=Note&where=${condition}`)).names(), condition).toEqual([]);
      expect.soft((await narrowed(`/query?shape=Note&count=true&where=${condition}`)).json().count, condition).toBe(0);
    }
    await write([{ operation: 'revise', ...shape('Note', { 'owner?': 'json' }) }]);
    expect.soft((await narrowed('/query?shape=Note&where=owner:exists')).names()).toEqual([]);
  });
  it('a narrowed token filters by a shape whose definition points to a hidden one', async () => {
    const { write, mint, getter } = await prepare(engine);
    await write([
      shape('Secret'),
      shape('Note', { 'owner?': { type: 'wref', shape: 'Secret' }, 'n?': 'number' }),
      { name: 'Note/a', data: { n: 1 } },
    ]);
    const answer = await getter(await mint(reading('ada/world', { shapes: ['Note'] })))(
      '/query?shape=Note&where=n:eq:1',
    );
    expect(answer.status, answer.body).toBe(200);
  });
  it('a cursor does not tell that hidden records of another repository refer to the record', async () => {
    const { write, mint, getter } = await prepare(engine);
    await write([
      shape('P'),
      { name: 'P/x', data: {} },
      shape('C'),
      { name: 'C/1', about: 'P/x', data: {} },
      { name: 'C/2', about: 'P/x', data: {} },
    ]);
    const get = getter(await mint(reading('ada/world'), reading('ada/other', { refs: ['Open/**'] })));
    const before = decoded((await get('/about/P%2Fx?acrossRepos=true&limit=1')).json().nextCursor);
    await write([shape('Hidden'), { name: 'Hidden/1', about: 'wh:ada/world/P/x', data: {} }], 'other');
    expect(decoded((await get('/about/P%2Fx?acrossRepos=true&limit=1')).json().nextCursor)).toEqual(before);
  });
  it('acrossRepos lists each record once, and those of the target’s own repository', async () => {
    const { write, get } = await prepare(engine);
    await write(
      [shape('P'), { name: 'P/x', data: {} }, shape('C'), { name: 'C/home', about: 'P/x', data: {} }],
      'other',
    );
    await write([shape('C'), { name: 'C/1', about: 'wh:ada/other/P/x', data: {} }]);
    const path = `/about/${encodeURIComponent('wh:ada/other/P/x')}?acrossRepos=true`;
    expect.soft((await get(path)).names()).toEqual(['C/1', 'wh:ada/other/C/home']);
    expect.soft((await get(`${path}&count=true`)).json().count).toBe(2);
  });
  it('no tag on answers that depend on another repository', async () => {
    const { write, get, mint, getter } = await prepare(engine);
    await write([shape('P'), { name: 'P/x', data: {} }], 'other');
    await write([
      shape('N', { 'p?': 'wref' }),
      { name: 'N/1', data: { p: 'wh:ada/other/P/x' } },
      { name: 'N/2', about: 'wh:ada/other/P/x', data: {} },
    ]);
    const narrowed = getter(
      await mint(reading('ada/world', { shapes: ['N'] }), reading('ada/other', { refs: ['P/x'] })),
    );
    const requests = [
      [get, '/query?shape=N&where=p:eq:wh:ada/other/P/x'],
      [get, `/about/${encodeURIComponent('wh:ada/other/P/x')}`],
      [narrowed, '/query?shape=N&where=p:exists&count=true'],
      [narrowed, '/query?shape=N&where=p:exists:false&kind=thing'],
    ] as const;
    const before = [];
    for (const [ask, path] of requests) before.push(await ask(path));
    await write([{ operation: 'rename', name: 'P/x', newName: 'P/y' }], 'other');
    for (const [index, [ask, path]] of requests.entries()) {
      const { etag, body } = before[index] ?? { etag: '', body: '' };
      expect.soft((await ask(path)).body, path).not.toBe(body);
      expect.soft((await ask(path, { 'if-none-match': etag })).status, path).not.toBe(304);
    }
  });
  it('U+0000 in shape and in field names is no fault of the server', async () => {
    const { write, get, call } = await prepare(engine);
    expect.soft((await get('/head?shape=%00')).status).toBeLessThan(500);
    expect.soft((await call('thing.count', { ...WORLD, shape: 'a\u0000' })).status).toBeLessThan(500);
    await write([
      shape('S', { 'a\u0000b?': 'number', 'a\u0000bs?': 'string' }),
      { name: 'S/1', data: { 'a\u0000b': 1, 'a\u0000bs': 'x' } },
    ]);
    const found = async (fieldPath: string, rhs: unknown) =>
      (await call('thing.query', { ...WORLD, shape: 'S', where: [{ fieldPath, op: 'eq', rhs }] })).body;
    expect.soft(await found('a\u0000b', 1)).toContain('U+0000');
    expect.soft(await found('a\u0000bs', 'x')).toContain('U+0000');
  });
  it('collections count that contain the version asked about', async () => {
    const { write, get } = await prepare(engine);
    await write([shape('P', { 'n?': 'number' }), shape('C'), { name: 'P/x', data: {} }, { name: 'P/y', data: {} }]);
    await write([
      { operation: 'revise', name: 'P/x', data: { n: 2 } },
      { kind: 'collection', type: 'set', name: 'two', members: ['P/x', 'P/y'] },
      { name: 'C/two', about: 'Set/two', data: {} },
    ]);
    expect((await get(`/about/${encodeURIComponent('P/x@v1')}?resolveCollections=true`)).names()).toEqual([]);
  });
  it('If-None-Match: * does not turn refusals into 304', async () => {
    const { write, get } = await prepare(engine);
    await write([shape('N')]);
    for (const path of [
      '/about/N%2Fmissing',
      '/head?atRepoSeq=99',
      '/head?cursor=xx',
      '/head?shape=N&where=zz:exists',
    ]) {
      expect.soft((await get(path, { 'if-none-match': '*' })).status, path).toBeGreaterThanOrEqual(400);
    }
  });
  it('an answer across repositories has no more bytes than another', async () => {
    const { write, get } = await prepare(engine, { CAIRN_LIMIT_ANSWER_BYTES: '100000' });
    const claims = (about: string) => [1, 2].map((i) => ({ name: `C/${i}`, about, data: { t: 'y'.repeat(40_000) } }));
    await write([shape('P'), { name: 'P/x', data: {} }, shape('C', { t: 'string' }), ...claims('P/x')]);
    await write([shape('C', { t: 'string' }), ...claims('wh:ada/world/P/x')], 'other');
    expect((await get('/about/P%2Fx?acrossRepos=true')).json().items.length).toBe(2);
  });
  it('a cursor of references does not count hidden ones', async () => {
    const { app, write, mint } = await prepare(engine);
    const pointers = { 'a?': 'wref', 'b?': 'wref', 'c?': 'wref' };
    await write([
      shape('N', pointers),
      shape('H'),
      { name: 'H/x', data: {} },
      { name: 'N/t', data: {} },
      { name: 'N/1', data: { a: 'H/x', b: 'N/t', c: 'N/t' } },
      { name: 'N/2', data: { a: null, b: 'N/t', c: 'N/t' } },
    ]);
    const narrowed = caller(app, await mint(reading('ada/world', { shapes: ['N'] })));
    const place = async (wref: string) =>
      decoded((await narrowed('thing.refs', { ...WORLD, wref, direction: 'out', limit: 1 })).data().nextCursor ?? '');
    expect(await place('N/1')).toEqual(await place('N/2'));
  });
  it('what was hidden before is added, in changes as in diff', async () => {
    const { app, write, mint } = await prepare(engine);
    await write([shape('N'), { name: 'N/secret', data: {} }]);
    await write([{ operation: 'rename', name: 'N/secret', newName: 'N/open' }]);
    const narrowed = caller(app, await mint(reading('ada/world', { refs: ['N/open*'] })));
    expect.soft((await narrowed('thing.diff', { ...WORLD, wref: 'N/open', sinceRepoSeq: 1 })).data().before).toBeNull();
    const [change] = (await narrowed('thing.changes', { ...WORLD, sinceRepoSeq: 1 })).data().items;
    expect.soft(change).toMatchObject({ change: 'added' });
    expect.soft(change).not.toHaveProperty('versionBefore');
  });
  it('a bad cursor is refused with count, and a number without end', async () => {
    const { write, get } = await prepare(engine);
    await write([shape('N', { 'n?': 'number' })]);
    expect.soft((await get('/head?count=true&cursor=garbage')).status).toBe(400);
    expect.soft((await get('/head?shape=N&where=n:lt:1e999')).status).toBe(400);
    expect.soft((await get('/head?atRepoSeq=99')).json().error.message).toContain('atRepoSeq');
    expect.soft((await get('/head?match=N//a')).json().error.message).toContain('match');
  });
});
