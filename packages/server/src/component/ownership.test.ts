// Only the component itself changes its shapes, and nobody writes its install record by hand.
import { describe, expect, it } from 'vitest';
import { createComponentWorld, INSTALL_REPO, TRACKER, trackerManifest } from '../../../../test/support/component.ts';
import { createComponentToken } from '../../../../test/support/principal.ts';
import { caller, createScopedToken } from '../../../../test/support/procedure.ts';
import { ENGINES } from '../../../../test/support/store.ts';

const CHANGES = [
  { operation: 'revise', kind: 'shape', name: 'Signal', data: { fields: {} } },
  { operation: 'retract', kind: 'shape', name: 'Signal' },
  { operation: 'rename', kind: 'shape', name: 'Signal', newName: 'Beacon' },
];

describe.each(ENGINES)('what belongs to a component on %s', (engine) => {
  it('is not changed by streams either', async () => {
    const world = await createComponentWorld(engine);
    await world.register();
    (await world.owner('component.install', TRACKER)).data();
    const token = await createScopedToken(world.store, { name: 'writes', permissions: ['repo:write'] });
    const headers = { 'content-type': 'application/x-ndjson', authorization: `Bearer ${token}` };
    const before = await world.standing();
    const path = `/api/repos/${INSTALL_REPO.orgName}/${INSTALL_REPO.repoName}/streams/s/submissions`;
    const body = CHANGES.map((change) => `${JSON.stringify(change)}\n`).join('');
    const answer = await (await world.app.request(path, { method: 'POST', headers, body })).text();
    expect(answer).toContain('only that component can change it');
    expect(answer).toContain('"type":"end"');
    expect(await world.standing()).toEqual(before);
  });

  it('is changed by nobody else, on any way', async () => {
    const world = await createComponentWorld(engine);
    const { owner } = world;
    await world.register();
    const { installId } = (await owner('component.install', TRACKER)).data();
    const shape = (await owner('shape.get', { ...INSTALL_REPO, name: 'Signal' })).data();
    const before = await world.standing();
    const expected = {
      status: 403,
      code: 'FORBIDDEN',
      message: expect.stringContaining('only that component can change it'),
    };
    for (const change of CHANGES) {
      for (const name of [change.name, shape.durableId]) {
        const operations = [{ ...change, name }];
        const refused = await owner('commit.submit', { ...INSTALL_REPO, operations });
        expect([change.operation, refused.status, refused.body]).toEqual([
          change.operation,
          403,
          expect.stringContaining('only that component can change it'),
        ]);
        expect((await owner('commit.validate', { ...INSTALL_REPO, operations })).status).toBe(403);
        const each = (await owner('commit.submit', { ...INSTALL_REPO, operations, atomic: false })).data();
        expect(each.operations[0]).toMatchObject({ status: 'error', error: { code: 'FORBIDDEN' } });
      }
    }
    const named = { ...INSTALL_REPO, name: 'Signal' };
    expect(await owner('shape.revise', { ...named, fields: {} })).toMatchObject(expected);
    expect(await owner('shape.retract', named)).toMatchObject(expected);
    expect(await owner('shape.rename', { ...named, newName: 'Beacon' })).toMatchObject(expected);
    expect(await world.standing()).toEqual(before);
    const operations = [
      { name: 'Signal/mine', data: { x: 2 } },
      { operation: 'retract', name: 'Signal/first' },
    ];
    expect((await owner('commit.submit', { ...INSTALL_REPO, operations })).status).toBe(200);
    (await owner('component.install', TRACKER)).data();
    expect((await world.standing()).records).toContainEqual(expect.objectContaining({ name: 'first', active: 0 }));
    const [row] = await world.store.database.query<{ id: number }>("select id from repository where name = 'world'");
    const token = await createComponentToken(world.store, {
      repoId: row?.id ?? 0,
      component: 'acme/tracker',
      installId,
    });
    const own = caller(world.app, token);
    const revise = {
      operation: 'revise',
      kind: 'shape',
      name: 'Signal',
      data: { fields: { 'x?': 'number', 'y?': 'number' } },
    };
    expect((await own('commit.submit', { ...INSTALL_REPO, operations: [revise] })).status).toBe(200);
    const other = await createComponentToken(world.store, { repoId: row?.id ?? 0, installId: 'ins_other' });
    expect((await caller(world.app, other)('commit.submit', { ...INSTALL_REPO, operations: [revise] })).status).toBe(
      403,
    );
    const config = (name: string) => [{ name: `ComponentConfig/${name}`, data: {} }];
    expect((await own('commit.submit', { ...INSTALL_REPO, operations: config('tracker') })).status).toBe(200);
    const rename = { operation: 'rename', name: 'ComponentConfig/tracker', newName: 'ComponentConfig/x' };
    for (const refused of [config('other'), config('$1'), [rename]]) {
      expect((await own('commit.submit', { ...INSTALL_REPO, operations: refused })).status).toBe(403);
    }
  });

  it("is anyone's after the teardown, and its own again if nobody has changed it", async () => {
    const world = await createComponentWorld(engine);
    const { owner } = world;
    await world.register();
    (await owner('component.install', TRACKER)).data();
    (await owner('component.teardown', TRACKER)).data();
    const next = trackerManifest('2.0.0');
    const shapes = [{ ...next.shapes[0], fields: { 'x?': 'number', 'z?': 'string' } }, next.shapes[1]];
    await world.publish({ ...next, shapes });
    (await owner('component.install', TRACKER)).data();
    expect((await owner('shape.get', { ...INSTALL_REPO, name: 'Signal' })).data().data).toMatchObject({
      fields: shapes[0]?.fields,
    });
    (await owner('component.teardown', TRACKER)).data();
    (await owner('shape.revise', { ...INSTALL_REPO, name: 'Signal', fields: { 'mine?': 'string' } })).data();
    const refused = await owner('component.install', TRACKER);
    expect(refused).toMatchObject({ status: 409, message: expect.stringContaining('shape Signal') });
  });

  it('is told of by a record that commits cannot write', async () => {
    const world = await createComponentWorld(engine);
    const { owner } = world;
    await world.register();
    const { installId } = (await owner('component.install', TRACKER)).data();
    const wref = `ComponentInstall/${installId}`;
    const { durableId, data } = (await owner('thing.get', { ...INSTALL_REPO, wref })).data();
    const operations = [
      { operation: 'revise', name: wref, data },
      { operation: 'revise', name: durableId, data },
      { operation: 'retract', name: wref },
      { operation: 'rename', name: wref, newName: 'ComponentInstall/x' },
      { name: 'ComponentInstall/new', data },
    ];
    for (const operation of operations) {
      const answer = await owner('commit.submit', { ...INSTALL_REPO, operations: [operation] });
      expect([operation, answer.status, answer.body]).toEqual([
        operation,
        400,
        expect.stringContaining('RESERVED_NAME'),
      ]);
    }
  });
});
