// Calls of a component's own endpoints: contents, tokens, and misbehaving components.
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import {
  CLI_SECRET,
  type ComponentOptions,
  type ComponentWorld,
  createComponentWorld,
  INSTALL,
  manifestOf,
  SIGNING_SECRET,
} from '../../../../test/support/called-component.ts';
import { TEST_URL } from '../../../../test/support/principal.ts';
import { caller } from '../../../../test/support/procedure.ts';
import { type Answering, pour, withStatus } from '../../../../test/support/receiver.ts';
import { tracesOf } from '../../../../test/support/secret-trace.ts';
import { contentsOf } from '../../../../test/support/statement.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import type { Engine } from '../engine/database.ts';

const PLACE = { orgName: 'acme', repoName: 'world' };

async function createRegistered(engine: Engine, options?: ComponentOptions): Promise<ComponentWorld> {
  const world = await createComponentWorld(engine, options);
  await world.register({ uninstallUrl: `${world.receiver.url}/gone` });
  return world;
}

async function callSetup({ ask }: ComponentWorld) {
  const installRepo = 'acme/world';
  const { installId, manifestHash: expectedManifestHash } = (await ask('resolve', { installRepo })).body;
  return await ask('setup-call', { installRepo, installId, expectedManifestHash });
}

const standing = async ({ app }: ComponentWorld, token: string) =>
  (await caller(app, token)('auth.whoami', {})).status === 200;

describe.each(UPPER_ENGINES)('calls of setup endpoints on %s', (engine) => {
  it('carry who is installed where, and tokens, signed by the organization of the component', async () => {
    const world = await createRegistered(engine);
    const { installId } = await world.install();
    const [call] = world.receiver.received;
    const { manifestHash } = (await world.owner('component.get', INSTALL)).data();
    expect(call).toMatchObject({ method: 'POST', path: '/setup' });
    expect(call?.body).toEqual({
      ...{ installId, installRepo: 'acme/world', component: 'maker/thing', version: '1.0.0', manifestHash },
      ...{ apiUrl: TEST_URL, setup_token: expect.stringMatching(/^cairn_setup_/) },
      runtime_token: expect.stringMatching(/^cairn_run_/),
    });
    const headers = call?.headers as Record<string, string>;
    const webhook = new Webhook(SIGNING_SECRET);
    expect(webhook.verify(call?.text ?? '', headers)).toEqual(call?.body);
    expect(() => webhook.verify(call?.text.replace('acme', 'acmf') ?? '', headers)).toThrow();
    await callSetup(world);
    const ids = world.receiver.received.map((received) => received.headers['webhook-id']);
    expect(ids).toEqual([expect.stringContaining(installId), expect.stringContaining(installId)]);
    expect(new Set(ids).size).toBe(2);
    const { items } = (await world.owner('audit.list', { orgName: 'acme', action: 'component.setup' })).data();
    expect(items[0]?.details).toEqual({ component: 'maker/thing', version: '1.0.0', tokens: ['setup', 'runtime'] });
    (await world.owner('component.teardown', INSTALL)).data();
    const gone = world.receiver.received.at(-1);
    expect([gone?.path, gone?.body.setup_token, gone?.body.runtime_token]).toEqual(['/gone', undefined, undefined]);
    expect(webhook.verify(gone?.text ?? '', gone?.headers as Record<string, string>)).toMatchObject({ installId });
  });

  it('leave the runtime token that was confirmed, and the newest', async () => {
    const world = await createRegistered(engine);
    await world.install();
    const first = world.tokens().runtime;
    expect([await standing(world, first), await standing(world, world.tokens().setup)]).toEqual([true, false]);
    const failing: string[] = [];
    world.receiver.answer(withStatus(500));
    for (let call = 0; call < 2; call += 1) {
      await callSetup(world);
      failing.push(world.tokens().runtime);
    }
    expect(await Promise.all([first, ...failing].map((token) => standing(world, token)))).toEqual([true, false, true]);
    world.receiver.answer(withStatus(204));
    await callSetup(world);
    const last = world.tokens().runtime;
    expect(await Promise.all([first, ...failing, last].map((token) => standing(world, token)))).toEqual([
      ...[false, false, false],
      true,
    ]);
    world.receiver.answer(withStatus(200));
    await Promise.all([callSetup(world), callSetup(world), callSetup(world)]);
    const given = world.receiver.received.map(({ body }) => body.runtime_token);
    const left = await Promise.all(given.map((token) => standing(world, token)));
    expect(left.filter(Boolean).length).toBeLessThanOrEqual(2);
    expect(left.filter(Boolean).length).toBeGreaterThan(0);
  });

  it.each<[string, Answering, { httpStatus?: number; message: RegExp }]>([
    ['answers 500', withStatus(500, {}, 'out of order'), { httpStatus: 500, message: /answered 500: out of order/ }],
    ['answers 401', withStatus(401), { httpStatus: 401, message: /answered 401\./ }],
    ['hangs', () => undefined, { message: /was too slow. .*not complete within/ }],
    ['resets', (response) => response.destroy(), { message: /broke before/ }],
    [
      'redirects to a private address',
      withStatus(302, { location: 'http://10.0.0.1/' }),
      { httpStatus: 302, message: /does not follow redirects/ },
    ],
    ['sends 100 MB', (response) => pour(response, 100 * 2 ** 20), { httpStatus: 200, message: /too much text/ }],
  ])('of a component that %s have failed, and the install says what to do', async (_, answering, expected) => {
    const world = await createRegistered(engine, { answering, outbound: { totalMs: 1_500 } });
    (await world.owner('component.install', { ...INSTALL, callSetup: false })).data();
    const called = await callSetup(world);
    expect(called.status).toBe(200);
    const { httpStatus, message } = expected;
    const failed = { status: 'failed', ...(httpStatus && { httpStatus }), message: expect.stringMatching(message) };
    expect(called.body).toEqual(failed);
    const { state, findings, setup } = (await world.owner('component.doctor', INSTALL)).data();
    expect([state, setup]).toEqual(['degraded', failed]);
    const finding = findings.find(({ code }) => code === 'setup-failed');
    expect(finding?.message).toMatch(/[.!?] When maker\/thing works again, run the install again\.$/);
  });

  it('are not sent to a private address, nor unsigned when the set cannot be used', async () => {
    let address = '93.184.216.34';
    const world = await createComponentWorld(engine, { outbound: { resolve: async () => [address] } });
    const inside = 'https://inside.example.com';
    await world.register({
      setupUrl: `${inside}/secret-path`,
      uninstallUrl: `${inside}/gone`,
      credentialSet: undefined,
    });
    (await world.owner('component.install', { ...INSTALL, callSetup: false })).data();
    address = '127.0.0.1';
    const { body } = await callSetup(world);
    expect(body).toMatchObject({ status: 'failed', message: expect.stringContaining('not public') });
    expect(JSON.stringify(body)).not.toContain('secret-path');
    const { uninstall } = (await world.owner('component.teardown', INSTALL)).data();
    expect(uninstall).toMatchObject({ status: 'failed', message: expect.stringContaining('not public') });

    const signed = await createRegistered(engine);
    (await signed.owner('component.install', { ...INSTALL, callSetup: false })).data();
    (await signed.owner('credential.revoke', { orgName: 'maker', name: 'maker-keys' })).data();
    expect((await callSetup(signed)).body).toMatchObject({
      status: 'failed',
      message: expect.stringContaining('revoked'),
    });
    expect(signed.receiver.received).toEqual([]);
  });

  it('leave nothing of secrets and tokens behind that a component sends back', async () => {
    const echo: Answering = (response, { headers, text }) => {
      const said = `${text} ${JSON.stringify(headers)} ${SIGNING_SECRET} ${CLI_SECRET}`;
      response.writeHead(500, { 'content-type': 'application/json' }).end(JSON.stringify({ message: said }));
    };
    const world = await createRegistered(engine, { answering: echo });
    const installed = await world.owner('component.install', INSTALL);
    const called = await callSetup(world);
    expect(called.body.message).toContain('***');
    const { setup, runtime } = world.tokens();
    const first = world.receiver.received[0]?.body;
    const keys = { CLI_SIGNING_SECRET: CLI_SECRET };
    (await world.owner('credential.setKeys', { ...PLACE, name: 'thing-keys', keys })).data();
    await world.ask('cli/count', { installRepo: 'acme/world', args: { text: 'a' } });
    const told = [installed.body, called.text, (await world.owner('component.doctor', INSTALL)).body, world.logged];
    const kept = Object.entries(await contentsOf(world.store));
    const rows = kept.filter(([table]) => table !== 'component_token');
    const text = JSON.stringify([told, rows]);
    for (const secret of [setup, runtime, first.setup_token, first.runtime_token, SIGNING_SECRET, CLI_SECRET]) {
      expect(tracesOf(secret, text)).toEqual([]);
    }
    const tokens = JSON.stringify(kept.filter(([table]) => table === 'component_token'));
    for (const secret of [setup, runtime]) expect(tokens).not.toContain(secret.slice(-30));
  });

  it('of a version that asks for less take the rest away, from the token of before too', async () => {
    const world = await createRegistered(engine);
    await world.install();
    const earlier = caller(world.app, world.tokens().runtime);
    (await world.owner('commit.submit', { ...PLACE, operations: [{ name: 'Count/a', data: {} }] })).data();
    expect((await earlier('thing.get', { ...PLACE, wref: 'Count/a' })).status).toBe(200);
    const manifest = manifestOf('2.0.0', { runtimeAccess: { reads: [], writes: ['Count/b'] } });
    (await world.owner('component.publish', { orgName: 'maker', name: 'thing', manifest })).data();
    (await world.owner('component.update', { ...INSTALL, callSetup: false })).data();
    expect((await earlier('thing.get', { ...PLACE, wref: 'Count/a' })).status).toBe(404);
    expect((await earlier('commit.submit', { ...PLACE, operations: [{ name: 'Count/c', data: {} }] })).status).toBe(
      403,
    );
  });
});
