// Errors of a PostgreSQL whose disk fails or which turns read-only, raised by a trigger. test/faults has a full disk.
import postgres from 'postgres';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { addTestRepository } from '../../../../test/support/repository.ts';
import { openStoreAt, preparedLocation } from '../../../../test/support/store.ts';

const SHAPE = { kind: 'shape', name: 'T', data: { fields: { n: 'number' } } };

async function openOnPostgres() {
  const location = await preparedLocation('postgres');
  if (location.engine !== 'postgres') throw new Error('asked for postgres');
  const sql = postgres(location.url, { max: 1, onnotice: () => {} });
  onTestFinished(() => sql.end());
  return { location, database: new URL(location.url).pathname.slice(1), run: (text: string) => sql.unsafe(text) };
}

// Citus takes no triggers, and the tests share a database there.
describe.skipIf(inject('isDistributed'))('the store on postgres', () => {
  it('refuses a commit that meets an I/O error at its very end, and goes on when there is none', async () => {
    const { location, run } = await openOnPostgres();
    const store = await openStoreAt(location);
    const { commit } = await addTestRepository(store, 'acme');
    await commit([SHAPE]);
    await run(`create function failing_disk() returns trigger language plpgsql as
      $$ begin raise exception 'could not write' using errcode = 'io_error'; end $$`);
    await run(`create constraint trigger failing_disk after insert on version deferrable initially deferred
      for each row execute function failing_disk()`);
    await expect(commit([{ name: 'T/a', data: { n: 1 } }])).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      details: { reason: 'io_error' },
      message: expect.stringContaining('its disk reports errors'),
      cause: expect.objectContaining({ message: 'could not write' }),
    });
    expect(await store.database.query('select name from record order by name')).toEqual([{ name: 'T' }]);
    await run('drop trigger failing_disk on version');
    expect((await commit([{ name: 'T/a', data: { n: 1 } }])).repoSeq).toBe(2);
    await expect.poll(() => store.fault()).toBeUndefined();
  });

  it('reads a database that lets itself only be read, says so of writes, and notices by itself that it is over', async () => {
    const { location, database, run } = await openOnPostgres();
    const before = await openStoreAt(location);
    const { commit, grant } = await addTestRepository(before, 'acme');
    await commit([SHAPE]);
    await run(`alter database ${database} set default_transaction_read_only = on`);
    const store = await openStoreAt(location);
    const write = () => store.write.setServerFact({ name: 'setup-code-hash', value: 'x' });
    const refusal = { code: 'UNAVAILABLE', details: { reason: 'read_only' }, retryAfter: expect.any(Number) };
    await expect(write()).rejects.toMatchObject(refusal);
    expect(await store.fault()).toBe('read_only');
    const sql = 'select name from record where repo_id = $1';
    expect(await store.database.query(sql, [grant.repoId])).toEqual([{ name: 'T' }]);
    await run(`alter database ${database} reset default_transaction_read_only`);
    await run(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = '${database}' and pid <> pg_backend_pid()`);
    await expect.poll(() => store.fault()).toBeUndefined();
    await write();
  });
});
