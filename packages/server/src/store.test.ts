import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { ENGINES, openStoreAt, openTestStore, preparedLocation, testLocation } from '../../../test/support/store.ts';
import type { Transaction } from './engine/database.ts';
import { openPostgresWriter } from './engine/postgres/postgres.ts';
import { SqliteScans } from './engine/sqlite/scans.ts';
import { openSqliteWriter } from './engine/sqlite/sqlite.ts';
import { findServerFact } from './keys/server-fact.sql.ts';
import { openStore } from './store.ts';

describe.each(ENGINES)('the store on %s', (engine) => {
  it('reads what it wrote, also after it was closed and opened again', async () => {
    const location = await testLocation(engine);
    const first = await openStore(location);
    await first.write.setServerFact({ name: 'setup-code-hash', value: 'kept' });
    expect(await findServerFact(first.database, 'setup-code-hash')).toBe('kept');
    await first.close();
    const second = await openStore(location);
    expect(await findServerFact(second.database, 'setup-code-hash')).toBe('kept');
    await second.close();
  });

  it('undoes a write that fails, and only that one', async () => {
    const { write, database } = await openTestStore(engine);
    const account = { passwordHash: '-', operator: false };
    const results = await Promise.allSettled([
      write.createAccount({ ...account, email: 'a@example.com', handle: 'a' }),
      write.createAccount({ ...account, email: 'b@example.com', handle: 'a' }),
      write.createAccount({ ...account, email: 'c@example.com', handle: 'c' }),
    ]);
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    const rows = await database.query('select handle from account order by handle');
    expect(rows).toHaveLength(2);
    const refused = results.find((result) => result.status === 'rejected');
    expect(refused?.reason).toMatchObject({ name: 'CairnError', code: 'ALREADY_EXISTS', status: 409 });
  });

  it('applies writes that are sent at once, each whole', async () => {
    const { write, database } = await openTestStore(engine);
    const account = { passwordHash: '-', operator: false };
    await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        write.createAccount({ ...account, email: `u${n}@example.com`, handle: `u${n}` }),
      ),
    );
    const [row] = await database.query<{ n: number }>(
      'select count(*) as n from account join organization on organization.personal_account_id = account.id',
    );
    expect(row?.n).toBe(100);
  });

  it('cannot be written to through the database that reads', async () => {
    const { database } = await openTestStore(engine);
    const insert = `insert into server_fact (name, value) values ('x', 'y')`;
    await expect(database.query(insert)).rejects.toThrow(/read-?only/);
    await expect(database.beside.query(insert)).rejects.toThrow(/read-?only/);
  });

  it('scans beside this thread: the event loop turns meanwhile', async () => {
    const { database } = await openTestStore(engine);
    const count =
      'with recursive n(i) as (select 1 union all select i + 1 from n where i < 300000) select count(*) as n from n';
    let turns = 0;
    let done = false;
    const scan = database.beside.query<{ n: number }>(count).finally(() => {
      done = true;
    });
    while (!done) {
      await setImmediate();
      turns++;
    }
    expect(await scan).toEqual([{ n: 300_000 }]);
    expect(turns).toBeGreaterThan(1);
  });

  it('tells listeners of what was written, and no longer after they stopped', async () => {
    const { database, write } = await openTestStore(engine);
    let notices = 0;
    let heard = () => {};
    const stop = await database.listen('seq', () => {
      notices++;
      heard();
    });
    const next = () =>
      new Promise<void>((resolve) => {
        heard = resolve;
      });
    const first = next();
    await write.setServerFact({ name: 'setup-code-hash', value: '1' });
    await database.notify('seq', 'a');
    await first;
    await stop();
    const before = notices;
    await write.setServerFact({ name: 'setup-code-hash', value: '2' });
    await database.notify('seq', 'b');
    await findServerFact(database, 'setup-code-hash');
    expect(notices).toBe(before);
  });

  it('tells listeners of another store on the same data', async () => {
    const location = await testLocation(engine);
    const [here, there] = [await openStore(location), await openStore(location)];
    const heard = Promise.withResolvers<string | undefined>();
    await here.database.listen('seq', heard.resolve);
    await here.database.notify('other', 'x');
    await there.write.setServerFact({ name: 'setup-code-hash', value: '1' });
    await there.database.notify('seq', 'a');
    await heard.promise;
    await Promise.all([here.close(), there.close()]);
  });

  it('keeps two stores on the same data correct when both write at once', async () => {
    const location = await testLocation(engine);
    const stores = [await openStore(location), await openStore(location)];
    const account = { passwordHash: '-', operator: false };
    await Promise.all(
      stores.flatMap((store, s) =>
        Array.from({ length: 50 }, (_, n) =>
          store.write.createAccount({ ...account, email: `${s}-${n}@example.com`, handle: `h${s}-${n}` }),
        ),
      ),
    );
    const rows = await stores[0]?.database.query('select count(*) as n from account');
    expect(rows).toEqual([{ n: 100 }]);
    await Promise.all(stores.map((store) => store.close()));
  });

  it('refuses calls after it was closed', async () => {
    const store = await openStore(await testLocation(engine));
    await store.close();
    await expect(store.write.setServerFact({ name: 'setup-code-hash', value: '' })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
  });
});

describe.each(ENGINES)('the writer on %s', (engine) => {
  it('undoes what a failed piece of work has written, and keeps the rest of its group', async () => {
    const location = await testLocation(engine);
    await (await openStore(location)).close();
    const writer = location.engine === 'sqlite' ? openSqliteWriter(location.file) : openPostgresWriter(location.url);
    const insert = (name: string) => (tx: Transaction) =>
      tx.query('insert into server_fact (name, value) values ($1, $1)', [name]);
    const results = await Promise.allSettled([
      writer.transaction(insert('first')),
      writer.transaction(async (tx) => {
        await insert('half')(tx);
        throw new Error('on second thoughts');
      }),
      writer.transaction(insert('last')),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    const rows = await writer.transaction((tx) => tx.query('select name from server_fact order by name'));
    expect(rows.map(({ name }) => name)).toEqual(['first', 'last']);
    await writer.close();
  });
});

describe('the store on sqlite', () => {
  it('is one whole file, and one for usage, after it was closed', async () => {
    const location = await testLocation('sqlite');
    if (location.engine !== 'sqlite') throw new Error('asked for sqlite');
    const store = await openStore(location);
    await store.write.setServerFact({ name: 'setup-code-hash', value: 'kept' });
    await store.close();
    expect(readdirSync(dirname(location.file))).toEqual(['cairn.db', 'usage.db']);
  });

  it('waits for another process that has just made the file', async () => {
    const location = await testLocation('sqlite');
    if (location.engine !== 'sqlite') throw new Error('asked for sqlite');
    const other = new Worker(
      `const { parentPort, workerData } = require('node:worker_threads');
       const { DatabaseSync } = require('node:sqlite');
       const database = new DatabaseSync(workerData);
       database.exec('create table made (id int); begin immediate');
       parentPort.postMessage('holds it');
       setTimeout(() => database.close(), 100);`,
      { eval: true, workerData: location.file },
    );
    await once(other, 'message');
    const writer = openSqliteWriter(location.file);
    expect(await writer.transaction((tx) => tx.query('pragma journal_mode'))).toEqual([{ journal_mode: 'wal' }]);
    await writer.close();
  });

  it('is durable: a write-ahead log that is flushed at every commit', async () => {
    const location = await testLocation('sqlite');
    if (location.engine !== 'sqlite') throw new Error('asked for sqlite');
    const writer = openSqliteWriter(location.file);
    const pragma = (name: string) => writer.transaction((tx) => tx.query(`pragma ${name}`));
    expect(await pragma('synchronous')).toEqual([{ synchronous: 2 }]);
    expect(await pragma('journal_mode')).toEqual([{ journal_mode: 'wal' }]);
    await writer.close();
  });

  it('no longer waits for a scan that takes too long, and scans beside it', async () => {
    const location = await testLocation('sqlite');
    if (location.engine !== 'sqlite') throw new Error('asked for sqlite');
    await (await openStore(location)).close();
    const scans = new SqliteScans(location.file, { timeoutMs: 50 });
    const long =
      'with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000000) select count(*) as n from n';
    await expect(scans.query(long)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    const patient = new SqliteScans(location.file);
    expect(await patient.query('select 1 as one')).toEqual([{ one: 1 }]);
    await Promise.all([scans.close(), patient.close()]);
  });

  it('commits writes that wait together in one transaction', async () => {
    const location = await preparedLocation('sqlite');
    if (location.engine !== 'sqlite') throw new Error('asked for sqlite');
    const { write, counts } = await openStoreAt(location);
    const before = await counts();
    const other = new DatabaseSync(location.file);
    other.exec('begin immediate');
    const written = Array.from({ length: 64 }, (_, n) =>
      write.setServerFact({ name: 'setup-code-hash', value: String(n) }),
    );
    other.exec('commit');
    other.close();
    await Promise.all(written);
    const after = await counts();
    expect(after.writes - before.writes).toBe(64);
    expect(after.transactions - before.transactions).toBeLessThanOrEqual(16);
  });

  it('says what is wrong with a file that is no database', async () => {
    const location = await testLocation('sqlite');
    if (location.engine !== 'sqlite') throw new Error('asked for sqlite');
    writeFileSync(location.file, 'this is a text file, not a database, and longer than a header would be. '.repeat(20));
    await expect(openStore(location)).rejects.toThrow(/not a database/);
  });
});

describe('the store on postgres', () => {
  it('tries again what the server ended because of a deadlock', async () => {
    const location = await testLocation('postgres');
    if (location.engine !== 'postgres') throw new Error('asked for postgres');
    await (await openStore(location)).close();
    const writer = openPostgresWriter(location.url);
    const set = (tx: Transaction, name: string) =>
      tx.query('insert into server_fact (name, value) values ($1, $1) on conflict (name) do update set value = $1', [
        name,
      ]);
    await writer.transaction(async (tx) => {
      await set(tx, 'a');
      await set(tx, 'b');
    });
    let waiting = 0;
    let bothHaveOne = () => {};
    const both = new Promise<void>((resolve) => {
      bothHaveOne = resolve;
    });
    const cross = (first: string, second: string) =>
      writer.transaction(async (tx) => {
        await set(tx, first);
        if (++waiting === 2) bothHaveOne();
        await both;
        await set(tx, second);
      });
    await Promise.all([cross('a', 'b'), cross('b', 'a')]);
    expect(waiting).toBeGreaterThan(2);
    await writer.close();
  });

  it('takes from a node that hangs in the middle of a transaction what it has locked', async () => {
    const location = await preparedLocation('postgres');
    if (location.engine !== 'postgres') throw new Error('asked for postgres');
    const [hanging, other] = [openPostgresWriter(location.url), openPostgresWriter(location.url)];
    const set = (tx: Transaction, value: string) =>
      tx.query(
        `insert into server_fact (name, value) values ('x', $1) on conflict (name) do update set value = $1 returning value`,
        [value],
      );
    let hangs = () => {};
    const locked = new Promise<void>((resolve) => {
      hangs = resolve;
    });
    const lost = hanging.transaction(async (tx) => {
      await set(tx, 'of the one that hangs');
      hangs();
      await new Promise(() => {});
    });
    const isLost = expect(lost).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await locked;
    expect(await other.transaction((tx) => set(tx, 'of the other'))).toEqual([{ value: 'of the other' }]);
    await isLost;
    await Promise.all([hanging.close(), other.close()]);
  });

  it('tells listeners to look when their connection was lost', async () => {
    const { database } = await openTestStore('postgres');
    const notices: (string | undefined)[] = [];
    await database.listen('seq', (payload) => notices.push(payload));
    await database
      .query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query ilike 'listen%' and pid <> pg_backend_pid()`)
      .catch(() => {});
    await expect.poll(() => notices).toContain(undefined);
  });

  it('says that the server cannot be reached', async () => {
    const location = { engine: 'postgres', url: 'postgres://nobody@127.0.0.1:1/none' } as const;
    await expect(openStore(location)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});
