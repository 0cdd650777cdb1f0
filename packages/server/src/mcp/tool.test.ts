// Tools that do more than call one procedure.
import { describe, expect, it } from 'vitest';
import { createComponentWorld, INSTALL_REPO, TRACKER, trackerManifest } from '../../../../test/support/component.ts';
import { createSession } from '../../../../test/support/principal.ts';
import { caller } from '../../../../test/support/procedure.ts';
import { createOwnerToken, createTestApp, OWNER } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { toolCaller } from '../../../../test/support/tool.ts';
import { createToken } from '../account/account.ts';
import type { Engine } from '../engine/database.ts';

const HOUSE = { orgName: 'ada', repoName: 'house' };

async function prepare(engine: Engine, environment: Record<string, string> = {}) {
  const { app, store } = await createTestApp(engine, environment);
  const token = await createOwnerToken(store);
  const owner = caller(app, token);
  (await owner('repo.create', { orgName: 'ada', name: 'house' })).data();
  const fields = { label: 'string', 'next?': 'wref' };
  (await owner('shape.create', { ...HOUSE, name: 'Room', fields })).data();
  const operations = [
    { name: 'Room/hall', data: { label: 'Hall' } },
    { name: 'Room/attic', data: { label: 'Attic', next: 'Room/hall' } },
  ];
  (await owner('commit.submit', { ...HOUSE, operations })).data();
  return { app, store, owner, call: toolCaller(app, token) };
}

const namesIn = ({ items }: { items: ({ name: string } | null)[] }) => items.map((item) => item?.name);

describe.each(UPPER_ENGINES)('tools on %s', (engine) => {
  it('define a shape, and define it anew', async () => {
    const { call } = await prepare(engine);
    const shape = { ...HOUSE, name: 'Note', fields: { text: 'string' } };
    expect((await call('shape_set', shape)).data()).toMatchObject({ name: 'Note', version: 1 });
    expect((await call('shape_set', shape)).data()).toMatchObject({ version: 1 });
    const wider = { ...shape, fields: { text: 'string', 'by?': 'string' } };
    expect((await call('shape_set', wider)).data()).toMatchObject({ version: 2 });
    expect((await call('shape_set', { ...shape, expectedVersion: 1 })).error?.code).toBe('CONFLICT');
    expect((await call('shape_set', { ...shape, expectedVersion: 2 })).data()).toMatchObject({ version: 3 });
  });

  it('say of an empty list that there is no such shape, and which is near', async () => {
    const { call, owner, store, app } = await prepare(engine);
    const answers = async (shape: string, asked = call) => ({
      query: (await asked('thing_query', { ...HOUSE, shape })).data(),
      count: (await asked('thing_query', { ...HOUSE, shape, count: true })).data(),
      about: (await asked('thing_about', { ...HOUSE, wref: 'Room/hall', shape })).data(),
      changes: (await asked('thing_changes', { ...HOUSE, shape, sinceRepoSeq: 2 })).data(),
    });
    const near = 'There is no shape Romo in this repository, or you may not read it. Did you mean Room?';
    for (const answer of Object.values(await answers('Romo'))) expect(answer).toMatchObject({ hint: near });
    expect((await answers('Romo')).query.items).toEqual([]);
    const where = [{ fieldPath: 'label', op: 'eq', rhs: 'Hall' }];
    for (const [tool, more] of [
      ['thing_query', {}],
      ['thing_query', { count: true }],
      ['thing_query', { atRepoSeq: 1 }],
      ['thing_about', { wref: 'Room/hall' }],
    ] as const) {
      const { error } = await call(tool, { ...HOUSE, shape: 'Romo', where, ...more });
      expect([tool, error]).toMatchObject([tool, { code: 'VALIDATION_ERROR', hint: near }]);
    }
    const other = await call('thing_query', { ...HOUSE, shape: 'Room', where: [{ ...where[0], op: 'gt', rhs: true }] });
    expect(other.error?.hint).not.toContain('no shape');
    const early = await call('thing_query', { ...HOUSE, shape: 'Romo', where, atRepoSeq: 99 });
    expect([early.error?.code, early.error?.message]).toEqual(['VALIDATION_ERROR', expect.stringContaining('99')]);
    const far = 'There is no shape Kitchen in this repository, or you may not read it. Shapes that you may read: Room.';
    expect((await answers('Kitchen')).count).toMatchObject({ count: 0, hint: far });
    (await owner('shape.create', { ...HOUSE, name: 'Door', fields: { 'x?': 'number' } })).data();
    (await owner('shape.create', { ...HOUSE, name: 'Gate', fields: { 'x?': 'number' } })).data();
    (await owner('shape.retract', { ...HOUSE, name: 'Gate' })).data();
    for (const shape of ['Door', 'Gate'])
      for (const answer of Object.values(await answers(shape))) expect(answer).not.toHaveProperty('hint');
    expect((await call('thing_query', { ...HOUSE, match: 'Romo/**' })).data()).not.toHaveProperty('hint');
    const scopes = [{ resource: 'ada/house', permissions: ['repo:read' as const], refs: ['Door/**'] }];
    const { token } = await createToken(store, { email: OWNER.email, name: 'doors', scopes });
    const narrowed = (await toolCaller(app, token)('thing_query', { ...HOUSE, shape: 'Romo' })).data();
    expect(narrowed.hint).toBe(
      'There is no shape Romo in this repository, or you may not read it. Shapes that you may read: Door.',
    );
    expect((await toolCaller(app, token)('thing_query', { ...HOUSE, shape: 'Room' })).data().hint).toContain(
      'no shape Room',
    );
    expect((await owner('thing.query', { ...HOUSE, shape: 'Romo' })).data()).not.toHaveProperty('hint');
  });

  it('try a commit out without writing it', async () => {
    const { call, owner } = await prepare(engine);
    const commit = { ...HOUSE, operations: [{ name: 'Room/cellar', data: { label: 'Cellar' } }] };
    const tried = (await call('commit_submit', { ...commit, dryRun: true })).data();
    expect(tried.operations).toMatchObject([{ name: 'Room/cellar', status: 'applied' }]);
    expect((await owner('repo.get', HOUSE)).data().repoSeq).toBe(2);
    expect((await call('commit_submit', { ...commit, dryRun: false })).data()).toMatchObject({ repoSeq: 3 });
    const submissionId = '3f0c6f0a-7d0e-4f50-9a3d-6b9f0f1f2a33';
    const once = { ...HOUSE, submissionId, operations: [{ name: 'Room/loft', data: { label: 'Loft' } }] };
    const first = (await call('commit_submit', once)).data();
    expect((await call('commit_submit', once)).data()).toEqual(first);
    expect((await call('commit_log', { ...HOUSE, submissionId })).data()).toEqual(first);
    expect((await call('commit_log', { ...HOUSE, repoSeq: 4 })).data().operations).toMatchObject([
      { name: 'Room/loft' },
    ]);
    expect((await call('commit_log', { ...HOUSE, limit: 1 })).data()).toMatchObject({
      items: [{ repoSeq: 4 }],
      nextCursor: expect.any(String),
    });
  });

  it('read one record, many, and the history of one', async () => {
    const { call, owner } = await prepare(engine);
    const revise = { operation: 'revise', name: 'Room/hall', data: { label: 'Great hall' } };
    (await owner('commit.submit', { ...HOUSE, operations: [revise] })).data();
    expect((await call('thing_get', { ...HOUSE, wref: 'Room/hall' })).data()).toMatchObject({ version: 2 });
    expect((await call('thing_get', { ...HOUSE, wref: 'Room/hall', atRepoSeq: 2 })).data()).toMatchObject({
      version: 1,
    });
    expect((await call('thing_get', { ...HOUSE, wref: 'Room' })).data()).toMatchObject({ kind: 'shape' });
    const many = (await call('thing_get', { ...HOUSE, wrefs: ['Room/attic', 'Room/none'] })).data();
    expect(namesIn(many)).toEqual(['Room/attic', undefined]);
    const history = (await call('thing_get', { ...HOUSE, wref: 'Room/hall', history: true })).data();
    expect(history.items).toMatchObject([{ version: 2 }, { version: 1 }]);
    const [diff, changed] = [
      (await call('thing_changes', { ...HOUSE, wref: 'Room/hall', sinceRepoSeq: 2 })).data(),
      (await call('thing_changes', { ...HOUSE, sinceRepoSeq: 2 })).data(),
    ];
    expect(diff.differences).toEqual([{ path: '/label', change: 'changed', before: 'Hall', after: 'Great hall' }]);
    expect(changed.items).toMatchObject([{ name: 'Room/hall', change: 'revised' }]);
  });

  it('go on where a page ended, and count', async () => {
    const { call } = await prepare(engine);
    const asked = { ...HOUSE, shape: 'Room', order: 'name', limit: 1 };
    const first = (await call('thing_query', asked)).data();
    const second = (await call('thing_query', { ...asked, cursor: first.nextCursor })).data();
    expect([...namesIn(first), ...namesIn(second)]).toEqual(['Room/attic', 'Room/hall']);
    expect(second).not.toHaveProperty('nextCursor');
    expect((await call('thing_query', { ...HOUSE, shape: 'Room', count: true })).data()).toEqual({
      repoSeq: 2,
      count: 2,
    });
    const where = [{ fieldPath: 'label', op: 'eq', rhs: 'Hall' }];
    expect(namesIn((await call('thing_query', { ...HOUSE, shape: 'Room', where })).data())).toEqual(['Room/hall']);
  });

  it('follow references as a graph, or one by one', async () => {
    const { call } = await prepare(engine);
    const graph = (await call('thing_graph', { ...HOUSE, wref: 'Room/hall' })).data();
    expect(graph.nodes.map(({ wref }: { wref: string }) => wref)).toEqual(['Room/hall', 'Room/attic']);
    const refs = (await call('thing_graph', { ...HOUSE, wref: 'Room/hall', refs: true })).data();
    expect(refs.items).toMatchObject([{ direction: 'in', role: 'field', path: '/next' }]);
    expect(graph).not.toHaveProperty('hint');
    const cut = (await call('thing_graph', { ...HOUSE, wref: 'Room/hall', limit: 1 })).data();
    expect(cut).toMatchObject({ truncated: true, hint: expect.stringMatching(/limit.*refs: true/) });
  });

  it('describe a repository in one call, and more shapes in pages of one moment', async () => {
    const { call, owner } = await prepare(engine);
    for (const name of ['Alpha', 'Beta', 'Gamma']) {
      (await owner('shape.create', { ...HOUSE, name, fields: {} })).data();
    }
    (await owner('repo.setContent', { ...HOUSE, name: 'agents', content: 'Knock first.' })).data();
    const whole = (await call('repo_describe', HOUSE)).data();
    expect(whole).toMatchObject({
      repository: { orgName: 'ada', name: 'house' },
      counts: { thing: 3 },
      contents: ['agents'],
      texts: { agents: 'Knock first.' },
      mayWrite: true,
      howToWrite: expect.any(Array),
      limits: { commitOperations: 10_000 },
    });
    expect(whole.shapes.find(({ name }: { name: string }) => name === 'Room')).toMatchObject({
      count: 2,
      fields: { label: 'string', 'next?': 'wref' },
      sample: { name: expect.stringMatching(/^Room\//), data: { label: expect.any(String) } },
    });
    const names: string[] = [];
    for (let cursor: string | undefined, pages = 0; pages === 0 || cursor !== undefined; pages += 1) {
      const page = (await call('repo_describe', { ...HOUSE, limit: 2, cursor })).data();
      names.push(...page.shapes.map(({ name }: { name: string }) => name));
      cursor = page.nextCursor;
      (await owner('shape.create', { ...HOUSE, name: `Zeta${pages}`, fields: {} })).data();
    }
    expect(names).toEqual(whole.shapes.map(({ name }: { name: string }) => name));
  });

  it('say what it takes to write, to who may not', async () => {
    const { app, store, owner } = await prepare(engine);
    (await owner('repo.setVisibility', { ...HOUSE, visibility: 'public' })).data();
    const form = { email: 'bo@example.com', handle: 'bo', passwordHash: '-', operator: false };
    const { id } = await store.write.createAccount(form);
    const read = [{ permissions: ['repo:read' as const] }];
    const cases: [string | undefined, RegExp][] = [
      [undefined, /Writing needs an account\. To sign in, call .*subscription_list/],
      [(await createToken(store, { email: OWNER.email, name: 'reads', scopes: read })).token, /token lacks repo:write/],
      [(await createSession(store, { accountId: id })).token, /role .* admin/],
    ];
    for (const [token, toWrite] of cases) {
      const described = (await toolCaller(app, token)('repo_describe', HOUSE)).data();
      expect(described).toMatchObject({ mayWrite: false, toWrite: expect.stringMatching(toWrite) });
    }
  });

  it('leave long texts and samples to who asks for them', async () => {
    const { call, owner } = await prepare(engine);
    const long = 'x'.repeat(20_000);
    (await owner('repo.setContent', { ...HOUSE, name: 'agents', content: long })).data();
    const big = { name: 'Room/vast', data: { label: long } };
    (await owner('commit.submit', { ...HOUSE, operations: [big] })).data();
    const described = (await call('repo_describe', HOUSE)).data();
    expect(JSON.stringify(described).length).toBeLessThan(10_000);
    expect(described.texts).toEqual({});
    expect(described.textsLeftOut).toEqual([{ name: 'agents', characters: 20_000, readBy: 'contents: ["agents"]' }]);
    expect(described.shapes.find(({ name }: { name: string }) => name === 'Room').sample).toEqual({
      name: 'Room/vast',
      readBy: 'thing_get',
    });
    const asked = (await call('repo_describe', { ...HOUSE, contents: ['agents', 'readme'] })).data();
    expect([asked.texts, asked.textsLeftOut]).toEqual([{ agents: long }, undefined]);
    expect((await call('repo_describe', { ...HOUSE, contents: [] })).data().texts).toEqual({});
  });

  it('name all that a token lacks to install a component', async () => {
    const { app, store, register } = await createComponentWorld(engine);
    await register();
    const scopes = [{ permissions: ['repo:read' as const] }];
    const { token } = await createToken(store, { email: OWNER.email, name: 'reads', scopes });
    const { status, headers } = await toolCaller(app, token)('component_install', TRACKER);
    expect(status).toBe(403);
    expect(headers.get('www-authenticate')).toContain('error="insufficient_scope", scope="repo:write repo:configure"');
  });

  it('list components, install one, look whether it is well, and bring it up to date', async () => {
    const { app, token, register, publish } = await createComponentWorld(engine);
    const call = toolCaller(app, token);
    expect((await call('component_list')).data()).toEqual({ items: [] });
    await register();
    expect((await call('component_list')).data().items).toMatchObject([{ orgName: 'acme', name: 'tracker' }]);
    const seen = (await call('component_list', { component: 'acme/tracker' })).data();
    expect(seen.manifest).toMatchObject({ component: { version: '1.0.0' } });
    expect((await call('component_list', INSTALL_REPO)).data()).toEqual({ items: [] });
    expect((await call('component_install', TRACKER)).data()).toMatchObject({ version: '1.0.0' });
    await publish(trackerManifest('1.1.0'));
    const report = (await call('component_list', TRACKER)).data();
    expect(report).toMatchObject({ component: 'acme/tracker', version: '1.0.0', latestVersion: '1.1.0' });
    expect((await call('component_install', { ...TRACKER, update: true })).data()).toMatchObject({ version: '1.1.0' });
    expect((await call('component_list', INSTALL_REPO)).data().items).toMatchObject([{ version: '1.1.0' }]);
    expect((await call('component_list', { component: 'acme/none' })).error?.code).toBe('NOT_FOUND');
  });
});
