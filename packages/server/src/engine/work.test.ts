import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ENGINES, preparedLocation } from '../../../../test/support/store.ts';
import type { WritableDatabase } from './database.ts';
import { openPostgresWriter } from './postgres/postgres.ts';
import { openSqliteWriter } from './sqlite/sqlite.ts';
import { claimWork, enqueueWork, finishWork, releaseWork, renewWork, type WorkWish } from './work.ts';

const NOW = 1_800_000_000_000;
const wish = (more: Partial<WorkWish> = {}): WorkWish => ({
  kind: 'export',
  claim: randomUUID(),
  now: NOW,
  leaseMs: 1_000,
  ...more,
});

async function queueOn(engine: (typeof ENGINES)[number]) {
  const location = await preparedLocation(engine);
  const open = () =>
    location.engine === 'sqlite' ? openSqliteWriter(location.file) : openPostgresWriter(location.url);
  const databases = [open(), open()] as const;
  onTestFinished(async () => {
    for (const database of databases) await database.close();
  });
  const [database] = databases;
  const add = (repoId: number, key: string, dueAt = NOW) =>
    database.transaction((tx) => enqueueWork(tx, { repoId, kind: 'export', key, owner: 'user:1', dueAt }));
  const take = (more?: Partial<WorkWish>, on: WritableDatabase = database) =>
    on.transaction((tx) => claimWork(tx, wish(more)));
  return { database, databases, add, take };
}

describe.each(ENGINES)('work on %s', (engine) => {
  it('is claimed once, the longest due first, and not before it is due', async () => {
    const { add, take } = await queueOn(engine);
    await add(1, 'second', NOW - 1);
    await add(2, 'first', NOW - 2);
    await add(1, 'later', NOW + 1);
    expect(await take()).toMatchObject({ repoId: 2, key: 'first' });
    expect(await take()).toMatchObject({ repoId: 1, key: 'second' });
    expect(await take()).toBeUndefined();
    expect(await take({ now: NOW + 1 })).toMatchObject({ repoId: 1, key: 'later' });
  });

  it('is taken up by another when the lease ends, unless it was renewed; and the first has lost it', async () => {
    const { database, add, take } = await queueOn(engine);
    await add(1, 'a');
    const first = await take();
    if (first === undefined) throw new Error('nothing was due');
    const renewed = await database.transaction((tx) => renewWork(tx, { ...first, until: NOW + 2_000 }));
    expect([renewed, await take({ now: NOW + 1_500 })]).toEqual([true, undefined]);
    const second = await take({ now: NOW + 2_000 });
    expect(second).toMatchObject({ key: 'a' });
    const late = await database.transaction(async (tx) => [
      await renewWork(tx, { ...first, until: NOW + 9_000 }),
      await releaseWork(tx, { ...first, dueAt: NOW }),
      await finishWork(tx, first),
    ]);
    expect(late).toEqual([false, false, false]);
    expect(second && (await database.transaction((tx) => finishWork(tx, second)))).toBe(true);
    expect(await take({ now: NOW + 99_000 })).toBeUndefined();
  });

  it('that is given back is due when that says', async () => {
    const { database, add, take } = await queueOn(engine);
    await add(1, 'a');
    const first = await take();
    if (first !== undefined) await database.transaction((tx) => releaseWork(tx, { ...first, dueAt: NOW + 10 }));
    expect(await take({ now: NOW + 9 })).toBeUndefined();
    expect(await take({ now: NOW + 10 })).toMatchObject({ key: 'a' });
  });

  it('of one repository is held so many times at once, and the others are not kept waiting', async () => {
    const { add, take } = await queueOn(engine);
    for (const key of ['a', 'b', 'c']) await add(1, key, NOW - 5);
    await add(2, 'd');
    const taken = [];
    for (let n = 0; n < 4; n++) taken.push((await take({ perRepository: 2 }))?.repoId);
    expect(taken).toEqual([1, 1, 2, undefined]);
    expect(await take({ now: NOW + 1_000, perRepository: 2 })).toMatchObject({ repoId: 1 });
  });

  it.each([undefined, 2])(
    'is claimed by many at once without a piece going to two, at most %s of a repository',
    async (perRepository) => {
      const { databases, add, take } = await queueOn(engine);
      for (let n = 0; n < 12; n++) await add(n % 3, `w${n}`);
      const claims = Array.from({ length: 20 }, (_, n) => take({ perRepository }, databases[n % 2]));
      const taken = (await Promise.all(claims)).filter((work) => work !== undefined);
      expect(new Set(taken.map(({ key }) => key)).size).toBe(taken.length);
      for (const repo of [0, 1, 2]) {
        expect(taken.filter(({ repoId }) => repoId === repo).length).toBeLessThanOrEqual(perRepository ?? 4);
      }
      while ((await take({ perRepository })) !== undefined);
    },
  );
});
