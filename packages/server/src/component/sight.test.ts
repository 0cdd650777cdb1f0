// Visibility of installed components: to outsiders, a private component looks missing.
import type { ProcedureName } from '@cairn/protocol/procedure-kinds';
import { SCOPE_NAMES } from '@cairn/protocol/scopes';
import { describe, expect, it } from 'vitest';
import {
  type ComponentWorld,
  createComponentWorld,
  INSTALL_REPO,
  TRACKER,
} from '../../../../test/support/component.ts';
import { createPerson } from '../../../../test/support/person.ts';
import { caller } from '../../../../test/support/procedure.ts';
import { OWNER } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { createToken } from '../account/account.ts';

const NAMES = [
  ...(['component.install', 'component.update', 'component.get', 'component.doctor'] as const),
  ...(['component.pause', 'component.resume', 'component.teardown'] as const),
];

async function createOther({ app, store, owner }: ComponentWorld, role: 'read' | 'write' | 'admin') {
  const handle = `eve-${role}`;
  const email = `${handle}@example.com`;
  await createPerson(store, { email, password: 'long enough it is', operator: false });
  const { token } = await createToken(store, { email, name: 'all', scopes: [{ permissions: [...SCOPE_NAMES] }] });
  (await owner('repo.setRole', { ...INSTALL_REPO, handle, role })).data();
  const call = caller(app, token);
  const resolve = (component: string) =>
    app.request(`/api/component-registry/${component}/resolve`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ installRepo: 'home/world' }),
    });
  return { call, resolve };
}

describe.each(UPPER_ENGINES)('installs on %s', (engine) => {
  it('of a private component are told to nobody outside', async () => {
    const world = await createComponentWorld(engine);
    await world.register({ visibility: 'private' });
    const { installId } = (await world.owner('component.install', TRACKER)).data();
    const { call, resolve } = await createOther(world, 'write');
    const before = await world.standing();
    for (const name of NAMES) {
      const [hidden, unknown] = [
        await call(name, TRACKER),
        await call(name, { ...TRACKER, component: 'acme/unknown' }),
      ];
      expect([name, hidden.status, hidden.body]).toEqual([name, 404, unknown.body]);
    }
    const [hidden, unknown] = [await resolve('acme/tracker'), await resolve('acme/unknown')];
    expect([hidden.status, await hidden.json()]).toEqual([404, await unknown.json()]);
    expect((await call('component.list', INSTALL_REPO)).data().items).toEqual([]);
    const record = await call('thing.get', { ...INSTALL_REPO, wref: `ComponentInstall/${installId}` });
    expect(record.body).not.toContain('tracker');
    const refused = await call('shape.retract', { ...INSTALL_REPO, name: 'Signal' });
    expect(refused.status).toBe(403);
    expect(refused.body).not.toMatch(/tracker|acme/);
    expect(await world.standing()).toEqual(before);
  });

  it('are seen and ended by who may configure the repository that they act in', async () => {
    const world = await createComponentWorld(engine);
    await world.register({ visibility: 'private' });
    const { call, resolve } = await createOther(world, 'admin');
    expect((await call('component.get', TRACKER)).status).toBe(404);
    (await world.owner('component.install', TRACKER)).data();
    expect((await call('component.list', INSTALL_REPO)).data().items).toHaveLength(1);
    for (const name of ['component.get', 'component.doctor', 'component.pause', 'component.resume'] as const) {
      expect([name, (await call(name, TRACKER)).status]).toEqual([name, 200]);
    }
    for (const name of ['component.install', 'component.update'] as const) {
      expect([name, (await call(name, TRACKER)).status]).toEqual([name, 404]);
    }
    expect((await resolve('acme/tracker')).status).toBe(404);
    expect((await call('component.teardown', TRACKER)).data().state).toBe('uninstalled');
  });

  it('are told to who may read all, and to nobody without a credential', async () => {
    const world = await createComponentWorld(engine);
    const { app, store, owner } = world;
    await world.register();
    (await owner('component.install', TRACKER)).data();
    const { call } = await createOther(world, 'read');
    expect((await call('component.get', TRACKER)).status).toBe(200);
    expect((await call('component.list', INSTALL_REPO)).data().items).toHaveLength(1);
    expect((await call('component.pause', TRACKER)).status).toBe(403);
    const scopes = [{ permissions: ['repo:read' as const], refs: ['Signal/**'] }];
    const { token } = await createToken(store, { email: OWNER.email, name: 'narrow', scopes });
    const reading: ProcedureName[] = ['component.list', 'component.get', 'component.doctor'];
    for (const visibility of ['private', 'public'] as const) {
      (await owner('repo.setVisibility', { ...INSTALL_REPO, visibility })).data();
      for (const name of reading) {
        const input = (name === 'component.list' ? INSTALL_REPO : TRACKER) as never;
        expect([name, (await caller(app, token)(name, input)).status]).toEqual([name, 403]);
        expect([name, (await caller(app)(name, input)).status]).toEqual([name, 401]);
      }
    }
  });

  it('stay when the component is taken out of the registry', async () => {
    const world = await createComponentWorld(engine);
    await world.register();
    (await world.owner('component.install', TRACKER)).data();
    (await world.owner('component.unregister', { orgName: 'acme', name: 'tracker' })).data();
    expect((await world.owner('component.install', TRACKER)).status).toBe(404);
    const { findings } = (await world.owner('component.doctor', TRACKER)).data();
    expect(findings).toContainEqual(expect.objectContaining({ code: 'unregistered' }));
    expect((await world.owner('component.pause', TRACKER)).data().state).toBe('paused');
    expect((await world.owner('component.resume', TRACKER)).data().state).toBe('degraded');
    expect((await world.owner('component.teardown', TRACKER)).data().state).toBe('uninstalled');
  });
});
