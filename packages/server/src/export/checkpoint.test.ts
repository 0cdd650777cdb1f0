// Checkpoints: exports that are kept under a name.
import { describe, expect, it } from 'vitest';
import { commit, createExportable, parseExport, WORLD } from '../../../../test/support/export.ts';
import { buildAll, claimOne, download, HOUR_MS, mint, redeem, redeemed } from '../../../../test/support/export-job.ts';
import { caller } from '../../../../test/support/procedure.ts';
import { ENGINES } from '../../../../test/support/store.ts';
import { sweep } from '../repository/sweep.job.ts';

const YEAR_MS = 365 * 24 * HOUR_MS;

describe.each(ENGINES)('checkpoints on %s', (engine) => {
  it('are made at a sequence, built, listed by name, and redeemed by their token', async () => {
    const world = await createExportable(engine);
    const made = (await world.owner('repo.createCheckpoint', { ...WORLD, name: 'b', description: 'before' })).data();
    expect(made).toEqual({
      name: 'b',
      description: 'before',
      atRepoSeq: 7,
      state: 'pending',
      exportToken: expect.any(String),
      createdBy: 'user:ada',
      createdAt: expect.any(Number),
    });
    (await world.owner('repo.createCheckpoint', { ...WORLD, name: 'a', atRepoSeq: 4 })).data();
    await claimOne(world.store);
    const states = async () => {
      const { items } = (await world.owner('repo.checkpoints', WORLD)).data();
      return items.map(({ name, atRepoSeq, state, recordCount }) => [name, atRepoSeq, state, recordCount]);
    };
    expect(await states()).toEqual([
      ['a', 4, 'pending', undefined],
      ['b', 7, 'running', undefined],
    ]);
    await buildAll(world);
    expect((await states())[0]).toEqual(['a', 4, 'complete', 10]);
    const { items } = (await world.owner('repo.checkpoints', WORLD)).data();
    const { url, contentSha256 } = await redeemed(world, items[0]?.exportToken ?? '');
    expect([contentSha256, parseExport(await (await download(world, url)).text()).recordCount]).toEqual([
      items[0]?.contentSha256,
      10,
    ]);
  });

  it('are listed in pages', async () => {
    const world = await createExportable(engine);
    const names = ['A', 'a', 'a-1', 'a.1', 'b', 'b_2', 'z'];
    for (const name of [...names].reverse()) (await world.owner('repo.createCheckpoint', { ...WORLD, name })).data();
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = (await world.owner('repo.checkpoints', { ...WORLD, limit: 3, ...(cursor && { cursor }) })).data();
      found.push(...page.items.map(({ name }) => name));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(found).toEqual([...names].sort());
    expect(await world.store.database.query('select build_id from export_build')).toHaveLength(1);
  });

  it('keep their file, their token and their name until they are deleted', async () => {
    const world = await createExportable(engine);
    const create = () => world.owner('repo.createCheckpoint', { ...WORLD, name: 'kept' });
    const { exportToken } = (await create()).data();
    await buildAll(world);
    expect([(await create()).status, (await create()).code]).toEqual([409, 'ALREADY_EXISTS']);
    await sweep(world, Date.now() + YEAR_MS);
    expect((await redeem(world, exportToken)).status).toBe(200);
    const deleted = await world.owner('repo.deleteCheckpoint', { ...WORLD, name: 'kept' });
    expect(deleted.data()).toMatchObject({ name: 'kept', state: 'complete' });
    const again = await world.owner('repo.deleteCheckpoint', { ...WORLD, name: 'kept' });
    expect([again.status, again.code]).toEqual([404, 'NOT_FOUND']);
    await sweep(world, Date.now() + YEAR_MS);
    expect((await redeem(world, exportToken)).status).toBe(410);
    expect((await create()).data().exportToken).not.toBe(exportToken);
  });

  it('share the file of an export job, and outlive it', async () => {
    const world = await createExportable(engine);
    const token = await mint(world);
    await buildAll(world);
    const made = (await world.owner('repo.createCheckpoint', { ...WORLD, name: 'kept' })).data();
    expect(made).toMatchObject({ exportToken: token, state: 'complete', recordCount: 11 });
    await sweep(world, Date.now() + YEAR_MS);
    expect((await redeem(world, token)).status).toBe(200);
  });

  it('are for who holds the scopes, and told to the audit log', async () => {
    const world = await createExportable(engine);
    const permissions = ['repo:read', 'repo:checkpoint-read'] as const;
    const reader = caller(world.app, await world.withScopes('reader', { permissions: [...permissions] }));
    const maker = caller(
      world.app,
      await world.withScopes('maker', { permissions: ['repo:read', 'repo:checkpoint-generate'] }),
    );
    const refused = await reader('repo.createCheckpoint', { ...WORLD, name: 'a' });
    expect([refused.status, refused.code]).toEqual([403, 'FORBIDDEN']);
    expect((await maker('repo.createCheckpoint', { ...WORLD, name: 'a' })).data().createdBy).toBe('token:ada/maker');
    expect((await maker('repo.checkpoints', WORLD)).status).toBe(403);
    expect((await reader('repo.checkpoints', WORLD)).data().items).toHaveLength(1);
    expect((await reader('repo.deleteCheckpoint', { ...WORLD, name: 'a' })).status).toBe(403);
    expect((await maker('repo.deleteCheckpoint', { ...WORLD, name: 'a' })).status).toBe(200);
    const { items } = (await world.owner('audit.list', { orgName: 'ada' })).data();
    const told = items.filter(({ action }) => action.endsWith('Checkpoint'));
    expect(told.map(({ action, target, details }) => [action, target, details])).toEqual([
      ['repo.deleteCheckpoint', 'ada/world', { name: 'a' }],
      ['repo.createCheckpoint', 'ada/world', { name: 'a', atRepoSeq: 7 }],
    ]);
  });

  it('are refused at a sequence that is not there, and count among the exports that wait', async () => {
    const world = await createExportable(engine, { CAIRN_LIMIT_EXPORT_JOBS_WAITING: '1' });
    const beyond = await world.owner('repo.createCheckpoint', { ...WORLD, name: 'a', atRepoSeq: 8 });
    expect([beyond.status, beyond.code]).toEqual([400, 'export-seq-unavailable']);
    (await world.owner('repo.createCheckpoint', { ...WORLD, name: 'a' })).data();
    await commit(world.owner, [{ name: 'Room/new', data: {} }]);
    const full = await world.owner('repo.createCheckpoint', { ...WORLD, name: 'b' });
    expect([full.status, full.code, full.headers.get('retry-after')]).toEqual([429, 'RATE_LIMITED', '30']);
    expect((await world.owner('repo.checkpoints', WORLD)).data().items).toHaveLength(1);
  });

  it('take a name once, whoever comes at the same moment', async () => {
    const world = await createExportable(engine);
    const asked = Array.from({ length: 5 }, () => world.owner('repo.createCheckpoint', { ...WORLD, name: 'one' }));
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 409, 409, 409, 409]);
  });
});
