// Bad manifests over the procedures: each is refused with its path in the details and leaves nothing behind.
import { LIMITS } from '@cairn/protocol/limits';
import { describe, expect, it } from 'vitest';
import { BAD_MANIFESTS } from '../../../../test/support/bad-manifest.ts';
import { fullManifest, smallManifest } from '../../../../test/support/manifest.ts';
import { caller } from '../../../../test/support/procedure.ts';
import { createOwnerToken, createTestApp } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';

const FORM = { orgName: 'ada', name: 'signals' };

interface Detail {
  readonly path: string;
  readonly message: string;
}

const detailsOf = (body: string): Detail[] => JSON.parse(body).error.data.cairn.details;

describe.each(UPPER_ENGINES)('manifests on %s', (engine) => {
  it('that are bad are refused, and each refusal names the field', async () => {
    const { app, store, logged } = await createTestApp(engine);
    const owner = caller(app, await createOwnerToken(store));
    expect(BAD_MANIFESTS.length).toBeGreaterThanOrEqual(50);
    for (const { what, path, manifest } of BAD_MANIFESTS) {
      const refused = await owner('component.register', { ...FORM, manifest: manifest as never });
      expect([what, refused.status, refused.code]).toEqual([what, 400, 'VALIDATION_ERROR']);
      expect([what, detailsOf(refused.body).map((detail) => detail.path)]).toEqual([
        what,
        expect.arrayContaining([`manifest.${path}`]),
      ]);
    }
    expect((await owner('component.registry', {})).data().items).toEqual([]);
    (await owner('component.register', { ...FORM, manifest: fullManifest() })).data();
    for (const { what, manifest } of BAD_MANIFESTS.slice(0, 10)) {
      const refused = await owner('component.publish', { ...FORM, manifest: manifest as never });
      expect([what, refused.status]).toEqual([what, 400]);
    }
    expect((await owner('component.view', FORM)).data().versions).toHaveLength(1);
    expect(logged.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });

  it('that are too large or too deep are refused, and those at the limit are kept whole', async () => {
    const { app, store } = await createTestApp(engine);
    const owner = caller(app, await createOwnerToken(store));
    const form = { orgName: 'ada', name: 'small' };
    const filled = (characters: number) => ({ ...smallManifest(), filler: 'x'.repeat(characters) });
    const room = 512 * 1024 - JSON.stringify(filled(0)).length;
    const large = await owner('component.register', { ...form, manifest: filled(room + 1) });
    expect([large.status, detailsOf(large.body)]).toMatchObject([400, [{ path: 'manifest' }]]);
    let deep: unknown = 1;
    for (let level = 0; level < LIMITS.dataDepth.default; level++) deep = { deep };
    const nested = await owner('component.register', { ...form, manifest: { ...smallManifest(), deep } });
    expect([nested.status, detailsOf(nested.body)]).toMatchObject([400, [{ path: 'manifest' }]]);
    const made = (await owner('component.register', { ...form, manifest: filled(room) })).data();
    expect(made.manifest).toEqual(filled(room));
  });
});
