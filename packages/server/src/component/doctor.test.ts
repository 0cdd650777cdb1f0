// The doctor's findings on an installed component, and their repair by another installation.
import { describe, expect, it } from 'vitest';
import {
  COMPONENT_ORIGIN,
  type ComponentWorld,
  createComponentWorld,
  INSTALL_REPO,
  TRACKER,
  trackerManifest,
} from '../../../../test/support/component.ts';
import { runStatement } from '../../../../test/support/statement.ts';
import { ENGINES } from '../../../../test/support/store.ts';

const SECRET = `whsec_${Buffer.alloc(32, 'secret').toString('base64')}`;

async function findings({ owner }: ComponentWorld) {
  const report = (await owner('component.doctor', TRACKER)).data();
  expect((await owner('component.get', TRACKER)).data().state).toBe(report.state);
  return [report.state, ...report.findings.map(({ code, subject = '' }) => `${code}: ${subject}`)];
}

async function healthy(world: ComponentWorld): Promise<void> {
  const keys = { WEBHOOK_SIGNING_SECRET: SECRET };
  (await world.owner('credential.setKeys', { ...INSTALL_REPO, name: 'tracker-keys', keys })).data();
  expect(await findings(world)).toEqual(['ready']);
}

const again = async ({ owner }: ComponentWorld) => (await owner('component.install', TRACKER)).data().state;

describe.each(ENGINES)('a doctor on %s', (engine) => {
  it("finds subscriptions and sets that are gone, changed or somebody else's", async () => {
    const world = await createComponentWorld(engine);
    const { owner } = world;
    await world.register();
    (await owner('component.install', TRACKER)).data();
    expect(await findings(world)).toEqual(['degraded', 'credential-keys-unset: credential set tracker-keys']);
    await healthy(world);
    const subscription = { ...INSTALL_REPO, name: 'tracker-signals' };
    (await owner('subscription.update', { ...subscription, filter: { kind: 'thing' } })).data();
    expect(await findings(world)).toEqual(['degraded', 'drifted: subscription tracker-signals']);
    expect(await again(world)).toBe('ready');
    (await owner('subscription.pause', subscription)).data();
    (await owner('subscription.unbindCredentials', subscription)).data();
    expect(await findings(world)).toEqual(['degraded', 'drifted: subscription tracker-signals']);
    expect(await again(world)).toBe('ready');
    expect((await owner('subscription.get', subscription)).data()).toMatchObject({
      active: true,
      credentialSet: 'tracker-keys',
    });
    (await owner('subscription.delete', subscription)).data();
    (await owner('credential.delete', { ...INSTALL_REPO, name: 'tracker-keys' })).data();
    expect(await findings(world)).toEqual([
      'degraded',
      'missing: credential set tracker-keys',
      'missing: subscription tracker-signals',
    ]);
    (await owner('credential.create', { ...INSTALL_REPO, name: 'tracker-keys' })).data();
    (await owner('subscription.create', { ...subscription, webhookUrl: `${COMPONENT_ORIGIN}/x`, filter: {} })).data();
    expect(await findings(world)).toEqual([
      'degraded',
      'foreign-owned: credential set tracker-keys',
      'foreign-owned: subscription tracker-signals',
    ]);
    expect((await owner('component.install', TRACKER)).status).toBe(409);
  });

  it('finds a set that was revoked', async () => {
    const world = await createComponentWorld(engine);
    await world.register();
    (await world.owner('component.install', TRACKER)).data();
    (await world.owner('credential.revoke', { ...INSTALL_REPO, name: 'tracker-keys' })).data();
    expect(await findings(world)).toEqual(['degraded', 'drifted: credential set tracker-keys']);
  });

  it('finds shapes and records that are gone or changed, and newer versions', async () => {
    const world = await createComponentWorld(engine);
    const { owner } = world;
    const health = { requires: { things: ['Signal/first'] } };
    await world.register({ manifest: { ...trackerManifest(), health } });
    (await owner('component.install', TRACKER)).data();
    await healthy(world);
    (
      await owner('commit.submit', { ...INSTALL_REPO, operations: [{ operation: 'retract', name: 'Signal/first' }] })
    ).data();
    expect(await findings(world)).toEqual(['degraded', 'missing: thing Signal/first']);
    const revised = { operation: 'revise', name: 'Signal/first', data: { x: 3 } };
    (await owner('commit.submit', { ...INSTALL_REPO, operations: [revised] })).data();
    await runStatement(world.store, 'update component_shape set released_at = 1, version = 0');
    (await owner('shape.retract', { ...INSTALL_REPO, name: 'Track' })).data();
    (await owner('shape.revise', { ...INSTALL_REPO, name: 'Signal', fields: {} })).data();
    expect(await findings(world)).toEqual(['degraded', 'drifted: shape Signal', 'missing: shape Track']);
    await runStatement(world.store, `update component_shape set released_at = null, install_id = 'ins_other'`);
    expect((await findings(world))[1]).toBe('foreign-owned: shape Signal');
    expect(await owner('component.install', TRACKER)).toMatchObject({
      status: 409,
      message: expect.stringContaining('another component'),
    });
    await runStatement(world.store, 'delete from component_shape');
    const { shapes, ...rest } = trackerManifest('1.0.1');
    await world.publish({ ...rest, health, shapes });
    expect((await findings(world)).at(-1)).toBe('newer-version: ');
  });

  it('finds that setup is still to be called, and advice alone degrades nothing', async () => {
    const world = await createComponentWorld(engine);
    const { component, shapes } = trackerManifest();
    await world.register({ manifest: { component, shapes }, setupUrl: `${COMPONENT_ORIGIN}/setup` });
    const begun = (await world.owner('component.install', { ...TRACKER, callSetup: false })).data();
    expect(begun).toMatchObject({ state: 'installing', findings: [{ code: 'setup-pending' }] });
    const report = (await world.owner('component.install', TRACKER)).data();
    expect(report).toMatchObject({ state: 'degraded', findings: [{ code: 'setup-failed' }] });
    const world2 = await createComponentWorld(engine);
    await world2.register({ manifest: { component, shapes } });
    expect((await world2.owner('component.install', TRACKER)).data().state).toBe('ready');
    await world2.publish({ component: { ...component, version: '9.0.0' }, shapes });
    expect(await findings(world2)).toEqual(['ready', 'newer-version: ']);
  });

  it('says of what is left to setup that install alone does not bring it', async () => {
    const setupUrl = `${COMPONENT_ORIGIN}/setup`;
    const said = async (form: { setupUrl?: string }) => {
      const world = await createComponentWorld(engine);
      const { component } = trackerManifest();
      const shapes = [{ name: 'Signal', fields: {}, provisioning: 'setup' }];
      const credentials = [{ name: 'tracker-keys', provisioning: 'setup' }];
      await world.register({ manifest: { component, shapes, credentials }, ...form });
      const report = (await world.owner('component.install', TRACKER)).data();
      return report.findings.filter(({ code }) => code === 'missing').map(({ message }) => message);
    };
    const called = await said({ setupUrl });
    expect(called).toHaveLength(2);
    for (const message of called) expect(message).toContain('The setup endpoint of acme/tracker creates it.');
    for (const message of await said({})) expect(message).toContain('acme/tracker has none');
  });
});
