import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ENGINES, openTestStore, testLocation } from '../../../../test/support/store.ts';
import type { Engine, StoreLocation } from '../engine/database.ts';
import { openPostgresUsage } from '../engine/postgres/postgres.ts';
import { openSqliteUsage, usageFile } from '../engine/sqlite/side-file.ts';
import { openStore } from '../store.ts';
import type { Rate, Usage } from './usage.sql.ts';

const NOW = 1_800_000_000_000;
const DAY_MS = 86_400_000;
const RATE: Rate = { perHour: 3_600, burst: 10 };

const TAKE_ALL = { rate: RATE, wanted: 10, now: NOW };

async function usageOn(engine: Engine) {
  return (await openTestStore(engine)).usage;
}

async function usageTwice(engine: Engine): Promise<[Usage, Usage]> {
  const location = await testLocation(engine);
  const stores = [await openStore(location), await openStore(location)] as const;
  onTestFinished(async () => {
    for (const store of stores) await store.close();
  });
  return [stores[0].usage, stores[1].usage];
}

async function bucketKeys(location: StoreLocation): Promise<string[]> {
  const database =
    location.engine === 'sqlite' ? openSqliteUsage(usageFile(location.file)) : openPostgresUsage(location.url);
  const rows = await database.query<{ key: string }>('select key from rate_bucket order by key');
  await database.close();
  return rows.map(({ key }) => key);
}

class NaiveBucket {
  readonly #costUs: number;
  readonly #capacityUs: number;
  #creditUs: number;
  #time = 0;

  constructor({ perHour, burst }: Rate) {
    this.#costUs = Math.ceil(3_600_000_000 / perHour);
    this.#capacityUs = burst * this.#costUs;
    this.#creditUs = this.#capacityUs;
  }

  take(wanted: number, now: number) {
    const time = Math.max(this.#time, now);
    this.#creditUs = Math.min(this.#capacityUs, this.#creditUs + (time - this.#time) * 1_000);
    this.#time = time;
    const granted = Math.min(wanted, Math.floor(this.#creditUs / this.#costUs));
    this.#creditUs -= granted * this.#costUs;
    return { granted, waitMs: granted > 0 ? 0 : Math.ceil((this.#costUs - this.#creditUs) / 1_000) };
  }

  return(permits: number): void {
    this.#creditUs = Math.min(this.#capacityUs, this.#creditUs + permits * this.#costUs);
  }
}

const anyRate = fc.record({ perHour: fc.integer({ min: 1, max: 10_000_000 }), burst: fc.integer({ min: 1, max: 20 }) });
const anyStep = fc.record({
  wanted: fc.integer({ min: 1, max: 25 }),
  /** In units of the time that one permit takes; negative, because another node's clock may be behind. */
  passed: fc.double({ min: -3, max: 12, noNaN: true }),
  unused: fc.nat({ max: 3 }),
});

describe.each(ENGINES)('permits on %s', (engine) => {
  it('lets a ticket be used once by all processes together', async () => {
    const [here, there] = await usageTwice(engine);
    const use = { ticketId: 'ticket', expiresAt: NOW };
    const outcomes = await Promise.all([here, there, here, there].map((usage) => usage.useTicket(use)));
    expect(outcomes.filter((first) => first)).toHaveLength(1);
    expect(await there.useTicket({ ...use, ticketId: 'another' })).toBe(true);
  });

  it('forgets used tickets once no clock would take them any more', async () => {
    const usage = await usageOn(engine);
    const tickets = Array.from({ length: 2_500 }, (_, n) => ({ ticketId: `t${n}`, expiresAt: NOW }));
    for (const ticket of tickets) await usage.useTicket(ticket);
    await usage.sweep(NOW + 60_000);
    expect(await usage.useTicket(tickets[0] as (typeof tickets)[0])).toBe(false);
    await usage.sweep(NOW + DAY_MS);
    for (const ticket of [tickets[0], tickets.at(-1)])
      expect(await usage.useTicket(ticket as (typeof tickets)[0])).toBe(true);
  });

  it('are granted as by a bucket in memory, whatever the rates, times and returns', async () => {
    const usage = await usageOn(engine);
    let buckets = 0;
    const property = fc.asyncProperty(anyRate, fc.array(anyStep, { maxLength: 15 }), async (rate, steps) => {
      const key = `bucket ${buckets++}`;
      const model = new NaiveBucket(rate);
      let now = NOW;
      for (const { wanted, passed, unused } of steps) {
        now += Math.round((passed * 3_600_000) / rate.perHour);
        const taken = await usage.takePermits({ key, rate, wanted, now });
        expect(taken).toEqual(model.take(wanted, now));
        const permits = Math.min(unused, taken.granted);
        await usage.returnPermits(rate, [{ key, permits }]);
        model.return(permits);
      }
    });
    await fc.assert(property, { numRuns: 60 });
  });

  it('come back one by one, and the wait that is told is enough', async () => {
    const usage = await usageOn(engine);
    const take = (wanted: number, now: number) => usage.takePermits({ key: 'a', rate: RATE, wanted, now });
    expect(await take(8, NOW)).toEqual({ granted: 8, waitMs: 0 });
    expect(await take(8, NOW)).toEqual({ granted: 2, waitMs: 0 });
    expect(await take(1, NOW + 400)).toEqual({ granted: 0, waitMs: 600 });
    expect(await take(1, NOW + 999)).toEqual({ granted: 0, waitMs: 1 });
    expect(await take(1, NOW + 1_000)).toEqual({ granted: 1, waitMs: 0 });
    expect(await take(100, NOW + DAY_MS)).toEqual({ granted: 10, waitMs: 0 });
  });

  it('of one key are not those of another', async () => {
    const usage = await usageOn(engine);
    await usage.takePermits({ key: 'a', ...TAKE_ALL });
    expect(await usage.takePermits({ key: 'b', ...TAKE_ALL })).toEqual({ granted: 10, waitMs: 0 });
  });

  it('are never granted twice, by any number of takers in two stores', async () => {
    const [here, there] = await usageTwice(engine);
    const rate = { perHour: 1, burst: 100 };
    const takes = Array.from({ length: 40 }, (_, n) =>
      (n % 2 === 0 ? here : there).takePermits({ key: 'a', rate, wanted: 7, now: NOW }),
    );
    const granted = (await Promise.all(takes)).map((taken) => taken.granted);
    expect(granted.reduce((sum, permits) => sum + permits, 0)).toBe(100);
  });

  it('can be returned by two stores at once, and no more than fit', async () => {
    const [here, there] = await usageTwice(engine);
    const keys = Array.from({ length: 50 }, (_, n) => `key ${n}`);
    for (const key of keys) await here.takePermits({ key, ...TAKE_ALL });
    const unused = keys.map((key) => ({ key, permits: 3 }));
    await Promise.all([here.returnPermits(RATE, unused), there.returnPermits(RATE, unused.toReversed())]);
    for (const key of keys) expect(await here.takePermits({ key, ...TAKE_ALL })).toMatchObject({ granted: 6 });
    await here.returnPermits(RATE, [{ key: 'key 0', permits: 99 }]);
    expect(await here.takePermits({ key: 'key 0', rate: RATE, wanted: 99, now: NOW })).toMatchObject({ granted: 10 });
    await here.returnPermits(RATE, []);
    await here.returnPermits(RATE, [{ key: 'nobody took', permits: 1 }]);
  });

  it('follow a limit that was lowered or raised', async () => {
    const usage = await usageOn(engine);
    await usage.takePermits({ key: 'a', ...TAKE_ALL });
    const low = { perHour: 3_600, burst: 2 };
    expect(await usage.takePermits({ key: 'a', rate: low, wanted: 1, now: NOW })).toEqual({
      granted: 0,
      waitMs: 9_000,
    });
    expect(await usage.takePermits({ key: 'a', rate: low, wanted: 1, now: NOW + 9_000 })).toMatchObject({ granted: 1 });
    const huge = { perHour: Number.MAX_SAFE_INTEGER, burst: Number.MAX_SAFE_INTEGER };
    const many = await usage.takePermits({ key: 'a', rate: huge, wanted: 1_000_000, now: NOW + 9_000 });
    expect(many.granted).toBe(1_000_000);
  });

  it('of buckets that are full again, or of a wrong clock, are swept; others stay', async () => {
    const location = await testLocation(engine);
    const { usage, close } = await openStore(location);
    onTestFinished(close);
    const keys = Array.from({ length: 2_100 }, (_, n) => `full ${n}`);
    await Promise.all(keys.map((key) => usage.takePermits({ key, rate: RATE, wanted: 1, now: NOW })));
    for (const key of ['a used one', 'the last used one']) await usage.takePermits({ key, ...TAKE_ALL });
    await usage.takePermits({ key: 'wrong', ...TAKE_ALL, now: NOW + 2 * DAY_MS });
    await usage.sweep(NOW + 999);
    expect(await bucketKeys(location)).toHaveLength(2_102);
    await usage.sweep(NOW + 1_000);
    expect(await bucketKeys(location)).toEqual(['a used one', 'the last used one']);
  });
});

describe.each(ENGINES)('the last use of tokens on %s', (engine) => {
  it('is the latest that anyone has recorded', async () => {
    const usage = await usageOn(engine);
    await usage.recordUses([]);
    await usage.recordUses([
      { tokenId: 2, usedAt: NOW },
      { tokenId: 1, usedAt: NOW },
      { tokenId: 2, usedAt: NOW + 5 },
      { tokenId: 2, usedAt: NOW + 3 },
    ]);
    await usage.recordUses([{ tokenId: 1, usedAt: NOW - 1 }]);
    await usage.recordUses([{ tokenId: 3, usedAt: NOW + 9 }]);
    const expected = new Map([
      [1, NOW],
      [2, NOW + 5],
    ]);
    expect(await usage.findUses([1, 2, 7])).toEqual(expected);
    expect(await usage.findUses([])).toEqual(new Map());
  });
});

describe.each(ENGINES)('the last use of sessions on %s', (engine) => {
  it('is the latest that anyone has recorded, and is forgotten long after', async () => {
    const usage = await usageOn(engine);
    await usage.recordSessionUses([
      { sessionId: 'b', usedAt: NOW },
      { sessionId: 'a', usedAt: NOW },
      { sessionId: 'b', usedAt: NOW + 5 },
      { sessionId: 'b', usedAt: NOW + 3 },
    ]);
    await usage.recordSessionUses([{ sessionId: 'a', usedAt: NOW - 1 }]);
    const expected = new Map([
      ['a', NOW],
      ['b', NOW + 5],
    ]);
    expect(await usage.findSessionUses(['a', 'b', 'c'])).toEqual(expected);
    await usage.sweep(NOW + 400 * DAY_MS + 1);
    expect(await usage.findSessionUses(['a', 'b'])).toEqual(new Map([['b', NOW + 5]]));
  });
});

describe('usage on sqlite', () => {
  async function sqliteFile() {
    const location = await testLocation('sqlite');
    if (location.engine !== 'sqlite') throw new Error('asked for sqlite');
    return { location, file: usageFile(location.file) };
  }

  async function takeAll(location: Awaited<ReturnType<typeof sqliteFile>>['location']) {
    const store = await openStore(location);
    const { granted } = await store.usage.takePermits({ key: 'a', ...TAKE_ALL });
    await store.close();
    return granted;
  }

  it('lasts in a file of its own, and losing or damaging it does no harm', async () => {
    const { location, file } = await sqliteFile();
    expect(await takeAll(location)).toBe(10);
    expect(await takeAll(location)).toBe(0);
    rmSync(file);
    expect(await takeAll(location)).toBe(10);
    writeFileSync(file, 'this is no database, and it is longer than a header would be. '.repeat(20));
    expect(await takeAll(location)).toBe(10);
    const bytes = readFileSync(file);
    bytes.fill(0xff, 4_096, 4_200);
    writeFileSync(file, bytes);
    expect(await takeAll(location)).toBe(10);
    expect(await takeAll(location)).toBe(0);
  });

  it('has the tables of the migration', async () => {
    const { location, file } = await sqliteFile();
    const store = await openStore(location);
    const usage = openSqliteUsage(file);
    for (const table of ['rate_bucket', 'token_use', 'session_use', 'used_ticket']) {
      const columns = await usage.query(`pragma table_info(${table})`);
      expect(columns.length).toBeGreaterThan(0);
      expect(columns).toEqual(await store.database.query(`pragma table_info(${table})`));
    }
    await usage.close();
    await store.close();
  });
});

describe('usage on postgres', () => {
  it('is kept out of the write-ahead log', async () => {
    const { database } = await openTestStore('postgres');
    const rows = await database.query<{ relname: string }>(
      `select relname from pg_class where relpersistence = 'u' and relkind = 'r'
       and relnamespace = current_schema()::regnamespace order by relname`,
    );
    expect(rows.map(({ relname }) => relname)).toEqual(['rate_bucket', 'session_use', 'token_use', 'used_ticket']);
  });
});
