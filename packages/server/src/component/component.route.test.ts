// The component routes (spec 4.5): permissions and effects.
import { SCOPE_NAMES, type Scope } from '@cairn/protocol/scopes';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import {
  CLI_SECRET,
  type ComponentOptions,
  type ComponentWorld,
  createComponentWorld,
  INSTALL,
  manifestOf,
} from '../../../../test/support/called-component.ts';
import { createPerson } from '../../../../test/support/person.ts';
import { caller, createScopedToken } from '../../../../test/support/procedure.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { createToken } from '../account/account.ts';
import type { Engine } from '../engine/database.ts';

const PLACE = { orgName: 'acme', repoName: 'world' };
const REPO = { installRepo: 'acme/world' };
const HASH = '0'.repeat(64);

async function createRegistered(engine: Engine, options?: ComponentOptions): Promise<ComponentWorld> {
  const world = await createComponentWorld(engine, options);
  await world.register();
  return world;
}

async function bodyOf({ ask }: ComponentWorld, route: string): Promise<Record<string, unknown>> {
  if (route === 'resolve') return REPO;
  if (route.startsWith('cli')) return { ...REPO, args: { text: 'a' } };
  const { manifestHash: expectedManifestHash, installId } = (await ask('resolve', REPO)).body;
  return { ...REPO, installId, expectedManifestHash };
}

let tokens = 0;
const tokenWith = (world: ComponentWorld, permissions: readonly Scope[], resource = 'acme/world') =>
  createScopedToken(world.store, { name: `scoped-${++tokens}`, permissions, resource });

async function outsider({ store }: ComponentWorld, role?: { owner: ComponentWorld['owner']; role: 'read' | 'admin' }) {
  const email = `eve${++tokens}@example.com`;
  const { handle } = await createPerson(store, { email, password: 'long enough it is', operator: false });
  if (role !== undefined) (await role.owner('repo.setRole', { ...PLACE, handle, role: role.role } as never)).data();
  return (await createToken(store, { email, name: 'all', scopes: [{ permissions: [...SCOPE_NAMES] }] })).token;
}

const ROUTES = ['resolve', 'setup-call', 'cli/count'] as const;
const SCOPE = { resolve: 'repo:write', 'setup-call': 'repo:write', 'cli/count': 'repo:read' } as const;

describe.each(UPPER_ENGINES)('the component routes on %s', (engine) => {
  it(verifies('resolve the latest manifest', '4.5/resolve-mounted', '4.5/resolve-latest'), async () => {
    const { ask, owner } = await createRegistered(engine);
    const first = await ask('resolve', REPO);
    expect([first.status, first.body]).toEqual([
      200,
      expect.objectContaining({ version: '1.0.0', manifest: manifestOf(), hasSetup: true }),
    ]);
    expect(first.headers.get('vary')).toContain('Authorization');
    const manifest = manifestOf('1.1.0', { seeds: [] });
    (await owner('component.publish', { orgName: 'maker', name: 'thing', manifest })).data();
    const next = (await ask('resolve', REPO)).body;
    expect(next).toMatchObject({ version: '1.1.0', manifest, installId: first.body.installId });
    expect(next.manifestHash).not.toBe(first.body.manifestHash);
  });

  it(verifies('say whether it can be installed', '4.5/resolve-eligible', '4.5/resolve-ineligible'), async () => {
    const { ask, owner } = await createRegistered(engine);
    expect((await ask('resolve', REPO)).body).toMatchObject({ eligible: true, reasons: [] });
    (await owner('shape.create', { ...PLACE, name: 'Count', fields: { other: 'string' } })).data();
    expect((await ask('resolve', REPO)).body).toMatchObject({
      eligible: false,
      reasons: [expect.stringContaining('Count')],
    });
  });

  it(verifies('carry out an install together', '4.5/install-handshake', '4.5/setup-mounted'), async () => {
    const { ask, owner, receiver } = await createRegistered(engine);
    const { manifestHash, installId } = (await ask('resolve', REPO)).body;
    const begun = (await owner('component.install', { ...INSTALL, callSetup: false })).data();
    expect([begun.state, receiver.received.length]).toEqual(['installing', 0]);
    (
      await owner('credential.setKeys', { ...PLACE, name: 'thing-keys', keys: { CLI_SIGNING_SECRET: CLI_SECRET } })
    ).data();
    const called = await ask('setup-call', { ...REPO, installId, expectedManifestHash: manifestHash });
    expect([called.status, called.body]).toEqual([200, { status: 'completed', httpStatus: 200 }]);
    expect(receiver.received.map(({ path }) => path)).toEqual(['/setup']);
    const { state, findings } = (await owner('component.doctor', INSTALL)).data();
    expect([state, new Set(findings.map(({ code }) => code))]).toEqual(['degraded', new Set(['missing'])]);
  });

  it('make an install ready when nothing is left to do', async () => {
    const world = await createComponentWorld(engine);
    const { ask, owner } = world;
    const { shapes, runtimeAccess } = manifestOf();
    const made = { shapes: (shapes as unknown[]).slice(0, 1), credentials: [], subscriptions: [], cli: undefined };
    await world.register({ manifest: manifestOf('1.0.0', { ...made, runtimeAccess }) });
    (await owner('component.install', { ...INSTALL, callSetup: false })).data();
    expect((await ask('setup-call', await bodyOf(world, 'setup-call'))).body.status).toBe('completed');
    expect((await owner('component.get', INSTALL)).data().state).toBe('ready');
    expect(world.tokens()).toEqual({ setup: undefined, runtime: expect.stringMatching(/^cairn_run_/) });
  });

  it(verifies('dispatch nothing where no setup is registered', '4.5/setup-optional'), async () => {
    const world = await createComponentWorld(engine);
    await world.register({ setupUrl: undefined, allowedCallbacks: [world.receiver.url] });
    (await world.owner('component.install', { ...INSTALL, callSetup: false })).data();
    const called = await world.ask('setup-call', await bodyOf(world, 'setup-call'));
    expect([called.status, called.body]).toEqual([200, { status: 'skipped' }]);
    expect(world.receiver.received).toEqual([]);
  });

  it(
    verifies('are refused without credentials', '4.5/resolve-anonymous', '4.5/setup-anonymous', '4.5/cli-anonymous'),
    async () => {
      const world = await createRegistered(engine);
      await world.install();
      const before = world.receiver.received.length;
      for (const visibility of ['private', 'public'] as const) {
        (await world.owner('repo.setVisibility', { ...PLACE, visibility })).data();
        for (const route of ROUTES) {
          const body = await bodyOf(world, route);
          for (const sent of [body, { nonsense: 1 }]) {
            const { status, headers } = await world.ask(route, sent, { token: null });
            expect([route, status, headers.get('www-authenticate')]).toEqual([route, 401, expect.anything()]);
          }
        }
      }
      expect(world.receiver.received).toHaveLength(before);
    },
  );

  it(
    verifies(
      'take the scope that they name, and no other',
      '4.5/resolve-scope',
      '4.5/resolve-other-scopes',
      '4.5/resolve-other-repo',
      '4.5/setup-scope',
      '4.5/setup-other-scopes',
      '4.5/setup-other-repo',
      '4.5/cli-scope',
      '4.5/cli-other-scopes',
      '4.5/cli-other-repo',
    ),
    async () => {
      const world = await createRegistered(engine);
      const { ask, owner } = world;
      (await owner('repo.create', { orgName: 'acme', name: 'other' })).data();
      await world.install();
      for (const route of ROUTES) {
        const body = await bodyOf(world, route);
        const alone = await tokenWith(world, [SCOPE[route]]);
        expect([route, (await ask(route, body, { token: alone })).status]).toEqual([route, 200]);
        const before = world.receiver.received.length;
        const others = await tokenWith(
          world,
          SCOPE_NAMES.filter((scope) => scope !== SCOPE[route]),
        );
        const refused = await ask(route, body, { token: others });
        const expected = route === 'cli/count' ? 404 : 403;
        expect([route, refused.status]).toEqual([route, expected]);
        if (expected === 403) expect(refused.body.error.details.missing).toEqual([SCOPE[route]]);
        const elsewhere = await tokenWith(world, [SCOPE[route]], 'acme/other');
        expect([route, (await ask(route, body, { token: elsewhere })).status]).toEqual([route, 404]);
        expect(world.receiver.received).toHaveLength(before);
      }
    },
  );

  it(verifies('dispatch the method that is named', '4.5/cli-mounted', '4.5/cli-installed'), async () => {
    const world = await createRegistered(engine);
    const { ask, receiver } = world;
    const body = await bodyOf(world, 'cli/count');
    expect((await ask('cli/count', body)).status).toBe(409);
    expect(receiver.received).toEqual([]);
    await world.install();
    expect((await ask('cli/count', body)).body).toEqual({ status: 200, body: '' });
    expect(receiver.received.at(-1)?.path).toBe('/count?text=a&limit=10');
  });

  it(
    verifies('ask for the permission of a method', '4.5/cli-permission-missing', '4.5/cli-permission-held'),
    async () => {
      const world = await createRegistered(engine);
      await world.install();
      const { ask, receiver } = world;
      const before = receiver.received.length;
      const body = { ...REPO, args: { factor: 'wrong' } };
      const reader = await tokenWith(world, ['repo:read', 'repo:configure']);
      const refused = await ask('cli/reset', body, { token: reader });
      expect([refused.status, refused.body.error.details]).toEqual([403, { missing: ['repo:write'] }]);
      expect(receiver.received).toHaveLength(before);
      const writer = await tokenWith(world, ['repo:read', 'repo:write']);
      expect((await ask('cli/reset', { ...REPO, args: {} }, { token: writer })).status).toBe(200);
      expect(receiver.received.at(-1)?.path).toBe('/do/reset');
    },
  );

  it(
    verifies(
      'are for members of the organization of a private component, and for all of a public one',
      '4.5/cli-private-member',
      '4.5/cli-private-outsider',
      '4.5/cli-public-outsider',
    ),
    async () => {
      const world = await createRegistered(engine);
      const { ask, owner } = world;
      await world.install();
      const token = await outsider(world, { owner, role: 'admin' });
      for (const route of ROUTES) {
        expect([route, (await ask(route, await bodyOf(world, route), { token })).status]).toEqual([route, 200]);
      }
      const form = { orgName: 'maker', name: 'thing', manifest: manifestOf(), visibility: 'private' as const };
      (await owner('component.publish', form)).data();
      const before = world.receiver.received.length;
      for (const route of ROUTES) {
        const body = await bodyOf(world, route);
        const hidden = await ask(route, body, { token });
        const unknown = await ask(route, body, { token, component: 'maker/unknown' });
        expect([route, hidden.status, hidden.text]).toEqual([route, 404, unknown.text]);
        expect([route, (await ask(route, body)).status]).toEqual([route, 200]);
      }
      expect(world.receiver.received).toHaveLength(before + 2);
    },
  );

  it('answer every 404 of a route alike, and say what is wrong with a body before anything is looked up', async () => {
    const world = await createRegistered(engine);
    await world.install();
    const token = await outsider(world);
    for (const route of ROUTES) {
      const body = await bodyOf(world, route);
      const answers = [
        await world.ask(route, { ...body, installRepo: 'acme/none' }),
        await world.ask(route, { ...body, installRepo: 'none/world' }),
        await world.ask(route, body, { token }),
        await world.ask(route, body, { component: 'maker/none' }),
        await world.ask(route, body, { component: 'none/thing' }),
        await world.ask(route, body, { component: 'MAKER/%00' }),
        ...(route === 'cli/count' ? [await world.ask('cli/none', body), await world.ask('cli/%00', body)] : []),
      ];
      const seen = answers.map(({ status, text, headers }) => {
        const rest = [...headers].filter(([name]) => name !== 'x-request-id');
        return JSON.stringify([status, text, rest]);
      });
      expect([route, new Set(seen).size, answers[0]?.status]).toEqual([route, 1, 404]);
      expect(answers[0]?.headers.get('vary')).toContain('Authorization');
      expect(answers[0]?.text.includes('method')).toBe(route === 'cli/count');
      const { details } = (await world.ask(route, { ...body, installRepo: 'world' })).body.error;
      expect(details).toEqual([{ path: 'installRepo', message: 'expected a repository as org/repo' }]);
      for (const bad of [{}, { ...body, more: 1 }, { ...body, installRepo: 'world' }, []]) {
        const refused = await world.ask(route, bad, { component: 'maker/none', token });
        expect([route, bad, refused.status]).toEqual([route, bad, 400]);
      }
    }
  });

  it('refuse a setup call for another manifest, another install, or what is not there', async () => {
    const world = await createRegistered(engine);
    const { ask, owner, receiver } = world;
    const body = await bodyOf(world, 'setup-call');
    expect((await ask('setup-call', body)).body.error.details).toMatchObject({ reason: 'not_installed' });
    (await owner('component.install', { ...INSTALL, callSetup: false })).data();
    const stale = [{ expectedManifestHash: HASH }, { installId: 'ins_other' }];
    for (const part of stale) expect((await ask('setup-call', { ...body, ...part })).status).toBe(409);
    const manifest = manifestOf('2.0.0', { seeds: [] });
    (await owner('component.publish', { orgName: 'maker', name: 'thing', manifest })).data();
    expect((await ask('setup-call', body)).status).toBe(409);
    expect((await ask('setup-call', await bodyOf(world, 'setup-call'))).status).toBe(409);
    (await owner('component.update', { ...INSTALL, callSetup: false })).data();
    (await owner('component.pause', INSTALL)).data();
    expect((await ask('setup-call', await bodyOf(world, 'setup-call'))).body.error.details).toEqual({
      reason: 'paused',
    });
    (await owner('component.teardown', INSTALL)).data();
    expect((await ask('setup-call', await bodyOf(world, 'setup-call'))).status).toBe(409);
    expect(receiver.received).toEqual([]);
  });

  it('are not for tokens of components', async () => {
    const world = await createRegistered(engine);
    await world.install();
    const { setup, runtime } = world.tokens();
    expect((await caller(world.app, setup)('auth.whoami', {})).status).toBe(401);
    for (const route of ROUTES) {
      expect((await world.ask(route, await bodyOf(world, route), { token: runtime })).status).toBe(403);
    }
  });
});
