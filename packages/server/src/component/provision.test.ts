// Rights of an installed component: its setup token covers what the manifest leaves to setup, and its runtime token the
// approved access.
import type { ProcedureName } from '@cairn/protocol/procedure-kinds';
import { describe, expect, it } from 'vitest';
import {
  type ComponentWorld,
  createComponentWorld,
  INSTALL,
  manifestOf,
} from '../../../../test/support/called-component.ts';
import { type CallProcedure, caller } from '../../../../test/support/procedure.ts';
import { withStatus } from '../../../../test/support/receiver.ts';
import { runStatement } from '../../../../test/support/statement.ts';
import { ENGINES } from '../../../../test/support/store.ts';
import type { Engine } from '../engine/database.ts';

const PLACE = { orgName: 'acme', repoName: 'world' };
const FIELDS = { 'note?': 'string' };
const KEYS = { WEBHOOK_API_KEY: 'a key of some length' };

interface Answered {
  readonly status: number;
  readonly message: string | undefined;
}

async function duringSetup(world: ComponentWorld, work: (call: CallProcedure, token: string) => Promise<void>) {
  let failure: unknown;
  world.receiver.answer((response, delivery) => {
    const token = delivery.body.setup_token;
    work(caller(world.app, token), token)
      .catch((error: unknown) => {
        failure = error;
      })
      .finally(() => response.writeHead(200).end());
  });
  await world.owner('component.install', INSTALL);
  world.receiver.answer(withStatus(200));
  if (failure !== undefined) throw failure;
}

async function createRegistered(engine: Engine): Promise<ComponentWorld> {
  const world = await createComponentWorld(engine);
  await world.register();
  return world;
}

const subscriptionOf = (url: string, more: object = {}) => ({
  ...{ ...PLACE, name: 'thing-tell', filter: {}, webhookUrl: `${url}/hook?of=acme` },
  ...more,
});

const refusalOf = async (asked: Promise<Answered>) => {
  const { status, message } = await asked;
  return [status, message];
};

describe.each(ENGINES)('setup tokens on %s', (engine) => {
  it('make what the manifest leaves to setup, as it declares it, however often', async () => {
    const world = await createRegistered(engine);
    const { receiver, owner } = world;
    const make = (call: CallProcedure) => async () => {
      const shape = (await call('shape.create', { ...PLACE, name: 'Extra', fields: FIELDS })).data();
      expect(shape).toMatchObject({ name: 'Extra', version: 1, createdBy: 'component:maker/thing' });
      const set = (await call('credential.create', { ...PLACE, name: 'thing-hooks' })).data();
      expect(set).toMatchObject({ name: 'thing-hooks', createdBy: 'component:maker/thing' });
      const filled = (await call('credential.setKeys', { ...PLACE, name: 'thing-hooks', keys: KEYS })).data();
      expect(filled.keys.map(({ key }) => key)).toEqual(['WEBHOOK_API_KEY']);
      const made = (await call('subscription.create', subscriptionOf(receiver.url))).data();
      expect(made).toMatchObject({
        component: 'maker/thing',
        filter: { shape: 'Count' },
        credentialSet: 'thing-hooks',
      });
    };
    for (let time = 0; time < 2; time += 1) {
      await duringSetup(world, async (call) => {
        await make(call)();
        await make(call)();
      });
    }
    const { findings } = (await owner('component.doctor', INSTALL)).data();
    expect(findings.map(({ code }) => code)).toEqual(['credential-keys-unset']);
    expect((await owner('subscription.list', PLACE)).data().items).toHaveLength(1);
    const { items } = (await owner('audit.list', { orgName: 'acme' })).data();
    const byComponent = items.filter(({ actor }) => actor === 'component:maker/thing').map(({ action }) => action);
    expect(new Set(byComponent)).toEqual(new Set(['credential.create', 'credential.setKeys', 'subscription.create']));
  });

  it('make nothing else: not another name, not what the install makes, not elsewhere', async () => {
    const world = await createRegistered(engine);
    const { receiver } = world;
    (await world.owner('repo.create', { orgName: 'acme', name: 'other' })).data();
    await duringSetup(world, async (call) => {
      const refused = async (asked: Promise<Answered>, status: number, message: RegExp) =>
        expect(await refusalOf(asked)).toEqual([status, expect.stringMatching(message)]);
      for (const name of ['Count', 'Other']) {
        await refused(call('shape.create', { ...PLACE, name, fields: { 'n?': 'number' } }), 403, /does not leave/);
      }
      await refused(call('shape.create', { ...PLACE, name: 'Extra', fields: { x: 'number' } }), 400, /other fields/);
      for (const name of ['thing-keys', 'other']) {
        await refused(call('credential.create', { ...PLACE, name }), 403, /does not leave/);
        await refused(call('credential.setKeys', { ...PLACE, name, keys: KEYS }), 403, /does not leave/);
      }
      await refused(call('credential.setKeys', { ...PLACE, name: 'thing-hooks', keys: KEYS }), 409, /Create it first/);
      await refused(call('credential.create', { orgName: 'acme', name: 'thing-hooks' }), 403, /only in the repository/);
      await refused(call('credential.create', { orgName: 'maker', name: 'maker-keys' }), 403, /only in the repository/);
      await refused(call('subscription.create', subscriptionOf(receiver.url)), 409, /thing-hooks/);
      (await call('credential.create', { ...PLACE, name: 'thing-hooks' })).data();
      const subscribe = (more: object) => call('subscription.create', subscriptionOf(receiver.url, more));
      await refused(subscribe({ name: 'other' }), 403, /does not leave/);
      await refused(subscribe({ webhookUrl: 'https://evil.example.com/hook' }), 403, /not a registered origin/);
      await refused(subscribe({ webhookUrl: 'nonsense' }), 403, /not a registered origin/);
      await refused(subscribe({ webhookUrl: `${receiver.url}/hooks` }), 403, /the path \/hook/);
      await refused(subscribe({ fallbackWebhookUrl: `${receiver.url}/hook` }), 403, /declares none/);
      await refused(subscribe({ source: 'acme/other' }), 400, /source/);
      await refused(subscribe({ repoName: 'other' }), 403, /only in the repository/);
      await refused(call('shape.revise', { ...PLACE, name: 'Extra', fields: {} }), 403, /cannot be used here/);
      await refused(
        call('commit.submit', { ...PLACE, operations: [{ name: 'Count/a', data: {} }] }),
        403,
        /cannot be used here/,
      );
      await refused(call('thing.get', { ...PLACE, wref: 'Count/a' }), 403, /cannot be used here/);
    });
    expect((await world.owner('subscription.list', PLACE)).data().items).toEqual([]);
  });

  it('make no subscription that falls back to an address that may not be reached', async () => {
    const world = await createComponentWorld(engine);
    const { subscriptions, ...manifest } = manifestOf() as { subscriptions: object[] };
    const fallbackWebhookUrl = 'https://10.0.0.1/fallback';
    await world.register({
      manifest: { ...manifest, subscriptions: subscriptions.map((one) => ({ ...one, fallbackWebhookUrl })) },
    });
    await duringSetup(world, async (call) => {
      (await call('credential.create', { ...PLACE, name: 'thing-hooks' })).data();
      const [status, message] = await refusalOf(call('subscription.create', subscriptionOf(world.receiver.url)));
      expect([status, message]).toEqual([400, expect.stringContaining('fallbackWebhookUrl')]);
    });
    expect((await world.owner('subscription.list', PLACE)).data().items).toEqual([]);
  });

  it('take over nothing that is of somebody else', async () => {
    const world = await createRegistered(engine);
    const { owner, receiver } = world;
    await duringSetup(world, async (call) => {
      (await owner('shape.create', { ...PLACE, name: 'Extra', fields: { mine: 'string' } })).data();
      (await owner('credential.create', { ...PLACE, name: 'thing-hooks' })).data();
      const mine = { ...PLACE, name: 'thing-tell', filter: {}, webhookUrl: 'https://mine.example.com/' };
      (await owner('subscription.create', mine)).data();
      expect((await call('shape.create', { ...PLACE, name: 'Extra', fields: FIELDS })).code).toBe('CONFLICT');
      expect((await call('credential.create', { ...PLACE, name: 'thing-hooks' })).code).toBe('CONFLICT');
      const keyed = await call('credential.setKeys', { ...PLACE, name: 'thing-hooks', keys: KEYS });
      expect(keyed.code).toBe('CONFLICT');
      expect((await call('subscription.create', subscriptionOf(receiver.url))).code).toBe('CONFLICT');
      (await owner('credential.delete', { ...PLACE, name: 'thing-hooks' })).data();
      (await call('credential.create', { ...PLACE, name: 'thing-hooks' })).data();
      expect((await call('subscription.create', subscriptionOf(receiver.url))).code).toBe('CONFLICT');
    });
    expect((await owner('subscription.get', { ...PLACE, name: 'thing-tell' })).data().webhookOrigin).toContain('mine');
  });

  it('end with their call, after five minutes, with a pause and with the teardown', async () => {
    const world = await createRegistered(engine);
    const { store, owner } = world;
    const make = async (call: CallProcedure) =>
      (await call('credential.create', { ...PLACE, name: 'thing-hooks' })).status;
    await duringSetup(world, async (call) => {
      const { expiresAt } = (await call('auth.whoami', {})).data() as { expiresAt: number };
      const minutes = (expiresAt - Date.now()) / 60_000;
      expect([minutes > 3, minutes <= 5]).toEqual([true, true]);
      await runStatement(store, `update component_token set expires_at = ${Date.now() - 1} where kind = 'setup'`);
      expect(await make(call)).toBe(401);
    });
    await duringSetup(world, async (call) => {
      (await owner('component.pause', INSTALL)).data();
      expect(await make(call)).toBe(403);
      (await owner('component.resume', INSTALL)).data();
      expect(await make(call)).toBe(200);
      (await owner('component.teardown', INSTALL)).data();
      expect(await make(call)).toBe(401);
    });
    expect(await make(caller(world.app, world.tokens().setup))).toBe(401);
  });
});

describe.each(ENGINES)('runtime tokens on %s', (engine) => {
  it('read and write what the install approved', async () => {
    const world = await createRegistered(engine);
    await world.install();
    const { owner } = world;
    const others = [
      { kind: 'shape', name: 'Secret', data: { fields: {} } },
      { name: 'Secret/a', data: {} },
    ];
    (await owner('commit.submit', { ...PLACE, operations: others })).data();
    const call = caller(world.app, world.tokens().runtime);
    const write = async (name: string, data: object = {}) =>
      (await call('commit.submit', { ...PLACE, operations: [{ name, data }] })).status;
    expect([await write('Count/a'), await write('Secret/b')]).toEqual([200, 403]);
    const read = async (wref: string) => (await call('thing.get', { ...PLACE, wref })).status;
    expect([await read('Count/a'), await read('Secret/a'), await read('ComponentConfig/thing')]).toEqual([
      200, 404, 404,
    ]);
    const config = (name: string) => ({ operation: 'revise', name, data: { config: { a: 1 } } });
    const revise = async (name: string) =>
      (await call('commit.submit', { ...PLACE, operations: [config(name)] })).status;
    expect([await revise('ComponentConfig/thing'), await revise('ComponentConfig/other')]).toEqual([200, 403]);
    const rename = { operation: 'rename', name: 'ComponentConfig/thing', newName: 'ComponentConfig/other' };
    expect((await call('commit.submit', { ...PLACE, operations: [rename] })).status).toBe(403);
  });

  it('are refused on export in all three modes, on /mcp, on management, and outside their repository', async () => {
    const world = await createRegistered(engine);
    await world.install();
    const { runtime } = world.tokens();
    const headers = { authorization: `Bearer ${runtime}` };
    const modes = [{}, { prefer: 'respond-async' }, { query: '?token=exp_none' }];
    for (const { query = '', ...asked } of modes) {
      for (const repo of ['acme/world', 'acme/none']) {
        const exported = await world.app.request(`/api/repos/${repo}/export${query}`, {
          headers: { ...headers, ...asked },
        });
        const refusal = expect.stringContaining('export-component-token');
        expect([asked, repo, exported.status, await exported.text()]).toEqual([asked, repo, 403, refusal]);
      }
    }
    expect((await world.app.request('/mcp', { method: 'POST', headers })).status).toBe(403);
    const call = caller(world.app, runtime);
    const managing: [ProcedureName, object][] = [
      ['token.list', {}],
      ['token.create', { name: 'x', scopes: [{ permissions: ['repo:read'] }] }],
      ['org.addMember', { orgName: 'acme', email: 'eve@example.com', role: 'owner' }],
      ['repo.setRole', { ...PLACE, handle: 'ada', role: 'read' }],
      ['component.install', INSTALL],
      ['component.update', INSTALL],
      ['component.pause', INSTALL],
      ['component.resume', INSTALL],
      ['component.teardown', INSTALL],
      ['component.list', PLACE],
      ['component.get', INSTALL],
      ['component.doctor', INSTALL],
      ['component.exec', { ...INSTALL, method: 'count', args: {} }],
      ['component.view', { orgName: 'maker', name: 'thing' }],
      ['component.registry', {}],
      ['component.unregister', { orgName: 'maker', name: 'thing' }],
      ['credential.create', { ...PLACE, name: 'thing-hooks' }],
      ['credential.setKeys', { ...PLACE, name: 'thing-keys', keys: KEYS }],
      ['subscription.create', subscriptionOf(world.receiver.url)],
      ['shape.create', { ...PLACE, name: 'Extra', fields: FIELDS }],
    ];
    for (const [name, input] of managing) {
      expect([name, (await call(name, input as never)).status]).toEqual([name, 403]);
    }
    (await world.owner('repo.create', { orgName: 'acme', name: 'open', visibility: 'public' })).data();
    for (const repoName of ['open', 'none']) {
      expect((await call('repo.get', { orgName: 'acme', repoName })).status).toBe(403);
    }
  });

  it('of a private component write without telling strangers its name', async () => {
    const world = await createComponentWorld(engine);
    await world.register({ visibility: 'private' });
    await duringSetup(world, async (call) => {
      (await call('shape.create', { ...PLACE, name: 'Extra', fields: FIELDS })).data();
    });
    const runtime = caller(world.app, world.tokens().runtime);
    (await runtime('commit.submit', { ...PLACE, operations: [{ name: 'Count/a', data: {} }] })).data();
    (await world.owner('repo.setVisibility', { ...PLACE, visibility: 'public' })).data();
    const reader = caller(world.app);
    expect((await reader('thing.get', { ...PLACE, wref: 'Count/a' })).data().createdBy).toBe('component:maker');
    for (const told of [await reader('commit.log', PLACE), await reader('shape.list', PLACE)]) {
      const names = ['component:maker"', 'maker/thing'].map((name) => told.body.includes(name));
      expect([told.status, ...names]).toEqual([200, true, false]);
    }
    const wrote = (await world.owner('thing.get', { ...PLACE, wref: 'Count/a' })).data();
    expect(wrote.createdBy).toBe('component:maker/thing');
    expect((await runtime('auth.whoami', {})).data()).toMatchObject({ component: 'maker/thing' });
    expect((await world.owner('component.get', INSTALL)).data().component).toBe('maker/thing');
  });

  it('rest while the component is paused, and end with the teardown', async () => {
    const world = await createRegistered(engine);
    await world.install();
    const call = caller(world.app, world.tokens().runtime);
    const write = async () =>
      (await call('commit.submit', { ...PLACE, operations: [{ name: 'Count/$1', data: {} }] })).status;
    expect(await write()).toBe(200);
    (await world.owner('component.pause', INSTALL)).data();
    expect(await write()).toBe(403);
    (await world.owner('component.resume', INSTALL)).data();
    expect(await write()).toBe(200);
    (await world.owner('component.teardown', INSTALL)).data();
    expect([await write(), (await call('auth.whoami', {})).status]).toEqual([401, 401]);
    await world.install();
    expect(await write()).toBe(401);
    expect((await caller(world.app, world.tokens().runtime)('auth.whoami', {})).status).toBe(200);
  });
});
