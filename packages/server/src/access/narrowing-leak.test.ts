// Likely leaks to narrowed tokens: old names, hashes, messages and write answers.
import type { ScopeEntry } from '@cairn/protocol/account';
import { describe, expect, it } from 'vitest';
import { createSession } from '../../../../test/support/principal.ts';
import { type CallProcedure, caller } from '../../../../test/support/procedure.ts';
import { createOwnerToken, createTestApp, ownerIdOf } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';

const WORLD = { orgName: 'ada', repoName: 'world' };
const OTHER = { orgName: 'ada', repoName: 'other' };
const FIELDS = { 'x?': { type: 'number', indexed: true }, 'to?': 'wref' };

interface World {
  readonly session: CallProcedure;
  write(
    operations: readonly object[],
    options?: { message?: string; to?: typeof WORLD; committer?: string },
  ): Promise<void>;
  withScopes(...scopes: ScopeEntry[]): Promise<CallProcedure>;
}

async function prepare(engine: (typeof UPPER_ENGINES)[number]): Promise<World> {
  const { app, store } = await createTestApp(engine);
  const owner = caller(app, await createOwnerToken(store));
  const { token } = await createSession(store, { accountId: await ownerIdOf(store) });
  const session = caller(app, token);
  for (const { orgName, repoName } of [WORLD, OTHER]) {
    await owner('repo.create', { orgName, name: repoName });
    for (const name of ['Signal', 'Room']) await owner('shape.create', { orgName, repoName, name, fields: FIELDS });
  }
  let made = 0;
  return {
    session,
    write: async (operations, { to = WORLD, ...options } = {}) => {
      (await session('commit.submit', { ...to, operations: [...operations], ...options })).data();
    },
    withScopes: async (...scopes) => {
      const minted = (await session('token.create', { name: `t${++made}`, scopes })).data();
      return caller(app, minted.token);
    },
  };
}

const reading = (resource: string, narrowing: Partial<ScopeEntry> = {}): ScopeEntry => ({
  resource,
  permissions: ['repo:read'],
  ...narrowing,
});

describe.each(UPPER_ENGINES)('a narrowed token on %s', (engine) => {
  it('learns no name of before that is hidden, nor what is said about it', async () => {
    const { write, withScopes } = await prepare(engine);
    await write([{ name: 'Signal/secret', data: {} }]);
    await write([{ operation: 'rename', name: 'Signal/secret', newName: 'Signal/open/a' }], {
      message: 'no more secret',
    });
    await write([{ operation: 'rename', kind: 'shape', name: 'Room', newName: 'Hall' }], { message: 'Room is Hall' });
    const byName = await withScopes(reading('ada/world', { refs: ['Signal/open/**'] }));
    const byShape = await withScopes(reading('ada', { shapes: ['Hall'] }));
    for (const [call, repoSeq, hidden] of [
      [byName, 4, 'secret'],
      [byShape, 5, 'Room'],
    ] as const) {
      const { body } = await call('commit.get', { ...WORLD, repoSeq });
      expect(body).not.toContain(hidden);
      expect(JSON.parse(body).result.data).toMatchObject({ message: null, commitId: null, operationCount: 1 });
      expect((await call('commit.log', WORLD)).body).not.toContain(hidden);
    }
    for (const [call, wref, repoSeq] of [
      [byName, 'Signal/open/a', 4],
      [byShape, 'Hall', 5],
    ] as const) {
      const { items } = (await call('thing.names', { ...WORLD, wref })).data();
      expect(items).toMatchObject([{ name: wref, repoSeq }]);
    }
  });

  it('gets no pointer into another repository that says a hidden name of before', async () => {
    const { write, withScopes } = await prepare(engine);
    await write([{ name: 'Signal/secret', data: {} }], { to: OTHER });
    const to = 'wh:ada/other/Signal/secret';
    await write(
      [
        { name: 'Room/a', data: { to } },
        { name: 'Room/b', about: to, data: {} },
      ],
      { committer: to },
    );
    await write([{ operation: 'rename', name: 'Signal/secret', newName: 'Signal/open/a' }], { to: OTHER });
    const call = await withScopes(reading('ada/world'), reading('ada/other', { refs: ['Signal/open/**'] }));
    expect((await call('thing.get', { ...OTHER, wref: 'Signal/open/a' })).status).toBe(200);
    for (const wref of ['Room/a', 'Room/b']) {
      for (const name of ['thing.get', 'thing.history', 'thing.refs', 'thing.graph', 'thing.diff'] as const) {
        const since = name === 'thing.diff' && { sinceRepoSeq: 2 };
        const { status, body } = await call(name, { ...WORLD, wref, ...since } as never);
        expect([name, status, body.includes('secret')]).toEqual([name, 200, false]);
      }
    }
    expect((await call('commit.log', WORLD)).body).not.toContain('secret');
  });

  it('gets no hash of data that points to what is hidden elsewhere', async () => {
    const { write, withScopes } = await prepare(engine);
    await write([{ name: 'Signal/secret', data: {} }], { to: OTHER });
    await write([{ name: 'Room/a', data: { to: 'wh:ada/other/Signal/secret' } }]);
    const permissions: ScopeEntry['permissions'] = ['repo:read', 'repo:write'];
    const call = await withScopes(
      { ...reading('ada/world'), permissions },
      reading('ada/other', { refs: ['Room/**'] }),
    );
    const asked = [
      await call('thing.get', { ...WORLD, wref: 'Room/a' }),
      await call('commit.get', { ...WORLD, repoSeq: 3 }),
      await call('commit.validate', { ...WORLD, operations: [{ operation: 'retract', name: 'Room/a' }] }),
      await call('commit.submit', { ...WORLD, operations: [{ operation: 'retract', name: 'Room/a' }] }),
    ];
    for (const { status, body } of asked) expect([status, body.includes('dataHash')]).toEqual([200, false]);
  });

  it('sees a record under each name that one of its entries is for', async () => {
    const { write, withScopes } = await prepare(engine);
    await write([{ name: 'Signal/a', data: {} }]);
    await write([{ operation: 'rename', kind: 'shape', name: 'Signal', newName: 'Beep' }]);
    const asked = { ...WORLD, wref: 'Signal/a', atRepoSeq: 3 };
    for (const scopes of [
      [reading('ada', { shapes: ['Signal', 'Beep'] })],
      [reading('ada', { shapes: ['Signal'] }), reading('ada', { refs: ['Beep/**'] })],
    ]) {
      expect((await (await withScopes(...scopes))('thing.get', asked)).status).toBe(200);
    }
    const call = await withScopes(reading('ada', { shapes: ['Beep'] }));
    expect((await call('thing.get', asked)).status).toBe(404);
  });

  it('is answered what it wrote, and nothing else of a record that it may not read', async () => {
    const { write, withScopes } = await prepare(engine);
    await write([
      { name: 'Room/bot', data: {} },
      { name: 'Room/a', data: { x: 1 } },
    ]);
    await write([{ operation: 'retract', name: 'Room/a', reason: 'a secret' }], { committer: 'Room/bot' });
    const narrow: ScopeEntry = { resource: 'ada/world', permissions: ['repo:read', 'repo:write'], refs: ['Signal/**'] };
    const call = await withScopes(narrow);
    const thing = (await call('thing.rename', { ...WORLD, name: 'Room/a', newName: 'Room/b' })).data();
    expect(thing).toMatchObject({ name: 'Room/b', data: null });
    const shape = (await call('shape.rename', { ...WORLD, name: 'Room', newName: 'Hall' })).data();
    expect(shape).toMatchObject({ name: 'Hall', data: null, indexes: [] });
    for (const member of ['reason', 'committerWref', 'dataHash', 'refs']) {
      expect([member, member in thing, member in shape]).toEqual([member, false, false]);
    }
  });

  it('cannot tell a hidden shape or repository from a missing one by asking for a token for it', async () => {
    const { session, withScopes } = await prepare(engine);
    const ask = async (call: CallProcedure, entry: ScopeEntry) =>
      await call('token.create', { name: 'child', scopes: [entry] });
    const narrow = await withScopes(reading('ada/world', { refs: ['Signal/**'] }));
    const [hidden, missing] = [
      await ask(narrow, reading('ada/world', { shapes: ['Room'] })),
      await ask(narrow, reading('ada/world', { shapes: ['Nope'] })),
    ];
    expect([hidden.status, hidden.body]).toEqual([400, missing.body.replaceAll('Nope', 'Room')]);
    const organizer = await withScopes({ permissions: ['org:configure'] });
    expect((await organizer('repo.get', WORLD)).status).toBe(404);
    const unseen = await ask(organizer, { resource: 'ada/world', permissions: ['org:configure'] });
    const unknown = await ask(organizer, { resource: 'ada/nope', permissions: ['org:configure'] });
    expect([unseen.status, unseen.body]).toEqual([400, unknown.body.replaceAll('nope', 'world')]);
    expect((await ask(session, reading('ada/world', { shapes: ['Room'] }))).status).toBe(200);
  });

  it('gives no role in an organization that holds more than it has in one of its repositories', async () => {
    const { withScopes, session } = await prepare(engine);
    const permissions: ScopeEntry['permissions'] = ['org:read', 'org:configure', 'repo:read', 'repo:checkpoint-read'];
    const call = await withScopes({ resource: 'ada', permissions }, reading('ada/world', { refs: ['Signal/**'] }));
    const given = await call('org.addMember', { orgName: 'ada', handle: 'nobody', role: 'viewer' });
    expect(JSON.parse(given.body).error.data.cairn).toMatchObject({
      code: 'FORBIDDEN',
      details: { missing: ['repo:read', 'repo:checkpoint-read'] },
    });
    await session('org.create', { name: 'new' });
    await session('repo.transfer', { ...WORLD, newOrgName: 'new' });
    const later = await call('org.addMember', { orgName: 'ada', handle: 'nobody', role: 'viewer' });
    expect(later.code).toBe('NOT_FOUND');
  });
});
