import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { caller } from '../../../../test/support/procedure.ts';
import { addTestRepository, type TestRepository } from '../../../../test/support/repository.ts';
import { createOwnerToken, createTestApp } from '../../../../test/support/server.ts';
import { ENGINES, openTestStore } from '../../../../test/support/store.ts';
import { systemGrant } from '../store/grant.ts';
import { REPOSITORY_TABLES } from '../store/repository-removal.ts';
import { sweep } from './sweep.ts';

const DAY_MS = 86_400_000;

/** Puts rows into every table of a repository: `things` of them into most. */
async function fill({ commit }: TestRepository, things: number): Promise<void> {
  const fields = { x: { type: 'number', indexed: true } };
  await commit([{ kind: 'shape', name: 'Location', data: { fields } }]);
  const operations = Array.from({ length: things }, (_, n) => ({ name: `Location/n${n}`, data: { x: n } }));
  const submission = { id: randomUUID(), owner: 'user:ada', contentHash: new Uint8Array([1]) };
  await commit(operations, { submission });
}

async function rowsOf({ store, grant }: TestRepository): Promise<number[]> {
  const counts = REPOSITORY_TABLES.map(async ({ name }) => {
    const sql = `select count(*) as n from ${name} where repo_id = $1`;
    const [row] = await store.database.query<{ n: number }>(sql, [grant.repoId]);
    return row?.n ?? -1;
  });
  return await Promise.all(counts);
}

const NOTHING = REPOSITORY_TABLES.map(() => 0);

describe.each(ENGINES)('the sweep on %s', (engine) => {
  it('removes everything of a repository 30 days after its deletion, and nothing of another', async () => {
    const store = await openTestStore(engine);
    const gone = await addTestRepository(store, 'gone');
    const later = await addTestRepository(store, 'later');
    const kept = await addTestRepository(store, 'kept');
    for (const repository of [gone, later, kept]) await fill(repository, 700);
    const rows = await rowsOf(gone);
    expect(rows.every((count) => count > 0)).toBe(true);
    const total = rows.reduce((sum, count) => sum + count, 0);
    expect(total).toBeGreaterThan(2_500);

    const now = Date.now();
    await store.write('deleteRepository', { grant: gone.grant, now });
    await store.write('deleteRepository', { grant: later.grant, now: now + DAY_MS });
    await sweep(store, now + 30 * DAY_MS - 1);
    expect(await rowsOf(gone)).toEqual(rows);

    const before = await store.counts();
    await sweep(store, now + 30 * DAY_MS);
    // At most 2,000 rows a write.
    expect((await store.counts()).writes - before.writes).toBe(Math.ceil(total / 2_000));
    expect(await rowsOf(gone)).toEqual(NOTHING);
    const ids = await store.database.query('select id from repository order by id');
    expect(ids).toEqual([later, kept].map(({ grant }) => ({ id: grant.repoId })));
    for (const repository of [later, kept]) expect(await rowsOf(repository)).toEqual(rows);
  });

  it('goes on where it was interrupted, and nobody can restore what is half removed', async () => {
    const store = await openTestStore(engine);
    const repository = await addTestRepository(store, 'ada');
    const { grant } = repository;
    await fill(repository, 1);
    const now = Date.now();
    await store.write('deleteRepository', { grant, now });
    const step = { grant: systemGrant(grant.repoId, 'final deletion'), deletedUntil: now, rowsMax: 1 };
    expect(await store.write('removeRepository', step)).toBe(false);
    // Also by a node whose clock is behind.
    await expect(store.write('restoreRepository', { grant, now })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await sweep(store, now + 31 * DAY_MS, AbortSignal.abort());
    expect(await rowsOf(repository)).not.toEqual(NOTHING);
    await Promise.all([sweep(store, now + 31 * DAY_MS), sweep(store, now + 31 * DAY_MS)]);
    expect(await rowsOf(repository)).toEqual(NOTHING);
    expect(await store.database.query('select id from repository')).toEqual([]);
  });

  it('leaves alone what was restored, and frees the name of what was not', async () => {
    const { app, store } = await createTestApp(engine);
    const call = caller(app, await createOwnerToken(store));
    const [world, moon] = [
      { orgName: 'ada', repoName: 'world' },
      { orgName: 'ada', repoName: 'moon' },
    ];
    for (const name of ['world', 'moon']) await call('repo.create', { orgName: 'ada', name });
    for (const address of [world, moon]) await call('repo.delete', address);
    await call('repo.restore', world);
    await sweep(store, Date.now() + 31 * DAY_MS);
    expect((await call('repo.get', world)).status).toBe(200);
    expect((await call('repo.restore', moon)).status).toBe(404);
    expect((await call('repo.create', { orgName: 'ada', name: 'moon' })).status).toBe(200);
  });

  it('comes after the time in which a deletion can be undone, also when it is late', async () => {
    const store = await openTestStore(engine);
    const { grant } = await addTestRepository(store, 'ada');
    const now = Date.now();
    await store.write('deleteRepository', { grant, now });
    const restore = (at: number) => store.write('restoreRepository', { grant, now: at });
    await expect(restore(now + 30 * DAY_MS)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await restore(now + 30 * DAY_MS - 1)).toMatchObject({ name: 'world' });
  });
});

it('knows every table that belongs to a repository, and its key', () => {
  const schema = readFileSync(join(import.meta.dirname, '../store/schema/sqlite.txt'), 'utf8');
  const tables = [...schema.matchAll(/^CREATE TABLE (\S+) \(\n {2}repo_id .*?^\)/gms)].map(([table, name = '']) => {
    const key = /primary key \(repo_id, (.*)\)/.exec(table)?.[1]?.split(', ') ?? [];
    return { name, key };
  });
  const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
  expect([...REPOSITORY_TABLES].sort(byName)).toEqual(tables.sort(byName));
});
