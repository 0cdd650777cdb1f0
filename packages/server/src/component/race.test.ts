// Races with an installation or a setup call: the last to finish must not undo the first.

import { describe, expect, it } from 'vitest';
import {
  type ComponentWorld,
  createComponentWorld,
  INSTALL,
  manifestOf,
} from '../../../../test/support/called-component.ts';
import { caller } from '../../../../test/support/procedure.ts';
import { withStatus } from '../../../../test/support/receiver.ts';
import { ENGINES } from '../../../../test/support/store.ts';
import type { Engine } from '../engine/database.ts';
import { writesBy } from '../store.ts';

const PLACE = { orgName: 'acme', repoName: 'world' };

function plainManifest(version: string, more: object = {}) {
  const subscription = {
    name: 'thing-tell',
    trigger: { kind: 'event', event: 'thing.renamed' },
    webhookUrl: 'https://example.com/hook',
  };
  const nothing = { shapes: [], credentials: [], cli: undefined };
  return manifestOf(version, { ...nothing, subscriptions: [subscription], ...more });
}

async function createRegistered(engine: Engine, more: object = {}): Promise<ComponentWorld> {
  const world = await createComponentWorld(engine, { outbound: { resolve: async () => ['93.184.215.14'] } });
  await world.register({ manifest: plainManifest('1.0.0', more) });
  return world;
}

async function publish({ owner }: ComponentWorld, version: string, more: object = {}): Promise<void> {
  const manifest = plainManifest(version, more);
  (await owner('component.publish', { orgName: 'maker', name: 'thing', manifest })).data();
}

function justBefore({ store }: ComponentWorld, name: string, work: () => Promise<unknown>): void {
  const { write } = store;
  const writing = writesBy(async (request) => {
    if (request.name === name) {
      Object.assign(store, { write });
      await work();
    }
    return await write[request.name](request.input as never, request.audit);
  });
  Object.assign(store, { write: writing });
}

function whileCalled({ receiver }: ComponentWorld, status: number, work: () => Promise<unknown>): void {
  receiver.answer((response) => {
    void work().finally(() => response.writeHead(status).end());
  });
}

const activeIn = async ({ store: { database } }: ComponentWorld) =>
  await database.query('select name from subscription where active = 1 union all select event from watch');

describe.each(ENGINES)('while a component is installed on %s', (engine) => {
  it('it may be paused: nothing of it works then', async () => {
    const world = await createRegistered(engine);
    justBefore(world, 'declareResources', async () => (await world.owner('component.pause', INSTALL)).data());
    expect(await world.owner('component.install', INSTALL)).toMatchObject({
      status: 409,
      message: expect.stringContaining('paused'),
    });
    expect((await world.owner('component.get', INSTALL)).data().state).toBe('paused');
    expect(await activeIn(world)).toEqual([]);
    (await world.owner('component.resume', INSTALL)).data();
    expect(await activeIn(world)).toHaveLength(2);
    expect((await world.owner('component.install', INSTALL)).data().state).toBe('ready');
  });

  it('its organization may be renamed: its tokens are those of the component as it is called by then', async () => {
    const world = await createRegistered(engine);
    const rename = { orgName: 'maker', newName: 'made' };
    justBefore(world, 'mintInstallTokens', async () => (await world.owner('org.rename', rename)).data());
    (await world.owner('component.install', INSTALL)).data();
    const held = await world.store.database.query('select distinct component from component_token');
    expect(held).toEqual([{ component: 'made/thing' }]);
  });
});

describe.each(ENGINES)('a late answer of a setup endpoint on %s', (engine) => {
  it('for a version of before says nothing of the one that is installed', async () => {
    const world = await createRegistered(engine);
    whileCalled(world, 200, async () => {
      world.receiver.answer(withStatus(204));
      await publish(world, '2.0.0');
      expect((await world.owner('component.update', INSTALL)).data()).toMatchObject({ state: 'ready', findings: [] });
    });
    (await world.owner('component.install', INSTALL)).data();
    expect((await world.owner('component.doctor', INSTALL)).data()).toMatchObject({
      ...{ version: '2.0.0', state: 'ready', findings: [] },
      setup: { status: 'completed', httpStatus: 204 },
    });
  });

  it('whose tokens a later call has replaced does not make up for that one', async () => {
    const world = await createRegistered(engine);
    whileCalled(world, 200, async () => {
      world.receiver.answer(withStatus(500));
      (await world.owner('component.install', INSTALL)).data();
    });
    (await world.owner('component.install', INSTALL)).data();
    const { state, findings } = (await world.owner('component.doctor', INSTALL)).data();
    expect([state, findings.map(({ code }) => code)]).toEqual(['degraded', ['setup-failed']]);
    world.receiver.answer(withStatus(200));
    expect((await world.owner('component.install', INSTALL)).data().state).toBe('ready');
  });

  it('leaves one token, though calls began together and each was completed', async () => {
    const world = await createRegistered(engine);
    justBefore(world, 'mintInstallTokens', async () => {
      await new Promise((later) => setTimeout(later, 5));
      (await world.owner('component.install', INSTALL)).data();
    });
    (await world.owner('component.install', INSTALL)).data();
    const held = await world.store.database.query(
      "select id from component_token where kind = 'runtime' and revoked_at is null",
    );
    expect(held).toHaveLength(1);
  });

  it('is of the past after the teardown, also when the component has come back', async () => {
    const world = await createRegistered(engine);
    whileCalled(world, 200, async () => {
      (await world.owner('component.teardown', INSTALL)).data();
      (await world.owner('component.install', { ...INSTALL, callSetup: false })).data();
    });
    (await world.owner('component.install', INSTALL)).data();
    const { findings } = (await world.owner('component.doctor', INSTALL)).data();
    expect(findings.map(({ code }) => code)).toEqual(['setup-pending']);
  });
});

describe.each(ENGINES)('a version that asks for less on %s', (engine) => {
  it('takes the rest away though no setup endpoint was called for it', async () => {
    const world = await createRegistered(engine, { shapes: [{ name: 'Count', fields: {} }] });
    (await world.owner('component.install', INSTALL)).data();
    const earlier = caller(world.app, world.tokens().runtime);
    const operations = [{ name: 'Count/a', data: {} }];
    expect((await earlier('commit.submit', { ...PLACE, operations })).status).toBe(200);
    await publish(world, '2.0.0', { runtimeAccess: undefined });
    (await world.owner('component.update', { ...INSTALL, callSetup: false })).data();
    expect((await earlier('thing.get', { ...PLACE, wref: 'Count/a' })).status).toBe(404);
    expect((await earlier('commit.submit', { ...PLACE, operations: [{ name: 'Count/b', data: {} }] })).status).toBe(
      403,
    );
    const own = [{ name: 'ComponentConfig/thing', data: {} }];
    expect((await earlier('commit.submit', { ...PLACE, operations: own })).status).toBe(200);
  });
});
