// Component tokens: permitted procedures in one repository, reading and writing only approved records.

import { formatDurableId, parseDurableId } from '@cairn/model/wref';
import type { ProcedureName } from '@cairn/protocol/procedure-kinds';
import { PROCEDURE_NAMES, PROCEDURES } from '@cairn/protocol/procedures';
import { ROUTES, type RouteKey, routeAddress } from '@cairn/protocol/routes';
import type { Access } from '@cairn/protocol/scopes';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { createComponentToken } from '../../../../test/support/principal.ts';
import { type CallProcedure, caller } from '../../../../test/support/procedure.ts';
import { type SampleWorld, sampleInput } from '../../../../test/support/sample-input.ts';
import { createOwnerToken, createTestApp } from '../../../../test/support/server.ts';
import { runStatement } from '../../../../test/support/statement.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import type { Database, Engine } from '../engine/database.ts';

const OWN = { orgName: 'ada', repoName: 'world' };
const HIDDEN = /hush|Secret|secret-field/;

async function prepare(engine: Engine) {
  const { app, store, logged } = await createTestApp(engine);
  const owner = caller(app, await createOwnerToken(store));
  (await owner('repo.create', { orgName: 'ada', name: 'world' })).data();
  (await owner('repo.create', { orgName: 'ada', name: 'vault' })).data();
  (await owner('repo.create', { orgName: 'ada', name: 'open', visibility: 'public' })).data();
  const fields = { 'x?': 'number', 'to?': 'wref', 'only?': { type: 'wref', shape: 'Signal' } };
  (await owner('shape.create', { ...OWN, name: 'Signal', fields })).data();
  (await owner('shape.create', { ...OWN, name: 'Secret', fields: { 'secret-field?': 'wref' } })).data();
  const made = ['Signal/a', 'Signal/mine/a', 'Secret/hush'].map((name) => ({ name, data: {} }));
  (await owner('commit.submit', { ...OWN, operations: made, message: 'hush' })).data();
  const get = async (wref: string) => (await owner('thing.get', { ...OWN, wref })).data();
  const [a, mine, hush] = [await get('Signal/a'), await get('Signal/mine/a'), await get('Secret/hush')];
  const shape = (await owner('shape.get', { ...OWN, name: 'Signal' })).data();
  const { repoId = 0 } = parseDurableId(a.durableId) ?? {};
  const ids = { a: a.durableId, mine: mine.durableId, hush: hush.durableId, shape: shape.durableId };
  const component = (options: Partial<Parameters<typeof createComponentToken>[1]> = {}) =>
    createComponentToken(store, { repoId, ...options });
  const seq = async () => (await owner('repo.get', OWN)).data().repoSeq;
  return { app, store, logged, owner, repoId, ids, component, seq };
}

type World = Awaited<ReturnType<typeof prepare>>;

const SAMPLES: SampleWorld = {
  ...{ shapeName: 'Signal', recordName: 'Signal/a', durableId: formatDurableId({ repoId: 1, recordId: 1 }) },
  ...{ tokenName: 'all', handle: 'ada', ...OWN },
};

const NAMES_A_RUN: ProcedureName = 'action.callback';

const elsewhere = (name: ProcedureName, place: { orgName: string; repoName: string }) =>
  sampleInput(name, { ...SAMPLES, ...place }) as never;

const accessOf = (name: ProcedureName): Access => PROCEDURES[name].access;

function breakDatabase({ store }: World): void {
  const { database } = store;
  const broken = () => Promise.reject(new Error('looked up'));
  const bulk: Database['bulk'] = (statement, rows) =>
    statement.each.includes('component_token') ? database.bulk(statement, rows) : broken();
  Object.assign(store, { database: { ...database, query: broken, bulk }, write: broken });
}

describe.each(UPPER_ENGINES)('component tokens on %s', (engine) => {
  it(verifies('are accepted, and say whose they are', '5/kind-component', '5/component-bound-route'), async () => {
    const { app, component } = await prepare(engine);
    for (const kind of ['setup', 'runtime'] as const) {
      const token = await component({ kind });
      const who = (await caller(app, token)('auth.whoami', {})).data();
      expect(who).toMatchObject({ kind: 'component', stage: kind, component: 'acme/alerts', repo: 'ada/world' });
      expect(JSON.stringify(who)).not.toContain(token);
    }
    const runtime = caller(app, await component());
    expect((await runtime('thing.get', { ...OWN, wref: 'Signal/a' })).status).toBe(200);
    const operations = [{ name: 'Signal/new', data: {} }];
    expect((await runtime('commit.submit', { ...OWN, operations })).data().operations[0]?.status).toBe('applied');
    expect((await runtime('thing.get', { ...OWN, wref: 'Signal/new' })).data().createdBy).toBe('component:acme/alerts');
  });

  it('reach the procedures that the table gives them, and no look-up is made for the others', async () => {
    const world = await prepare(engine);
    const tokens = { setup: await world.component({ kind: 'setup' }), runtime: await world.component() };
    breakDatabase(world);
    for (const [stage, token] of Object.entries(tokens)) {
      const call = caller(world.app, token);
      for (const name of PROCEDURE_NAMES.filter((one) => one !== NAMES_A_RUN)) {
        const { component } = accessOf(name);
        const allowed = component === 'any' || component === stage;
        const answer = await call(name, elsewhere(name, OWN));
        const refusal = accessOf(name).needs.startsWith('repo:checkpoint') ? 'export-component-token' : 'FORBIDDEN';
        const [status, code] = allowed && name !== 'auth.whoami' ? [500, 'INTERNAL_ERROR'] : [403, refusal];
        const expected = name === 'auth.whoami' ? [200, undefined] : [status, code];
        expect([stage, name, answer.status, answer.code]).toEqual([stage, name, ...expected]);
      }
    }
  });

  it('are refused in other repositories alike, whether there are any, before a look-up', async () => {
    const world = await prepare(engine);
    const token = await world.component();
    const places = [
      ...[
        { orgName: 'ada', repoName: 'vault' },
        { orgName: 'ada', repoName: 'open' },
      ],
      ...[
        { orgName: 'ada', repoName: 'missing' },
        { orgName: 'nobody', repoName: 'world' },
        { ...OWN, repoName: 'World' },
      ],
    ];
    const names = PROCEDURE_NAMES.filter((name) => accessOf(name).component === 'runtime' && name !== NAMES_A_RUN);
    expect(names.length).toBeGreaterThan(8);
    const call = caller(world.app, token);
    const ask = async (name: ProcedureName) => {
      const answers: unknown[] = [];
      for (const place of places) {
        const { status, body, headers } = await call(name, elsewhere(name, place));
        answers.push([status, body, [...headers].filter(([header]) => header !== 'x-request-id')]);
      }
      return answers;
    };
    const before = new Map<string, unknown[]>();
    for (const name of names) before.set(name, await ask(name));
    breakDatabase(world);
    for (const name of names) {
      const answers = await ask(name);
      expect(answers).toEqual(before.get(name));
      expect([name, new Set(answers.map((answer) => JSON.stringify(answer))).size]).toEqual([name, 1]);
      expect(answers[0]).toEqual([403, expect.anything(), expect.anything()]);
    }
  });

  it('do nothing on routes that are not for them', async () => {
    const { app, component } = await prepare(engine);
    const token = await component();
    for (const key of Object.keys(ROUTES) as RouteKey[]) {
      const { method, path } = routeAddress(key);
      const { component: stage }: Access = ROUTES[key].access;
      if (stage === 'runtime' || (!path.startsWith('/api') && path !== '/mcp')) continue;
      const target = path
        .replaceAll(/:org(Name)?/g, 'ada')
        .replaceAll(/:repo(Name)?/g, 'world')
        .replaceAll(/:\w+/g, 'x');
      const answer = await app.request(target, { method, headers: { authorization: `Bearer ${token}` } });
      expect([key, answer.status]).toEqual([key, expect.toBeOneOf([403, 404])]);
    }
  });

  it('read what their install approved, and all else is as if it were not there', async () => {
    const { app, owner, component, ids, repoId } = await prepare(engine);
    (await owner('commit.submit', { ...OWN, operations: [{ name: 'Signal/to', data: { to: 'Secret/hush' } }] })).data();
    const call = caller(app, await component({ reads: [{ refs: ['Signal/**'] }] }));
    expect((await call('thing.get', { ...OWN, wref: 'Signal/a' })).status).toBe(200);
    const missing = formatDurableId({ repoId, recordId: 999 });
    const ask = async (name: ProcedureName, input: { wref: string } | { name: string }) => {
      const { status, body } = await call(name, { ...OWN, ...input } as never);
      return [status, body.replaceAll('wref' in input ? input.wref : input.name, 'it')];
    };
    const same = async (name: ProcedureName, inputs: readonly ({ wref: string } | { name: string })[]) => {
      const answers = await Promise.all(inputs.map((input) => ask(name, input)));
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
      expect(answers[0]?.[0]).toBe(404);
    };
    (await owner('shape.create', { ...OWN, repoName: 'open', name: 'Signal', fields: {} })).data();
    const open = { ...OWN, repoName: 'open', operations: [{ name: 'Signal/a', data: {} }] };
    (await owner('commit.submit', open)).data();
    for (const name of ['thing.get', 'thing.history'] as const) {
      await same(name, [{ wref: 'Secret/hush' }, { wref: 'No/such' }]);
      await same(name, [{ wref: ids.hush }, { wref: missing }]);
      await same(name, [{ wref: 'Secret/hush@v1' }, { wref: 'No/such@v1' }]);
      await same(name, [{ wref: 'wh:ada/open/Signal/a' }, { wref: 'wh:no/such/Signal/a' }]);
    }
    for (const name of ['shape.get', 'shape.history'] as const) await same(name, [{ name: 'Secret' }, { name: 'No' }]);
    const { items } = (await call('thing.getMany', { ...OWN, wrefs: [ids.hush, 'Signal/a', missing] })).data();
    expect(items.map((item) => item?.name ?? null)).toEqual([null, 'Signal/a', null]);
    const everything = [
      await call('shape.list', OWN),
      await call('thing.get', { ...OWN, wref: 'Signal/to' }),
      await call('commit.log', OWN),
      ...(await Promise.all([1, 2, 3, 4].map((repoSeq) => call('commit.get', { ...OWN, repoSeq })))),
      await call('repo.get', OWN),
    ];
    for (const { body } of everything) expect(body).not.toMatch(HIDDEN);
    const limited = { reads: [{ refs: ['Signal/**'] }], writes: [{ refs: ['Signal/**'] }] };
    const writer = caller(app, await component(limited));
    const point = async (to: string) => {
      const answer = await writer('commit.validate', { ...OWN, operations: [{ name: 'Signal/p', data: { to } }] });
      return answer.body.replaceAll(to, '');
    };
    expect(await point('Secret/hush')).toBe(await point('Secret/none'));
    expect(await point(ids.hush)).toBe(await point(missing));
    expect(await point(`${ids.hush}@v9`)).toBe(await point(`${missing}@v9`));
    const nothing = caller(app, await component({ reads: [] }));
    expect((await nothing('thing.get', { ...OWN, wref: 'Signal/a' })).status).toBe(404);
  });

  it(verifies('have the role that their install gave, whatever it approved', '5/role-component'), async () => {
    const { app, owner, component, seq } = await prepare(engine);
    const call = caller(app, await component());
    const submit = (operations: unknown[]) => call('commit.submit', { ...OWN, operations });
    const before = await seq();
    expect(await submit([{ name: 'ComponentConfig/x', data: {} }])).toMatchObject({
      status: 403,
      message: expect.stringContaining('repo:configure'),
    });
    expect((await submit([{ name: 'ComponentInstall/x', data: {} }])).status).toBe(400);
    for (const name of PROCEDURE_NAMES) {
      const { needs } = accessOf(name);
      const beyond =
        needs === 'account' || needs === 'session' || needs === 'operator' || /^org:|:configure|:admin/.test(needs);
      if (!beyond) continue;
      expect([name, (await call(name, elsewhere(name, OWN))).code]).toEqual([name, 'FORBIDDEN']);
    }
    expect(await seq()).toBe(before);
    await owner('repo.archive', OWN);
    expect((await submit([{ name: 'Signal/late', data: {} }])).code).toBe('ARCHIVED');
  });

  it('end with their time, their install and their repository, and rest while it is paused', async () => {
    const { app, store, owner, component, repoId } = await prepare(engine);
    const who = async (token: string) => (await caller(app, token)('auth.whoami', {})).status;
    const [paused, revoked, expired, left] = [
      await component(),
      await component(),
      await component(),
      await component(),
    ];
    const last = async (token: string, change: string) => {
      const index = [paused, revoked, expired, left].indexOf(token);
      await runStatement(
        store,
        `update component_token set ${change} where id = (select min(id) from component_token) + ${index}`,
      );
    };
    await last(paused, 'paused = 1');
    expect(await who(paused)).toBe(200);
    const names = PROCEDURE_NAMES.filter((name) => accessOf(name).component === 'runtime');
    for (const name of names) {
      for (const place of [OWN, { ...OWN, repoName: 'vault' }, { ...OWN, repoName: 'missing' }]) {
        const answer = await caller(app, paused)(name, elsewhere(name, place));
        expect([name, answer.status, answer.message]).toEqual([name, 403, expect.stringContaining('paused')]);
      }
    }
    await last(paused, 'paused = 0');
    expect((await caller(app, paused)('repo.get', OWN)).status).toBe(200);
    await last(revoked, `revoked_at = ${Date.now()}`);
    await last(expired, `expires_at = ${Date.now() - 1}`);
    for (const token of [revoked, expired]) expect(await who(token)).toBe(401);
    const setup = await component({ kind: 'setup' });
    await runStatement(store, `update component_token set kind = 'runtime' where kind = 'setup'`);
    expect(await who(setup)).toBe(401);
    expect(await who(left)).toBe(200);
    (await owner('repo.rename', { ...OWN, newName: 'moved' })).data();
    expect((await caller(app, left)('repo.get', { ...OWN, repoName: 'moved' })).status).toBe(200);
    expect((await caller(app, left)('repo.get', OWN)).status).toBe(403);
    (await owner('repo.create', { orgName: 'ada', name: 'world' })).data();
    expect((await caller(app, left)('repo.get', OWN)).status).toBe(403);
    (await owner('repo.delete', { ...OWN, repoName: 'moved' })).data();
    expect(await who(left)).toBe(401);
    (await owner('repo.restore', { ...OWN, repoName: 'moved' })).data();
    expect(await who(left)).toBe(200);
    expect(repoId).toBeGreaterThan(0);
  });
});

interface Try {
  readonly what: string;
  readonly operations: (ids: World['ids'], repoId: number) => readonly object[];
  /** `true`: applied; `false`: refused as not for the component; else the code of another refusal. */
  readonly allowed: boolean | string;
}

const one = (what: string, allowed: Try['allowed'], operation: (ids: World['ids'], repoId: number) => object): Try => ({
  what,
  allowed,
  operations: (ids, repoId) => [operation(ids, repoId)],
});
const data = {};

const TRIES: readonly Try[] = [
  one('add', true, () => ({ name: 'Signal/mine/new', data })),
  one('add with a token', true, () => ({ name: 'Signal/mine/$1', data })),
  one('add an assertion', true, () => ({ name: 'Signal/mine/said', about: 'Signal/a', data })),
  one('revise', true, () => ({ operation: 'revise', name: 'Signal/mine/a', data: { x: 2 } })),
  one('revise by durable ID', true, ({ mine }) => ({ operation: 'revise', name: mine, data: { x: 2 } })),
  one('retract', true, () => ({ operation: 'retract', name: 'Signal/mine/a' })),
  one('retract by durable ID', true, ({ mine }) => ({ operation: 'retract', name: mine })),
  one('rename', true, () => ({ operation: 'rename', name: 'Signal/mine/a', newName: 'Signal/mine/z' })),
  one('rename by durable ID', true, ({ mine }) => ({ operation: 'rename', name: mine, newName: 'Signal/mine/z' })),
  {
    what: 'change what a token made',
    allowed: true,
    operations: () => [
      { name: 'Signal/mine/$1', data },
      { operation: 'revise', name: '#1', data: { x: 3 } },
      { operation: 'rename', name: '#1', newName: 'Signal/mine/named' },
      { operation: 'retract', name: '#1' },
    ],
  },
  one('skip what is there', true, () => ({ name: 'Signal/mine/a', data, skipExisting: true })),

  one('send wrong data', 'SHAPE_MISMATCH', ({ mine }) => ({ operation: 'revise', name: mine, data: { x: 'no' } })),
  one('point to a hidden shape', 'TARGET_NOT_FOUND', ({ hush }) => ({ name: 'Signal/mine/p', data: { only: hush } })),
  one('expect another version', 'CONFLICT', ({ mine }) => ({ operation: 'retract', name: mine, expectedVersion: 9 })),

  one('add elsewhere', false, () => ({ name: 'Signal/other', data })),
  one('add beside', false, () => ({ name: 'Signal/mine', data })),
  one('add what begins alike', false, () => ({ name: 'Signal/mined/x', data })),
  one('add in other letters', false, () => ({ name: 'Signal/Mine/x', data })),
  one('add with a token elsewhere', false, () => ({ name: 'Signal/$1', data })),
  one('add of a hidden shape', false, () => ({ name: 'Secret/new', data })),
  one('add of a hidden shape with a token', false, () => ({ name: 'Secret/$1', data: { 'secret-field': 'No/such' } })),
  one('add of no shape', false, () => ({ name: 'No/new', data })),
  one('skip what is hidden', false, () => ({ name: 'Secret/hush', data, skipExisting: true })),
  one('revise elsewhere', false, () => ({ operation: 'revise', name: 'Signal/a', data: { x: 2 } })),
  one('revise what is hidden', false, () => ({ operation: 'revise', name: 'Secret/hush', data })),
  one('revise what is not there', false, () => ({ operation: 'revise', name: 'Secret/none', data })),
  one('revise by durable ID elsewhere', false, ({ a }) => ({ operation: 'revise', name: a, data: { x: 2 } })),
  one('revise what is hidden by durable ID', false, ({ hush }) => ({ operation: 'revise', name: hush, data })),
  one('guess a version', false, ({ hush }) => ({ operation: 'revise', name: hush, data, expectedVersion: 9 })),
  one('guess a kind', false, ({ hush }) => ({ operation: 'retract', name: hush, kind: 'assertion' })),
  one('send data to a hidden shape', false, ({ hush }) => ({
    operation: 'revise',
    name: hush,
    data: { 'secret-field': 1 },
  })),
  one('an unknown durable ID', false, (_, repoId) => ({
    operation: 'retract',
    name: formatDurableId({ repoId, recordId: 999 }),
  })),
  one('a durable ID of another repository', false, () => ({
    operation: 'retract',
    name: formatDurableId({ repoId: 999, recordId: 1 }),
  })),
  one('retract elsewhere', false, () => ({ operation: 'retract', name: 'Signal/a' })),
  one('retract by durable ID elsewhere', false, ({ hush }) => ({ operation: 'retract', name: hush })),
  one('rename out', false, () => ({ operation: 'rename', name: 'Signal/mine/a', newName: 'Signal/stolen' })),
  one('rename out by durable ID', false, ({ mine }) => ({ operation: 'rename', name: mine, newName: 'Signal/stolen' })),
  one('rename in', false, () => ({ operation: 'rename', name: 'Signal/a', newName: 'Signal/mine/b' })),
  one('rename in by durable ID', false, ({ a }) => ({ operation: 'rename', name: a, newName: 'Signal/mine/b' })),
  one('rename what is hidden in', false, ({ hush }) => ({ operation: 'rename', name: hush, newName: 'Signal/mine/b' })),
  one('add a shape', false, () => ({ kind: 'shape', name: 'Fresh', data: { fields: {} } })),
  one('revise the shape', false, () => ({ operation: 'revise', name: 'Signal', data: { fields: {} } })),
  one('revise the shape by durable ID', false, ({ shape }) => ({
    operation: 'revise',
    name: shape,
    data: { fields: {} },
  })),
  one('retract the shape', false, () => ({ operation: 'retract', name: 'Signal' })),
  one('rename the shape', false, () => ({ operation: 'rename', name: 'Signal', newName: 'Signal2' })),
  one('a collection', false, () => ({ type: 'arc', members: ['Signal/mine/a', 'Signal/a'] })),
  one('a collection with a name', false, () => ({ type: 'set', name: 'Set/mine/x', members: ['Signal/mine/a'] })),
  one('the readme', false, () => ({ name: 'Content/Readme', data: { content: '' } })),
];

describe.each(UPPER_ENGINES)('commits of components on %s', (engine) => {
  const submit = (call: CallProcedure, operations: readonly object[], atomic = true) =>
    call('commit.submit', { ...OWN, operations: [...operations], atomic });

  it('are limited to what their install approved, and tell nothing of the rest', async () => {
    const { app, ids, component, seq, repoId, logged } = await prepare(engine);
    const mine = [{ refs: ['Signal/mine/**'] }];
    const call = caller(app, await component({ reads: [{ refs: ['Signal/**'] }], writes: mine }));
    const start = await seq();
    for (const { what, operations, allowed } of TRIES) {
      const sent = operations(ids, repoId);
      const code = allowed === false ? 'FORBIDDEN' : allowed === true ? undefined : allowed;
      const dry = await call('commit.validate', { ...OWN, operations: [...sent] });
      expect([what, dry.code, dry.body]).toEqual([what, code, expect.anything()]);
      const partial = await call('commit.validate', { ...OWN, operations: [...sent], atomic: false });
      const codes = partial.data().operations.map(({ error }) => error?.code);
      expect([what, new Set(codes)]).toEqual([what, new Set([code])]);
      const told = (dry.body + partial.body).replaceAll(/Secret\/(hush|none|new|\$1)/g, (name) =>
        JSON.stringify(sent).includes(name) ? '' : name,
      );
      expect([what, told]).toEqual([what, expect.not.stringMatching(HIDDEN)]);
      if (allowed === true) continue;
      for (const atomic of [true, false]) await submit(call, sent, atomic);
      expect([what, await seq()]).toEqual([what, start]);
    }
    expect(logged.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });

  it('that are applied are those that were allowed, one by one', async () => {
    const { app, ids, component, seq, owner, repoId } = await prepare(engine);
    const call = caller(app, await component({ writes: [{ refs: ['Signal/mine/**'] }] }));
    const start = await seq();
    const mixed = TRIES.flatMap(({ operations, allowed }) => (allowed === false ? operations(ids, repoId) : []));
    const good = [
      { name: 'Signal/mine/$7', data },
      { operation: 'revise', name: '#7', data: { x: 1 } },
      { name: 'Signal/mine/kept', data },
    ];
    expect((await submit(call, [...good, ...mixed])).code).toBe('FORBIDDEN');
    expect(await seq()).toBe(start);
    const { operations, partial } = (await submit(call, [...good, ...mixed], false)).data();
    expect(partial).toBe(true);
    expect(operations.filter(({ status }) => status === 'applied')).toHaveLength(good.length);
    expect(operations.filter(({ status }) => status === 'error')).toHaveLength(mixed.length);
    expect((await owner('commit.get', { ...OWN, repoSeq: start + 1 })).data().operations).toHaveLength(good.length);
    const chained = [
      { name: 'Signal/$1', data },
      { operation: 'rename', name: '#1', newName: 'Signal/mine/b' },
    ];
    expect((await submit(call, chained, false)).data().operations.map(({ status }) => status)).toEqual([
      'error',
      'error',
    ]);
    expect(await seq()).toBe(start + 1);
  });

  it('write shapes and collections where all of them are theirs', async () => {
    const { app, component, ids } = await prepare(engine);
    const allowed = async (writes: object[], operation: object) => {
      const call = caller(app, await component({ writes: writes as never }));
      const { code } = await call('commit.validate', { ...OWN, operations: [operation] });
      return code ?? 'applied';
    };
    const shapeId = parseDurableId(ids.shape)?.recordId ?? 0;
    const revise = { operation: 'revise', name: 'Signal', data: { fields: { 'x?': 'string' } } };
    const arc = { type: 'arc', members: ['Signal/a', 'Signal/mine/a'] };
    expect(await allowed([{ refs: ['**'] }], revise)).toBe('applied');
    expect(await allowed([{ refs: ['Signal/**'] }], revise)).toBe('applied');
    expect(await allowed([{ shapes: [{ shapeId }] }], revise)).toBe('applied');
    expect(await allowed([{ refs: ['Signal/*'] }], revise)).toBe('FORBIDDEN');
    expect(await allowed([{ refs: ['Signal/m**'] }], revise)).toBe('FORBIDDEN');
    expect(await allowed([{ refs: ['Signal'] }], revise)).toBe('FORBIDDEN');
    expect(await allowed([{ refs: ['Secret/**'] }], revise)).toBe('FORBIDDEN');
    expect(await allowed([{ refs: ['Signal/m**'], shapes: [{ shapeId }] }], revise)).toBe('FORBIDDEN');
    expect(await allowed([{ shapes: [{ shapeId: shapeId + 1 }] }], revise)).toBe('FORBIDDEN');
    expect(await allowed([{ shapes: [{ shapeId }] }], { name: 'Signal/b', data })).toBe('applied');
    expect(await allowed([{ shapes: [{ shapeId }] }], { name: 'Secret/b', data })).toBe('FORBIDDEN');
    const swap = { operation: 'rename', name: 'Signal', newName: 'Other' };
    expect(await allowed([{ refs: ['Signal/**'] }], swap)).toBe('FORBIDDEN');
    expect(await allowed([{ refs: ['Signal/**', 'Other/**'] }], swap)).toBe('applied');
    expect(await allowed([{ refs: ['Arc/**'] }], arc)).toBe('applied');
    expect(await allowed([{ refs: ['**'] }], arc)).toBe('applied');
    expect(await allowed([{ refs: ['Arc/x'] }], arc)).toBe('FORBIDDEN');
    expect(await allowed([{ refs: ['Bond/**'] }], arc)).toBe('FORBIDDEN');
    expect(await allowed([], arc)).toBe('FORBIDDEN');
    expect(await allowed([], { name: 'Signal/b', data })).toBe('FORBIDDEN');
  });

  it('have receipts of their own', async () => {
    const { app, owner, component } = await prepare(engine);
    const call = caller(app, await component());
    const submissionId = '3f0c6f0a-7d0e-4f50-9a3d-6b9f0f1f2a33';
    const sent = { ...OWN, operations: [{ name: 'Signal/once', data }], submissionId };
    const first = (await call('commit.submit', sent)).data();
    expect((await call('commit.submit', sent)).data()).toEqual(first);
    expect((await call('commit.receipt', { ...OWN, submissionId })).data()).toEqual(first);
    expect((await owner('commit.receipt', { ...OWN, submissionId })).status).toBe(404);
  });
});
