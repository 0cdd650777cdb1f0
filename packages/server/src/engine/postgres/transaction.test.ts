import postgres from 'postgres';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startPostgres } from '../../../../../test/support/postgres.ts';
import { startProxy } from '../../../../../test/support/proxy.ts';
import { preparedLocation } from '../../../../../test/support/store.ts';
import type { Transaction, WritableDatabase } from '../database.ts';
import { openPostgresDatabase, openPostgresWriter } from './postgres.ts';

interface World {
  readonly writer: WritableDatabase;
  readonly sql: postgres.Sql;
}

async function createWorld(): Promise<World> {
  const location = await preparedLocation('postgres');
  if (location.engine !== 'postgres') throw new Error('asked for postgres');
  return openWorld(location.url);
}

function openWorld(url: string): World {
  const writer = openPostgresWriter(url);
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  onTestFinished(async () => {
    await writer.close();
    await sql.end();
  });
  return { writer, sql };
}

const add = (tx: Transaction, name: string) =>
  tx.query('insert into server_fact (name, value) values ($1, $1)', [name]);

async function namesIn({ sql }: World): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`select name from server_fact order by name`;
  return rows.map(({ name }) => name);
}

async function pidOf(tx: Transaction): Promise<number> {
  const [row] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
  return row?.pid ?? 0;
}

async function terminate({ sql }: World, pid: number): Promise<void> {
  await sql`select pg_terminate_backend(${pid}::int, 30000)`;
}

describe('a transaction on postgres', () => {
  it('is done again, whole, when a statement lost its connection', async () => {
    const world = await createWorld();
    let attempts = 0;
    const result = await world.writer.transaction(async (tx) => {
      attempts++;
      await add(tx, 'a');
      if (attempts === 1) await tx.query('select pg_terminate_backend(pg_backend_pid()), pg_sleep(30)');
      await add(tx, 'b');
      return attempts;
    });
    expect(result).toBe(2);
    expect(await namesIn(world)).toEqual(['a', 'b']);
  });

  it('leaves others alone when it lost its connection between two statements', async () => {
    const world = await createWorld();
    const { writer } = world;
    let attempts = 0;
    let others: Promise<unknown>[] = [];
    let stray: Promise<unknown> | undefined;
    await writer.transaction(async (tx) => {
      await add(tx, 'first');
      if (++attempts > 1) return;
      await terminate(world, await pidOf(tx));
      others = Array.from({ length: 20 }, (_, n) => writer.transaction((other) => add(other, `other-${n}`)));
      stray = add(tx, 'stray');
      await stray;
    });
    await expect(stray).rejects.toThrow();
    await Promise.all(others);
    expect(attempts).toBe(2);
    expect(await namesIn(world)).toEqual(['first', ...others.map((_, n) => `other-${n}`)].toSorted());
  });

  it('ends when it lost its connection, whatever it waits for', async () => {
    const world = await createWorld();
    let attempts = 0;
    await world.writer.transaction(async (tx) => {
      await add(tx, 'a');
      if (++attempts > 1) return;
      void terminate(world, await pidOf(tx));
      await new Promise(() => {});
    });
    expect(attempts).toBe(2);
    expect(await namesIn(world)).toEqual(['a']);
  });

  it('is not committed when one of its statements failed, whether or not anybody cared', async () => {
    const world = await createWorld();
    const careless = world.writer.transaction(async (tx) => {
      await add(tx, 'a');
      await tx.query('select 1 / 0').catch(() => {});
    });
    await expect(careless).rejects.toThrow('division by zero');
    const confused = world.writer.transaction(async (tx) => {
      await tx.query('select 1 / 0').catch(() => {});
      await add(tx, 'b');
    });
    await expect(confused).rejects.toThrow('division by zero');
    const hasty = world.writer.transaction(async (tx) => {
      await add(tx, 'c');
      tx.query('select 1 / 0').catch(() => {});
    });
    await expect(hasty).rejects.toThrow('nothing was committed');
    expect(await namesIn(world)).toEqual([]);
  });

  it('takes no statement after its end', async () => {
    const { writer } = await createWorld();
    let kept: Transaction | undefined;
    await writer.transaction(async (tx) => {
      kept = tx;
    });
    await expect(kept?.query('select 1')).rejects.toThrow('a statement came after the end of its transaction');
  });

  it.each(['pg_cancel_backend', 'pg_terminate_backend'])(
    'that no standby has, after %s, has an outcome that nobody knows',
    async (end) => {
      const server = await startPostgres(['synchronous_standby_names=nobody']);
      onTestFinished(() => server.stop());
      const { writer, sql } = openWorld(server.url);
      const written = writer.transaction((tx) => tx.query('create table t (n bigint)'));
      const isUnknown = expect(written).rejects.toMatchObject({ code: 'UNAVAILABLE', details: { outcome: 'unknown' } });
      const waiting = () => sql<{ pid: number }[]>`select pid from pg_stat_activity where wait_event = 'SyncRep'`;
      await expect.poll(async () => (await waiting()).length).toBe(1);
      const [backend] = await waiting();
      await sql`select ${sql(end)}(${backend?.pid ?? 0})`;
      await isUnknown;
    },
  );

  it.each([
    ['between two statements', async () => {}],
    ['within a statement', (tx: Transaction) => tx.query('select $1::text', ['never answered'])],
  ])('does not wait for ever for a node that has become silent %s', async (_, last) => {
    const location = await preparedLocation('postgres');
    if (location.engine !== 'postgres') throw new Error('asked for postgres');
    const { writer, sql } = openWorld(location.url);
    const address = new URL(location.url);
    let isSilent = false;
    const proxy = await startProxy(location.url, { change: (bytes) => (isSilent ? Buffer.alloc(0) : bytes) });
    address.port = new URL(proxy.url).port;
    const silent = openPostgresWriter(address.href);
    const over = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const hanging = silent.transaction(async (tx) => {
      await add(tx, 'a');
      isSilent = true;
      locked.resolve();
      await last(tx);
      await over.promise;
    });
    const failed = hanging.catch((error: unknown) => error);
    await locked.promise;
    await writer.transaction((tx) => add(tx, 'a'));
    expect(await namesIn({ writer, sql })).toEqual(['a']);
    proxy.stop();
    over.resolve();
    expect(await failed).toBeInstanceOf(Error);
    await silent.close();
  });
});

describe('a read on postgres', () => {
  it('is made again when its connection was lost', async () => {
    const location = await preparedLocation('postgres');
    if (location.engine !== 'postgres') throw new Error('asked for postgres');
    const database = openPostgresDatabase(location.url);
    onTestFinished(() => database.close());
    const { sql } = openWorld(location.url);
    const reads = Array.from({ length: 30 }, (_, n) => database.query(`select pg_sleep(0.3), ${n}::bigint as n`));
    const busy = () => sql<{ pid: number }[]>`select pid from pg_stat_activity
      where datname = current_database() and wait_event = 'PgSleep'`;
    await expect.poll(async () => (await busy()).length).toBeGreaterThan(0);
    for (const { pid } of await busy()) await sql`select pg_terminate_backend(${pid}::int)`;
    const rows = await Promise.all(reads);
    expect(rows.map(([row]) => row?.n)).toEqual(Array.from({ length: 30 }, (_, n) => n));
  });

  it('takes arrays of whatever is in a column', async () => {
    const location = await preparedLocation('postgres');
    if (location.engine !== 'postgres') throw new Error('asked for postgres');
    const database = openPostgresDatabase(location.url);
    onTestFinished(() => database.close());
    const rows = [
      ['', 0, new Uint8Array()],
      ['"quoted" and \\ and \n', -1.5, new Uint8Array([0, 255])],
      ['{a,b}', 1e300, null],
      ['NULL', Number.MAX_SAFE_INTEGER, new Uint8Array([92, 34])],
      [null, null, null],
      ['ünïcödé 🪨', 1, null],
    ];
    const set = `select ord, t, n, b from unnest($1::text[], $2::double precision[], $3::bytea[])
      with ordinality as given (t, n, b, ord) order by ord`;
    const found = await database.bulk<{ t: string; n: number; b: Buffer | null }>(
      { each: '', set },
      { common: [], rows },
    );
    expect(found.map(({ ord, t, n, b }) => [ord, t, n, b && new Uint8Array(b)])).toEqual(
      rows.map((row, ord) => [ord, ...row]),
    );
  });
});
