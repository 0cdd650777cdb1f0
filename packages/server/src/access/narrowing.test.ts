// The view of a narrowed token, by examples. narrowing.property.test.ts checks that it never sees anything else.
import type { ScopeEntry } from '@cairn/protocol/account';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { createSession } from '../../../../test/support/principal.ts';
import { type CallProcedure, caller } from '../../../../test/support/procedure.ts';
import { createOwnerToken, createTestApp, ownerIdOf } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';

const WORLD = { orgName: 'ada', repoName: 'world' };
const MOON = { orgName: 'ada', repoName: 'moon' };

async function prepare(engine: (typeof UPPER_ENGINES)[number]) {
  const { app, store } = await createTestApp(engine);
  await createOwnerToken(store);
  const session = caller(app, (await createSession(store, { accountId: await ownerIdOf(store) })).token);
  for (const name of ['world', 'moon']) await session('repo.create', { orgName: 'ada', name });
  const submit = async (operations: object[], message = '', extra: object = {}) =>
    (await session('commit.submit', { ...WORLD, operations, message, ...extra })).data();
  await session('shape.create', { ...MOON, name: 'Crater', fields: {} });
  await session('commit.submit', {
    ...MOON,
    operations: [
      { name: 'Crater/c', data: {} },
      { name: 'Crater/d', data: {} },
    ],
  });
  for (const [name, fields] of [
    ['Signal', { 'x?': 'number', 'from?': 'wref', 'all?': { type: 'array', items: 'wref' } }],
    ['Secret', { 'x?': 'number' }],
  ] as const) {
    await session('shape.create', { ...WORLD, name, fields });
  }
  await submit([{ name: 'Secret/a', data: { x: 1 } }], 'a secret message');
  await submit(
    [
      { name: 'Signal/a', data: { x: 1, from: 'Secret/a', all: ['Secret/a', 'wh:ada/moon/Crater/c'] } },
      { name: 'Signal/b', data: { x: 2 } },
    ],
    'two signals',
  );
  await submit(
    [
      { name: 'Signal/c', about: 'Secret/a', data: {} },
      { name: 'Secret/b', data: {} },
    ],
    'a mixed message',
  );
  let tokens = 0;
  const tokenFor = async (entry: Partial<ScopeEntry>, by: CallProcedure = session) => {
    const scopes = [{ resource: 'ada/world', permissions: ['repo:read' as const], ...entry }];
    const made = await by('token.create', { name: `t${tokens++}`, scopes });
    return caller(app, made.data().token);
  };
  return { app, session, submit, tokenFor };
}

const namesIn = (items: readonly (object | null)[]) =>
  items.map((item) => (item !== null && 'name' in item ? item.name : null));

describe.each(UPPER_ENGINES)('a narrowed token on %s', (engine) => {
  it(
    verifies('for refs reads the records that they match, and no others', '5/narrow-refs', '5/narrow-refs-limits'),
    async () => {
      const { tokenFor } = await prepare(engine);
      const call = await tokenFor({ refs: ['Signal/a', 'Signal/c*'] });
      const wrefs = ['Signal/a', 'Signal/b', 'Signal/c', 'Secret/a', 'Signal', 'Secret', 'Signal/zz'];
      const { items } = (await call('thing.getMany', { ...WORLD, wrefs })).data();
      expect(namesIn(items)).toEqual(['Signal/a', null, 'Signal/c', null, 'Signal', null, null]);
      const hidden = await call('thing.get', { ...WORLD, wref: 'Secret/a' });
      const missing = await call('thing.get', { ...WORLD, wref: 'Secret/z' });
      expect([hidden.status, hidden.body]).toEqual([404, missing.body.replaceAll('Secret/z', 'Secret/a')]);
    },
  );

  it(
    verifies('for shapes reads the records of these, and no others', '5/narrow-shapes', '5/narrow-shapes-limits'),
    async () => {
      const { tokenFor, session } = await prepare(engine);
      const call = await tokenFor({ shapes: ['Signal'] });
      const wrefs = ['Signal/a', 'Signal/b', 'Secret/a', 'Signal', 'Secret'];
      const read = async () => namesIn((await call('thing.getMany', { ...WORLD, wrefs })).data().items);
      expect(await read()).toEqual(['Signal/a', 'Signal/b', null, 'Signal', null]);
      expect(namesIn((await call('shape.list', WORLD)).data().items)).toEqual(['Signal']);
      await session('shape.rename', { ...WORLD, name: 'Signal', newName: 'Beep' });
      await session('shape.rename', { ...WORLD, name: 'Secret', newName: 'Signal' });
      expect(await read()).toEqual([null, null, null, null, null]);
      expect((await call('thing.get', { ...WORLD, wref: 'Beep/a' })).status).toBe(200);
    },
  );

  it('must satisfy refs and shapes, by the name of now and of then', async () => {
    const { tokenFor, submit } = await prepare(engine);
    const both = await tokenFor({ refs: ['**'], shapes: ['Secret'] });
    expect((await both('thing.get', { ...WORLD, wref: 'Signal/a' })).status).toBe(404);
    const call = await tokenFor({ refs: ['Signal/open/**'] });
    const { repoSeq } = await submit([{ operation: 'rename', name: 'Signal/b', newName: 'Signal/open/b' }]);
    expect((await call('thing.get', { ...WORLD, wref: 'Signal/open/b' })).status).toBe(200);
    expect((await call('thing.get', { ...WORLD, wref: 'Signal/b', atRepoSeq: repoSeq - 1 })).status).toBe(404);
    await submit([{ operation: 'rename', name: 'Signal/open/b', newName: 'Signal/closed' }]);
    expect((await call('thing.get', { ...WORLD, wref: 'Signal/open/b', atRepoSeq: repoSeq })).status).toBe(404);
  });

  it('reads null for a pointer to what is hidden', async () => {
    const { tokenFor, app, session } = await prepare(engine);
    const call = await tokenFor({ refs: ['Signal/**'] });
    const a = (await call('thing.get', { ...WORLD, wref: 'Signal/a' })).data();
    expect(a.data).toEqual({ x: 1, from: null, all: [null, null] });
    expect([a.refs, a.dataHash]).toEqual([[], undefined]);
    const c = await call('thing.get', { ...WORLD, wref: 'Signal/c' });
    expect(c.data().aboutWref).toBe(null);
    expect(c.data().aboutDurableId).toBeUndefined();
    expect(c.body).not.toContain('Secret');
    const scopes: ScopeEntry[] = [
      { resource: 'ada/world', permissions: ['repo:read'], refs: ['Signal/**'] },
      { resource: 'ada/moon', permissions: ['repo:read'], refs: ['Crater/c'] },
    ];
    const { token } = (await session('token.create', { name: 'both', scopes })).data();
    const seen = (await caller(app, token)('thing.get', { ...WORLD, wref: 'Signal/a' })).data();
    expect(seen.data).toEqual({ x: 1, from: null, all: [null, 'wh:ada/moon/Crater/c@v1'] });
    const unlike: ScopeEntry[] = [
      { resource: 'ada/world', permissions: ['repo:read'] },
      { resource: 'ada/moon', permissions: ['repo:read'], refs: ['Crater/d'] },
    ];
    const other = (await session('token.create', { name: 'unlike', scopes: unlike })).data().token;
    const partly = (await caller(app, other)('thing.get', { ...WORLD, wref: 'Signal/a' })).data();
    expect(partly.data).toEqual({ x: 1, from: 'Secret/a@v1', all: ['Secret/a@v1', null] });
  });

  it('sees of commits what it may see of their records', async () => {
    const { tokenFor } = await prepare(engine);
    const call = await tokenFor({ refs: ['Signal/**'] });
    const log = await call('commit.log', WORLD);
    expect(
      log.data().items.map(({ message, operationCount, commitId }) => [message, operationCount, commitId === null]),
    ).toEqual([
      [null, 1, true],
      ['two signals', 2, true],
      ['', 1, true],
    ]);
    expect(log.body).not.toMatch(/secret|mixed/);
    const mixed = (await call('commit.get', { ...WORLD, repoSeq: 5 })).data();
    expect(mixed.operations.map(({ name }) => name)).toEqual(['Signal/c']);
    const hidden = await call('commit.get', { ...WORLD, repoSeq: 3 });
    const missing = await call('commit.get', { ...WORLD, repoSeq: 99 });
    expect([hidden.status, hidden.body]).toEqual([404, missing.body.replaceAll('99', '3')]);
    const pages: string[] = [];
    let cursor: string | undefined;
    do {
      const page = (await call('commit.log', { ...WORLD, limit: 1, ...(cursor !== undefined && { cursor }) })).data();
      pages.push(...page.items.map(({ repoSeq }) => String(repoSeq)));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(pages).toEqual(['5', '4', '1']);
  });

  it('opens the repository to nobody', async () => {
    const { tokenFor, session, app } = await prepare(engine);
    const permissions = ['repo:read', 'repo:admin'] as const;
    const narrowed = await tokenFor({ permissions: [...permissions], refs: ['Signal/**'] });
    for (const visibility of ['public', 'private'] as const) {
      const { status, message } = await narrowed('repo.setVisibility', { ...WORLD, visibility });
      expect([status, message]).toEqual([403, expect.stringContaining('can see only part of the repository')]);
    }
    const blind = await tokenFor({ permissions: ['repo:admin'] });
    expect((await blind('repo.setVisibility', { ...WORLD, visibility: 'public' })).status).toBe(403);
    expect((await caller(app)('thing.get', { ...WORLD, wref: 'Signal/a' })).status).toBe(404);
    const whole = await tokenFor({ permissions: [...permissions] }, session);
    expect((await whole('repo.setVisibility', { ...WORLD, visibility: 'public' })).status).toBe(200);
  });

  it('is narrowed on a public repository too, by an entry that matches it', async () => {
    const { tokenFor, session, app } = await prepare(engine);
    await session('repo.setVisibility', { ...WORLD, visibility: 'public' });
    const call = await tokenFor({ refs: ['Signal/**'] });
    expect((await call('thing.get', { ...WORLD, wref: 'Secret/a' })).status).toBe(404);
    expect((await caller(app)('thing.get', { ...WORLD, wref: 'Secret/a' })).status).toBe(200);
    const writer = await tokenFor({ permissions: ['repo:write'] });
    expect((await writer('thing.get', { ...WORLD, wref: 'Secret/a' })).status).toBe(200);
    const elsewhere = await tokenFor({ resource: 'ada/moon', refs: ['Crater/c'] });
    expect((await elsewhere('thing.get', { ...WORLD, wref: 'Secret/a' })).status).toBe(200);
  });

  it('refers to no record of another repository that it may not read there', async () => {
    const { session, app } = await prepare(engine);
    const scopes: ScopeEntry[] = [
      { resource: 'ada/world', permissions: ['repo:write'] },
      { resource: 'ada/moon', permissions: ['repo:read'], refs: ['Crater/c'] },
    ];
    const { token } = (await session('token.create', { name: 'writer', scopes })).data();
    const add = async (name: string, from: string) =>
      await caller(app, token)('commit.submit', { ...WORLD, operations: [{ name, data: { from } }] });
    expect((await add('Signal/x', 'wh:ada/moon/Crater/c')).status).toBe(200);
    const hidden = await add('Signal/y', 'wh:ada/moon/Crater/d');
    const missing = await add('Signal/y', 'wh:ada/moon/Crater/z');
    expect([hidden.code, hidden.body]).toEqual(['TARGET_NOT_FOUND', missing.body.replaceAll('Crater/z', 'Crater/d')]);
    const { items } = (await session('thing.getMany', { ...MOON, wrefs: ['Crater/d'] })).data();
    const byId = await add('Signal/y', items[0]?.durableId ?? '');
    expect(byId.code).toBe('TARGET_NOT_FOUND');
  });

  it('learns of what it writes only what it sent', async () => {
    const { tokenFor } = await prepare(engine);
    const call = await tokenFor({ permissions: ['repo:read', 'repo:write'], refs: ['Signal/**'] });
    const renamed = (await call('thing.rename', { ...WORLD, name: 'Secret/a', newName: 'Secret/z' })).data();
    expect([renamed.name, renamed.data, renamed.dataHash]).toEqual(['Secret/z', null, undefined]);
    const same = (
      await call('commit.validate', {
        ...WORLD,
        operations: [{ operation: 'revise', name: 'Secret/z', data: { x: 1 } }],
      })
    ).data();
    expect(same.operations).toMatchObject([{ status: 'applied', version: 2 }]);
    const reader = await tokenFor({ refs: ['Signal/**'] });
    expect((await reader('commit.validate', { ...WORLD, operations: [{ name: 'Secret/z', data: {} }] })).code).toBe(
      'FORBIDDEN',
    );
  });
});
