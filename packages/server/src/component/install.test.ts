// Installing components: the created resources, permissions, and convergence from any state.
import type { Scope } from '@cairn/protocol/scopes';
import { describe, expect, it } from 'vitest';
import {
  COMPONENT_ORIGIN,
  type ComponentWorld,
  createComponentWorld,
  INSTALL_REPO,
  TRACKER,
  trackerManifest,
} from '../../../../test/support/component.ts';
import { caller, createScopedToken } from '../../../../test/support/procedure.ts';
import { startReceiver, withStatus } from '../../../../test/support/receiver.ts';
import { OWNER } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { createToken } from '../account/account.ts';

const seqOf = async ({ owner }: ComponentWorld) => (await owner('repo.get', INSTALL_REPO)).data().repoSeq;

const installed = async ({ owner }: ComponentWorld) => (await owner('component.install', TRACKER)).data();

function nextManifest() {
  const { shapes, subscriptions, ...manifest } = trackerManifest('2.0.0');
  const added = { name: 'tracker-renames', trigger: { kind: 'event', event: 'thing.renamed' } };
  return {
    ...manifest,
    shapes: [{ ...shapes[0], fields: { 'x?': 'number', 'y?': 'number' } }],
    subscriptions: [...subscriptions, { ...added, webhookUrl: `${COMPONENT_ORIGIN}/renames` }],
    runtimeAccess: { reads: ['Signal'], writes: ['Signal'] },
  };
}

describe.each(UPPER_ENGINES)('components on %s', (engine) => {
  it('are installed with all that the manifest declares, in one commit, and again there is nothing to do', async () => {
    const world = await createComponentWorld(engine);
    await world.register();
    const report = await installed(world);
    expect(report).toMatchObject({ state: 'degraded', version: '1.0.0', setup: { status: 'skipped' } });
    expect(report.granted).toEqual({
      scopes: ['repo:write', 'repo:configure', 'repo:read'],
      reads: ['Signal'],
      writes: ['Track'],
    });
    expect(report.findings.map(({ code, subject }) => [code, subject])).toEqual([
      ['credential-keys-unset', 'credential set tracker-keys'],
    ]);
    expect(await seqOf(world)).toBe(3);
    const declared = (await world.owner('commit.get', { ...INSTALL_REPO, repoSeq: 2 })).data();
    expect(declared.operationCount).toBe(3);
    const standing = await world.standing();
    expect(standing.installs).toHaveLength(1);
    expect(standing.owned).toHaveLength(2);
    expect(standing.subscriptions).toMatchObject([{ name: 'tracker-signals', active: 1, component: 'acme/tracker' }]);
    const again = await installed(world);
    expect(again.installId).toBe(report.installId);
    expect(await world.standing()).toEqual(standing);
    expect(await seqOf(world)).toBe(3);
    const record = await world.owner('thing.get', { ...INSTALL_REPO, wref: `ComponentInstall/${report.installId}` });
    expect(record.data().data).toEqual({
      state: 'degraded',
      version: '1.0.0',
      manifestHash: report.manifestHash,
      component: 'acme/tracker',
    });
  });

  it('are installed once, though two do it at once', async () => {
    const world = await createComponentWorld(engine);
    await world.register();
    const [one, other] = await Promise.all([installed(world), installed(world)]);
    expect(one.installId).toBe(other.installId);
    const twice = await world.standing();
    await installed(world);
    expect(await world.standing()).toEqual(twice);
    expect(twice.installs).toHaveLength(1);
    expect(twice.subscriptions).toHaveLength(1);
  });

  it('are updated: what a version drops stays, and is given up; what it adds is made', async () => {
    const world = await createComponentWorld(engine);
    await world.register();
    expect(await world.owner('component.update', TRACKER)).toMatchObject({ status: 409 });
    await installed(world);
    const track = { name: 'Track/a', data: { of: 'Signal/first' } };
    (await world.owner('commit.submit', { ...INSTALL_REPO, operations: [track] })).data();
    await world.publish(nextManifest());
    expect((await world.owner('component.doctor', TRACKER)).data().findings).toContainEqual(
      expect.objectContaining({ code: 'newer-version' }),
    );
    const before = await seqOf(world);
    const report = (await world.owner('component.update', TRACKER)).data();
    expect(report).toMatchObject({ version: '2.0.0', granted: { writes: ['Signal'] } });
    expect(await seqOf(world)).toBe(before + 3);
    const { owned, subscriptions, records } = await world.standing();
    expect(
      owned.map((row) =>
        Object.values(row as object)
          .map(Number)
          .at(-1),
      ),
    ).toEqual([1, 0]);
    expect(subscriptions).toMatchObject([{ name: 'tracker-renames' }, { name: 'tracker-signals' }]);
    expect(records).toContainEqual(expect.objectContaining({ shape: 'Track', name: 'a', active: 1 }));
    const revised = await world.owner('shape.revise', { ...INSTALL_REPO, name: 'Track', fields: {} });
    expect(revised.status).toBe(200);
    const back = trackerManifest('3.0.0');
    await world.publish({ ...back, shapes: [back.shapes[0]], runtimeAccess: { reads: [], writes: [] } });
    (await world.owner('component.update', TRACKER)).data();
    expect((await world.standing()).subscriptions).toMatchObject([
      { name: 'tracker-renames', active: 0, paused_reason: expect.stringContaining('version') },
      { name: 'tracker-signals', active: 1 },
    ]);
  });

  it('are torn down without losing data, told once, and come back as they were', async () => {
    const receiver = await startReceiver(withStatus(500));
    const world = await createComponentWorld(engine, { CAIRN_OUTBOUND_ALLOW: `127.0.0.1:9,${receiver.address}` });
    await world.register({ uninstallUrl: `${receiver.url}/gone` });
    await installed(world);
    const standing = await world.standing();
    const first = (await world.owner('component.teardown', TRACKER)).data();
    expect(first).toMatchObject({ state: 'uninstalled', uninstall: { status: 'failed', httpStatus: 500 } });
    receiver.answer(withStatus(204));
    expect((await world.owner('component.teardown', TRACKER)).data().uninstall.status).toBe('completed');
    expect((await world.owner('component.teardown', TRACKER)).data().uninstall.status).toBe('completed');
    expect(receiver.received.map(({ path }) => path)).toEqual(['/gone', '/gone']);
    const ended = await world.standing();
    expect(ended).toMatchObject({ liveTokens: 0, watches: [], subscriptions: [{ active: 0 }] });
    expect(ended.records.length).toBe(standing.records.length);
    expect((await world.owner('component.list', INSTALL_REPO)).data().items).toEqual([]);
    for (const name of ['component.update', 'component.pause', 'component.resume'] as const) {
      expect([name, (await world.owner(name, TRACKER)).status]).toEqual([name, 409]);
    }
    await installed(world);
    expect(await world.standing()).toEqual(standing);
  });

  it('delete their subscriptions at the end where the manifest says so, and make them anew', async () => {
    const world = await createComponentWorld(engine);
    const teardown = { subscriptions: { onDisable: 'delete', onUninstall: 'delete' } };
    await world.register({ manifest: { ...trackerManifest(), teardown } });
    await installed(world);
    const standing = await world.standing();
    expect((await world.owner('component.pause', TRACKER)).data().state).toBe('paused');
    expect(await world.standing()).toMatchObject({ subscriptions: [], watches: [] });
    expect((await world.owner('component.install', TRACKER)).status).toBe(409);
    expect((await world.owner('component.pause', TRACKER)).data().state).toBe('paused');
    expect((await world.owner('component.doctor', TRACKER)).data()).toMatchObject({
      state: 'paused',
      findings: [{ code: 'credential-keys-unset' }],
    });
    expect((await world.owner('component.resume', TRACKER)).data().state).toBe('degraded');
    expect(await world.standing()).toEqual(standing);
    (await world.owner('component.teardown', TRACKER)).data();
    expect((await world.standing()).subscriptions).toEqual([]);
    await installed(world);
    expect(await world.standing()).toEqual(standing);
  });

  it('take over nothing that people have made', async () => {
    const world = await createComponentWorld(engine);
    await world.register();
    const { owner } = world;
    (await owner('shape.create', { ...INSTALL_REPO, name: 'Signal', fields: { z: 'string' } })).data();
    (
      await owner('shape.create', { ...INSTALL_REPO, name: 'Track', fields: trackerManifest().shapes[1].fields })
    ).data();
    (await owner('credential.create', { ...INSTALL_REPO, name: 'tracker-keys' })).data();
    const hook = { webhookUrl: `${COMPONENT_ORIGIN}/mine`, filter: {} };
    (await owner('subscription.create', { ...INSTALL_REPO, name: 'tracker-signals', ...hook })).data();
    const before = await world.standing();
    const refused = await owner('component.install', TRACKER);
    expect(refused).toMatchObject({ status: 409, code: 'CONFLICT' });
    expect(JSON.parse(refused.body).error.data.cairn.details.reasons).toEqual([
      expect.stringContaining('shape Signal'),
      expect.stringContaining('credential set tracker-keys'),
      expect.stringContaining('subscription tracker-signals'),
    ]);
    expect(await world.standing()).toEqual(before);
    (await owner('shape.rename', { ...INSTALL_REPO, name: 'Signal', newName: 'Mine' })).data();
    (await owner('credential.delete', { ...INSTALL_REPO, name: 'tracker-keys' })).data();
    (await owner('subscription.delete', { ...INSTALL_REPO, name: 'tracker-signals' })).data();
    await installed(world);
    expect((await world.standing()).owned).toMatchObject([{ name: 'Signal' }]);
    const fields = { 'other?': 'string' };
    expect((await owner('shape.revise', { ...INSTALL_REPO, name: 'Track', fields })).status).toBe(200);
  });

  it('are not installed where two of their names are one, or where a name is none', async () => {
    const world = await createComponentWorld(engine);
    const { shapes, credentials, ...manifest } = trackerManifest();
    await world.register({
      manifest: {
        ...manifest,
        shapes: [...shapes, { name: 'S-<org-name>', fields: {} }, { name: 'S-home', fields: { x: 'number' } }],
        credentials: [...credentials, { name: '<repo-name>' }, { name: 'world' }],
        subscriptions: [{ ...manifest.subscriptions[0], name: `t${'-<repo-name>'.repeat(17)}` }],
      },
    });
    const refused = await world.owner('component.install', TRACKER);
    expect(refused).toMatchObject({ status: 409, code: 'CONFLICT' });
    expect(JSON.parse(refused.body).error.data.cairn.details.reasons).toEqual([
      expect.stringContaining('subscriptions.0.name: expected a subscription name'),
      expect.stringContaining('shapes.3.name: "S-home" appears twice'),
      expect.stringContaining('credentials.2.name: "world" appears twice'),
    ]);
    expect((await world.standing()).installs).toEqual([]);
    (await world.owner('repo.create', { orgName: 'acme', name: 'w' })).data();
    const elsewhere = { orgName: 'acme', repoName: 'w', component: 'acme/tracker' };
    expect((await world.owner('component.install', elsewhere)).status).toBe(200);
  });

  it('are not installed in what is archived, and can be ended there', async () => {
    const world = await createComponentWorld(engine);
    await world.register();
    await installed(world);
    (await world.owner('repo.archive', INSTALL_REPO)).data();
    for (const name of ['component.install', 'component.update'] as const) {
      expect([name, (await world.owner(name, TRACKER)).code]).toEqual([name, 'ARCHIVED']);
    }
    expect((await world.owner('component.pause', TRACKER)).data().state).toBe('paused');
    expect((await world.owner('component.resume', TRACKER)).code).toBe('ARCHIVED');
    expect((await world.owner('component.teardown', TRACKER)).data().state).toBe('uninstalled');
  });

  it('are refused with the reason when what they declare cannot be written', async () => {
    const world = await createComponentWorld(engine);
    const seeds = [{ shape: 'Track', name: 'first', data: { of: 'Signal/nowhere' } }];
    await world.register({ manifest: { ...trackerManifest(), seeds } });
    expect((await world.owner('component.install', TRACKER)).status).toBe(400);
    const found = (await world.owner('component.get', TRACKER)).data();
    expect(found).toMatchObject({ state: 'error', message: expect.stringContaining('Signal/nowhere') });
    expect((await world.standing()).owned).toEqual([]);
  });

  it('are given nothing that who installs them does not hold', async () => {
    const world = await createComponentWorld(engine);
    const { app, store } = world;
    await world.register();
    const before = await world.standing();
    const missing = async (name: string, scopes: { permissions: Scope[]; refs?: string[] }[]) => {
      const { token } = await createToken(store, { email: OWNER.email, name, scopes });
      const answer = await caller(app, token)('component.install', TRACKER);
      expect(await world.standing()).toEqual(before);
      return [answer.status, JSON.parse(answer.body).error.data.cairn.details?.missing];
    };
    expect(await missing('reads', [{ permissions: ['repo:read'] }])).toEqual([403, ['repo:write', 'repo:configure']]);
    expect(await missing('configures', [{ permissions: ['repo:configure'] }])).toEqual([
      403,
      ['repo:write', 'repo:read'],
    ]);
    expect(await missing('writes', [{ permissions: ['repo:write'] }])).toEqual([403, ['repo:configure', 'repo:read']]);
    const permissions: Scope[] = ['repo:write', 'repo:configure', 'repo:read'];
    expect(await missing('narrow', [{ permissions, refs: ['Signal/**'] }])).toEqual([403, ['repo:read']]);
    const full = caller(app, await createScopedToken(store, { name: 'full', resource: 'home/world', permissions }));
    expect((await full('component.install', TRACKER)).status).toBe(200);
    const ends = await createScopedToken(store, { name: 'ends', permissions: ['repo:write', 'repo:configure'] });
    expect((await caller(app, ends)('component.pause', TRACKER)).status).toBe(200);
    expect((await caller(app, ends)('component.resume', TRACKER)).status).toBe(403);
    const writes = await createScopedToken(store, { name: 'only', permissions: ['repo:write'] });
    expect((await caller(app, writes)('component.teardown', TRACKER)).status).toBe(403);
    expect((await caller(app, ends)('component.teardown', TRACKER)).status).toBe(200);
  });

  it('that bring only shapes need no more than repo:write', async () => {
    const world = await createComponentWorld(engine);
    const { component, shapes, seeds } = trackerManifest();
    await world.register({ manifest: { component, shapes, seeds } });
    const token = await createScopedToken(world.store, { name: 'writes', permissions: ['repo:write'] });
    const report = (await caller(world.app, token)('component.install', TRACKER)).data();
    expect(report).toMatchObject({ state: 'ready', granted: { scopes: ['repo:write'], reads: [], writes: [] } });
  });

  it('give up what a version brought for who may end that', async () => {
    const world = await createComponentWorld(engine);
    await world.register();
    await installed(world);
    const { component, shapes, seeds } = trackerManifest();
    await world.publish({ component: { ...component, version: '2.0.0' }, shapes, seeds });
    const token = await createScopedToken(world.store, { name: 'writes', permissions: ['repo:write'] });
    const before = await world.standing();
    const answer = await caller(world.app, token)('component.update', TRACKER);
    const { details } = JSON.parse(answer.body).error.data.cairn;
    expect([answer.status, details]).toEqual([403, { missing: ['repo:configure'], withheldBy: 'token' }]);
    expect(await world.standing()).toEqual(before);
  });

  it('follow their repository and their organization to other names', async () => {
    const world = await createComponentWorld(engine);
    const { owner } = world;
    await world.register();
    await installed(world);
    (await owner('repo.rename', { ...INSTALL_REPO, newName: 'moved' })).data();
    (await owner('repo.transfer', { orgName: 'home', repoName: 'moved', newOrgName: 'acme' })).data();
    (await owner('org.rename', { orgName: 'acme', newName: 'zenith' })).data();
    const place = { orgName: 'zenith', repoName: 'moved', component: 'zenith/tracker' };
    const report = (await owner('component.doctor', place)).data();
    expect(report.findings.map(({ code }) => code)).toEqual(['credential-keys-unset']);
    const { sets, subscriptions, watches } = await world.standing();
    for (const row of [...sets, ...subscriptions, ...watches])
      expect(row).toMatchObject({ component: 'zenith/tracker' });
    const before = await world.standing();
    (await owner('component.install', place)).data();
    expect({ ...(await world.standing()), records: [] }).toEqual({ ...before, records: [] });
    expect((await owner('component.teardown', place)).data().state).toBe('uninstalled');
  });
});
