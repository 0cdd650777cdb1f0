// The registry of components: immutable versions, their order, and visibility.
import type { ProcedureName } from '@cairn/protocol/procedure-kinds';
import type { ProcedureInput } from '@cairn/protocol/procedures';
import { describe, expect, it } from 'vitest';
import { fullManifest, type ManifestJson, smallManifest } from '../../../../test/support/manifest.ts';
import { caller, createPrincipals, createScopedToken } from '../../../../test/support/procedure.ts';
import { createTestApp } from '../../../../test/support/server.ts';
import { runStatement } from '../../../../test/support/statement.ts';
import { ENGINES } from '../../../../test/support/store.ts';
import type { Engine } from '../engine/database.ts';

const ORIGIN = 'https://signals.example.com';
const SETUP = `${ORIGIN}/setup/hush-path?key=hush`;
const REF = { orgName: 'acme', name: 'signals' };

async function prepare(engine: Engine) {
  const { app, store, logged } = await createTestApp(engine);
  const principals = await createPrincipals(store);
  const owner = caller(app, principals.operator);
  const outsider = caller(app, principals.other);
  (await owner('org.create', { name: 'acme' })).data();
  const form = (manifest: ManifestJson, rest: Partial<ProcedureInput<'component.register'>> = {}) => ({
    orgName: 'acme',
    name: manifest.component.name,
    manifest,
    ...rest,
  });
  const register = async (...given: Parameters<typeof form>) => await owner('component.register', form(...given));
  const publish = async (...given: Parameters<typeof form>) => await owner('component.publish', form(...given));
  const audit = async () => (await owner('audit.list', { orgName: 'acme' })).data().items;
  return { app, store, logged, owner, outsider, anonymous: caller(app), form, register, publish, audit };
}

describe.each(ENGINES)('the registry of components on %s', (engine) => {
  it('takes a component with its first version, and shows it without what is secret', async () => {
    const { owner, register, audit } = await prepare(engine);
    const manifest = fullManifest();
    await owner('credential.create', { orgName: 'acme', name: 'signing' });
    const made = (
      await register(manifest, {
        setupUrl: SETUP,
        uninstallUrl: `${ORIGIN}/uninstall/hush`,
        allowedCallbacks: ['https://cli.example.com/a/hush', 'https://cli.example.com'],
        credentialSet: 'signing',
      })
    ).data();
    expect(made).toMatchObject({
      ...{ ...REF, id: 'com.acme.signals', description: 'Counts signals.', visibility: 'private' },
      ...{ version: '1.0.0', latestVersion: '1.0.0', hasSetup: true, createdBy: 'token:ada/all' },
      ...{ setupOrigin: `${ORIGIN}/***`, uninstallOrigin: `${ORIGIN}/***`, credentialSet: 'signing' },
      allowedCallbacks: ['https://cli.example.com'],
      mintedTokens: ['setup', 'runtime'],
      versions: [{ version: '1.0.0', manifestHash: made.manifestHash, publishedBy: 'token:ada/all' }],
      warnings: [],
    });
    expect(made.manifest).toEqual(manifest);
    expect(made.manifestHash).toMatch(/^[0-9a-f]{64}$/);
    expect((await owner('component.view', REF)).data()).toEqual(made);
    const [entry] = await audit();
    expect(entry).toMatchObject({ action: 'component.register', target: 'acme/signals', actor: 'token:ada/all' });
    expect(JSON.stringify([made, await audit()])).not.toContain('hush');
  });

  it('keeps the manifest as it was sent, and hashes what it says', async () => {
    const { register, publish } = await prepare(engine);
    const sent = { ...smallManifest(), zebra: { b: 1, a: 'é' }, alpha: [1.0, 1e2] };
    const made = (await register(sent)).data();
    expect(JSON.stringify(made.manifest)).toBe(JSON.stringify(sent));
    expect(made.warnings.map(({ path }) => path)).toEqual(['zebra', 'alpha']);
    const turned = { alpha: [1, 100], zebra: { a: 'é', b: 1 }, ...smallManifest() };
    expect((await publish(turned)).data()).toEqual(made);
  });

  it('never changes a version, and takes versions in their order', async () => {
    const { register, publish, owner } = await prepare(engine);
    const first = (await register(smallManifest({ version: '1.0.0-rc.1' }))).data();
    const changed = { ...smallManifest({ version: '1.0.0-rc.1' }), runtimeAccess: { reads: ['A'], writes: [] } };
    const again = await publish(changed);
    expect([again.status, again.code]).toEqual([409, 'CONFLICT']);
    expect(again.message).toContain('1.0.0-rc.1');
    expect((await publish(smallManifest({ version: '1.0.0' }))).data().latestVersion).toBe('1.0.0');
    for (const version of ['0.9.9', '1.0.0-rc.2', '1.0.0+build.2']) {
      expect([version, (await publish(smallManifest({ version }))).code]).toEqual([version, 'CONFLICT']);
    }
    const latest = (await publish(smallManifest({ version: '1.0.10' }))).data();
    expect((await publish(smallManifest({ version: '1.0.9' }))).code).toBe('CONFLICT');
    expect((await publish(smallManifest({ version: '1.0.0-rc.1' }))).data()).toEqual(latest);
    expect(latest.versions.map(({ version }) => version)).toEqual(['1.0.10', '1.0.0', '1.0.0-rc.1']);
    const view = async (version: string) => await owner('component.view', { orgName: 'acme', name: 'small', version });
    expect((await view('1.0.0-rc.1')).data()).toEqual({
      ...latest,
      version: first.version,
      manifest: first.manifest,
      manifestHash: first.manifestHash,
    });
    expect([(await view('3.0.0')).status, (await view('3.0.0')).message]).toEqual([
      404,
      expect.stringContaining('3.0.0'),
    ]);
  });

  it('lets one of two publications of a version win, and tells the other so', async () => {
    const { register, publish, owner } = await prepare(engine);
    (await register(smallManifest())).data();
    const candidates = ['a', 'b', 'c', 'd'].map((reads) => ({
      ...smallManifest({ version: '2.0.0' }),
      runtimeAccess: { reads: [reads], writes: [] },
    }));
    const answers = await Promise.all(candidates.map((manifest) => publish(manifest)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    const winner = answers.find(({ status }) => status === 200)?.data();
    expect((await owner('component.view', { orgName: 'acme', name: 'small' })).data()).toEqual(winner);
    const same = await Promise.all([1, 2, 3].map(() => publish(smallManifest({ version: '3.0.0' }))));
    expect(new Set(same.map(({ body }) => body)).size).toBe(1);
    const made = await Promise.all([1, 2, 3].map(() => register(smallManifest({ name: 'other' }))));
    expect(made.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  });

  it('keeps what a publication leaves out of the registration, and the name and id of the component', async () => {
    const { owner, register, publish, form } = await prepare(engine);
    await owner('credential.create', { orgName: 'acme', name: 'signing' });
    const rest = { setupUrl: SETUP, allowedCallbacks: ['https://cli.example.com'], credentialSet: 'signing' };
    await register(fullManifest(), { ...rest, mintedTokens: ['runtime'], visibility: 'public' });
    const next = (await publish(fullManifest({ version: '1.1.0' }))).data();
    expect(next).toMatchObject({ setupOrigin: `${ORIGIN}/***`, credentialSet: 'signing', visibility: 'public' });
    expect(next).toMatchObject({ allowedCallbacks: ['https://cli.example.com'], mintedTokens: ['runtime'] });
    const closed = await publish(fullManifest({ version: '1.1.0' }), { visibility: 'private' });
    expect(closed.data()).toMatchObject({ version: '1.1.0', visibility: 'private' });
    const otherId = fullManifest({ version: '2.0.0' });
    otherId.component.id = 'com.acme.other';
    expect([(await publish(otherId)).code, (await publish(otherId)).status]).toEqual(['CONFLICT', 409]);
    const otherName = await owner('component.publish', {
      ...form(fullManifest({ version: '2.0.0' })),
      name: 'another',
    });
    expect([otherName.status, otherName.body]).toEqual([400, expect.stringContaining('manifest.component.name')]);
    expect((await publish(fullManifest({ name: 'unknown' }))).status).toBe(404);
    const taken = await register(fullManifest());
    expect([taken.status, taken.code]).toEqual([409, 'ALREADY_EXISTS']);
  });

  it('is searched by words in names, ids and descriptions, whole and page by page', async () => {
    const { owner, outsider, register } = await prepare(engine);
    const named = (name: string, description: string) => ({
      component: { id: `com.acme.${name}`, name, version: '1.0.0', description },
    });
    const isPublic = { visibility: 'public' } as const;
    (await register(named('count-words', 'Counts Words of 100% of texts'), isPublic)).data();
    (await register(named('count-stones', 'Counts stones'), isPublic)).data();
    (await register(named('count-secrets', 'Counts words too'))).data();
    const found = async (q: string, call = owner) =>
      (await call('component.registry', { q })).data().items.map(({ name }: { name: string }) => name);
    expect(await found('')).toHaveLength(3);
    expect(await found('WORDS')).toEqual(['count-secrets', 'count-words']);
    expect(await found('words', outsider)).toEqual(['count-words']);
    expect(await found('  stones acme/ ')).toEqual(['count-stones']);
    expect(await found('com.acme.count-w')).toEqual(['count-words']);
    expect(await found('100%')).toEqual(['count-words']);
    expect(await found('c%t')).toEqual([]);
    expect(await found('count_words')).toEqual([]);
    expect(await found('\\')).toEqual([]);
    const first = (await owner('component.registry', { q: 'words', limit: 1 })).data();
    const next = { q: 'words', limit: 1, cursor: first.nextCursor };
    expect((await owner('component.registry', next)).data().items).toMatchObject([{ name: 'count-words' }]);
    expect((await owner('component.registry', { ...next, q: 'stones' })).status).toBe(400);
  });

  it('refuses addresses that may not be reached, tokens for nobody and sets that are not there', async () => {
    const { owner, register, form } = await prepare(engine);
    const refusal = async (rest: object) => {
      const { status, body } = await register(smallManifest(), rest);
      return [status, JSON.parse(body).error?.data.cairn.details?.[0]?.path];
    };
    expect(await refusal({ setupUrl: 'https://127.0.0.1/' })).toEqual([400, 'setupUrl']);
    expect(await refusal({ setupUrl: 'http://example.com/' })).toEqual([400, 'setupUrl']);
    expect(await refusal({ uninstallUrl: 'https://user:pass@example.com/' })).toEqual([400, 'uninstallUrl']);
    const callbacks = ['https://example.com', 'https://[::1]/'];
    expect(await refusal({ allowedCallbacks: callbacks })).toEqual([400, 'allowedCallbacks.1']);
    expect(await refusal({ allowedCallbacks: ['*'] })).toEqual([400, 'allowedCallbacks.0']);
    expect(await refusal({ mintedTokens: ['runtime'] })).toEqual([400, 'mintedTokens']);
    expect(await refusal({ credentialSet: 'none' })).toEqual([400, 'credentialSet']);
    await owner('repo.create', { orgName: 'acme', name: 'world' });
    await owner('credential.create', { orgName: 'acme', repoName: 'world', name: 'there' });
    expect(await refusal({ credentialSet: 'there' })).toEqual([400, 'credentialSet']);
    expect((await owner('component.registry', {})).data().items).toEqual([]);
    const unsigned = (await register(smallManifest(), { setupUrl: SETUP, mintedTokens: [] })).data();
    expect(unsigned).toMatchObject({ mintedTokens: [], warnings: [{ path: 'credentialSet' }] });
    expect((await owner('component.publish', form(smallManifest(), { mintedTokens: ['setup'] }))).status).toBe(200);
  });

  it('warns of what nobody will make, and of methods that nobody can call', async () => {
    const { register, publish } = await prepare(engine);
    const credentials = [{ name: 'keys', provisioning: 'setup', requiredKeys: [] }];
    const left = (await register({ ...smallManifest(), credentials })).data();
    expect(left.warnings).toMatchObject([
      { path: 'setupUrl', message: expect.stringContaining('leaves keys to setup') },
    ]);
    const signed = [{ name: 'keys', requiredKeys: [{ key: 'CLI_SIGNING_SECRET' }] }];
    const cli = { methods: [{ name: 'count', method: 'GET', credentialSet: 'keys' }] };
    const uncalled = { ...smallManifest({ version: '1.0.1' }), credentials: signed, cli };
    expect((await publish(uncalled)).data().warnings).toMatchObject([{ path: 'allowedCallbacks' }]);
    expect((await publish(uncalled, { allowedCallbacks: [ORIGIN] })).data().warnings).toEqual([]);
  });

  it('keeps the set that its calls are signed with from being deleted', async () => {
    const { owner, register } = await prepare(engine);
    const set = { orgName: 'acme', name: 'signing' };
    await owner('credential.create', set);
    await register(smallManifest(), { setupUrl: SETUP, credentialSet: 'signing' });
    const refused = await owner('credential.delete', set);
    expect([refused.status, refused.message]).toEqual([409, expect.stringContaining('small')]);
    await owner('component.unregister', { orgName: 'acme', name: 'small' });
    expect((await owner('credential.delete', set)).status).toBe(200);
  });

  it('hides a private component from everyone outside its organization, byte for byte', async () => {
    const { app, store, owner, outsider, anonymous, form, register } = await prepare(engine);
    await owner('repo.create', { orgName: 'acme', name: 'open', visibility: 'public' });
    await register(fullManifest(), { setupUrl: SETUP });
    const sameAsUnknown = async (call: typeof owner, name: ProcedureName, input: object, unknown: object) => {
      const [hidden, none] = [await call(name, input as never), await call(name, unknown as never)];
      expect([name, hidden.status, hidden.body]).toEqual([name, none.status, none.body]);
      return hidden.status;
    };
    const none = { ...REF, name: 'none' };
    for (const call of [outsider, anonymous]) {
      expect(await sameAsUnknown(call, 'component.view', REF, none)).toBe(404);
      expect(await sameAsUnknown(call, 'component.view', { ...REF, version: '1.0.0' }, none)).toBe(404);
      expect((await call('component.registry', {})).data()).toEqual({ items: [] });
      expect((await call('component.registry', { orgName: 'acme' })).data()).toEqual({ items: [] });
    }
    const noneForm = form(fullManifest({ name: 'none' }));
    for (const name of ['component.register', 'component.publish', 'component.unregister'] as const) {
      const input = name === 'component.unregister' ? REF : form(fullManifest());
      const unknown = name === 'component.unregister' ? none : noneForm;
      expect(await sameAsUnknown(outsider, name, input, unknown)).toBe(403);
      expect(await sameAsUnknown(anonymous, name, input, unknown)).toBe(401);
    }
    const writer = caller(app, await createScopedToken(store, { name: 'w', permissions: ['repo:write'] }));
    expect((await writer('component.view', REF)).data().manifest).toEqual(fullManifest());
    expect((await writer('component.publish', form(fullManifest({ version: '2.0.0' })))).status).toBe(403);
    await owner('org.addMember', { orgName: 'acme', handle: 'eve', role: 'viewer' });
    expect((await outsider('component.view', REF)).status).toBe(200);
    expect((await outsider('component.registry', {})).data().items).toHaveLength(1);
    expect((await outsider('component.publish', form(fullManifest({ version: '2.0.0' })))).status).toBe(403);
  });

  it('does not tell whether an organization that is not seen has components', async () => {
    const { outsider, anonymous, register } = await prepare(engine);
    await register(smallManifest());
    for (const call of [outsider, anonymous]) {
      const [hidden, none] = [
        await call('component.registry', { orgName: 'acme' }),
        await call('component.registry', { orgName: 'nobody' }),
      ];
      expect([hidden.status, hidden.body]).toEqual([404, none.body]);
    }
    const unseen = await outsider('component.unregister', { orgName: 'acme', name: 'small' });
    const unknown = await outsider('component.unregister', { orgName: 'nobody', name: 'small' });
    expect([unseen.status, unseen.body]).toEqual([404, unknown.body]);
  });

  it('shows public components to everyone, without names of tokens and sets', async () => {
    const { owner, outsider, anonymous, register } = await prepare(engine);
    await owner('credential.create', { orgName: 'acme', name: 'hush-set' });
    await register(fullManifest(), { visibility: 'public', setupUrl: SETUP, credentialSet: 'hush-set' });
    await register(smallManifest(), { setupUrl: SETUP, visibility: 'public' });
    for (const call of [outsider, anonymous]) {
      const seen = await call('component.view', REF);
      expect(seen.data()).toMatchObject({ createdBy: 'token:ada', versions: [{ publishedBy: 'token:ada' }] });
      const listed = await call('component.registry', { orgName: 'acme' });
      expect(listed.data().items.map(({ name, createdBy }) => [name, createdBy])).toEqual([
        ['signals', 'token:ada'],
        ['small', 'token:ada'],
      ]);
      expect(seen.body + listed.body).not.toMatch(/hush|ada\/all/);
      expect((await call('component.view', { ...REF, name: 'small' })).data().warnings).toEqual([]);
    }
  });

  it('lists page by page, in the order of names, over organizations', async () => {
    const { owner, outsider, register } = await prepare(engine);
    await owner('org.create', { name: 'beta' });
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      await register(smallManifest({ name }), { visibility: name === 'c' ? 'private' : 'public' });
      await owner('component.register', { orgName: 'beta', name, manifest: smallManifest({ name }) });
    }
    const all = async (call: typeof owner, orgName?: string) => {
      const names: string[] = [];
      let cursor: string | undefined;
      do {
        const page = (await call('component.registry', { limit: 2, orgName, cursor })).data();
        expect(page.items.length).toBeLessThanOrEqual(2);
        names.push(...page.items.map((item) => `${item.orgName}/${item.name}`));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      return names;
    };
    const [acme, beta] = ['acme', 'beta'].map((org) => ['a', 'b', 'c', 'd', 'e'].map((name) => `${org}/${name}`));
    expect(await all(owner)).toEqual([...(acme ?? []), ...(beta ?? [])]);
    expect(await all(owner, 'beta')).toEqual(beta);
    expect(await all(outsider)).toEqual(acme?.filter((name) => name !== 'acme/c'));
    const { nextCursor } = (await owner('component.registry', { limit: 2 })).data();
    expect((await owner('component.registry', { orgName: 'beta', cursor: nextCursor })).status).toBe(400);
  });

  it('forgets what is taken out, and revives it with its versions', async () => {
    const { owner, anonymous, register, publish, audit } = await prepare(engine);
    const rest = { setupUrl: SETUP, visibility: 'public' } as const;
    const made = (await register(fullManifest(), rest)).data();
    const gone = (await owner('component.unregister', REF)).data();
    expect(gone).toMatchObject({ ...REF, version: '1.0.0', manifestHash: made.manifestHash, visibility: 'public' });
    const unknown = await owner('component.view', { ...REF, name: 'none' });
    for (const call of [owner, anonymous]) {
      expect((await call('component.view', REF)).body).toBe(unknown.body);
      expect((await call('component.registry', {})).data().items).toEqual([]);
    }
    expect((await owner('component.unregister', REF)).body).toBe(
      (await owner('component.unregister', { ...REF, name: 'none' })).body,
    );
    expect((await publish(fullManifest({ version: '1.1.0' }))).status).toBe(404);
    const otherId = fullManifest({ version: '2.0.0' });
    otherId.component.id = 'org.else.Signals';
    expect((await register(otherId)).code).toBe('CONFLICT');
    expect((await register({ ...fullManifest(), changed: true })).code).toBe('CONFLICT');
    expect((await register(fullManifest({ version: '0.1.0' }))).code).toBe('CONFLICT');
    const back = (await register(fullManifest())).data();
    expect(back).toMatchObject({ visibility: 'private', hasSetup: false, versions: made.versions });
    expect(back.createdAt).toBe(made.createdAt);
    await owner('component.unregister', REF);
    const newer = (await register(fullManifest({ version: '1.1.0' }), rest)).data();
    expect(newer.versions.map(({ version }) => version)).toEqual(['1.1.0', '1.0.0']);
    expect((await audit()).slice(0, 3).map(({ action }) => action)).toEqual([
      'component.register',
      'component.unregister',
      'component.register',
    ]);
  });

  it('follows when the organization is renamed, and takes nothing where it is archived', async () => {
    const { owner, register, publish } = await prepare(engine);
    const made = (await register(smallManifest(), { visibility: 'public' })).data();
    (await owner('org.rename', { orgName: 'acme', newName: 'zenith' })).data();
    expect((await owner('component.view', { orgName: 'acme', name: 'small' })).status).toBe(404);
    const renamed = { orgName: 'zenith', name: 'small' };
    expect((await owner('component.view', renamed)).data()).toEqual({ ...made, orgName: 'zenith' });
    (await owner('org.rename', { orgName: 'zenith', newName: 'acme' })).data();
    (await owner('org.archive', { orgName: 'acme' })).data();
    const next = smallManifest({ version: '2.0.0' });
    expect((await publish(next)).code).toBe('ARCHIVED');
    expect((await register(smallManifest({ name: 'other' }))).code).toBe('ARCHIVED');
    expect((await owner('component.unregister', { orgName: 'acme', name: 'small' })).code).toBe('ARCHIVED');
    expect((await owner('component.view', { orgName: 'acme', name: 'small' })).data()).toEqual(made);
  });

  it('shows the versions that were published last, however many there are', async () => {
    const { store, owner, register } = await prepare(engine);
    await register(smallManifest());
    await runStatement(
      store,
      `insert into component_version (component_id, version, manifest, manifest_hash, published_by, published_at)
       with recursive n (i) as (select 1 union all select i + 1 from n where i < 500)
       select component.id, '1.0.' || i, '{}', 'hash', 'user:ada', component.created_at + i from n, component`,
    );
    const { versions } = (await owner('component.view', { orgName: 'acme', name: 'small' })).data();
    expect([versions.length, versions[0]?.version, versions[199]?.version]).toEqual([200, '1.0.500', '1.0.301']);
  });
});
