// What docs/backup.md says of PostgreSQL, done as it says, while commits go on.
import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { expect, inject, it, onTestFinished } from 'vitest';
import {
  connect,
  createRepository,
  differences,
  expectRestored,
  serve,
  startWriting,
  stop,
  temporaryFolder,
} from './support/backup.ts';
import { createDatabase, dropDatabase } from './support/database.ts';
import { startPostgres } from './support/postgres.ts';

// The writers are in this process: they must not wait for it.
const run = promisify(execFile);

const CAIRN_SECRET = 'a secret of more than thirty-two characters';

function serveOn(url: string) {
  return serve({ CAIRN_DATABASE_URL: url, CAIRN_DATA: temporaryFolder(), CAIRN_SECRET });
}

/** Backs up what is at `url` while it is written to; the backup gives the address of what it was restored to. */
async function expectBackup(url: string, backUp: () => Promise<string>): Promise<void> {
  const token = await createRepository({ engine: 'postgres', url });
  const server = serveOn(url);
  const original = await connect(server, token);
  const writing = await startWriting(original);
  await writing.reach(100);
  const before = writing.newest();
  const other = await backUp();
  await writing.reach(before + 20);
  await writing.stop();
  const again = serveOn(other);
  await expectRestored({ original, restored: await connect(again, token), before });
  await stop(server, again);
  expect(await differences({ engine: 'postgres', url: other })).toEqual([]);
}

/** What `pg_basebackup` does, which does not come with the PostgreSQL of the tests. */
async function copyBase(url: string, data: string): Promise<string> {
  const copy = join(temporaryFolder(), 'base');
  const sql = postgres(url, { max: 1 });
  await sql`select pg_backup_start('test', true)`;
  await copyChanging(data, copy);
  const [label] = await sql<{ labelfile: string }[]>`select labelfile from pg_backup_stop(false)`;
  await sql.end();
  writeFileSync(join(copy, 'backup_label'), label?.labelfile ?? '');
  // Its log holds all that was written while it was copied.
  rmSync(join(copy, 'pg_wal'), { recursive: true });
  await copyChanging(join(data, 'pg_wal'), join(copy, 'pg_wal'));
  rmSync(join(copy, 'postmaster.pid'));
  return copy;
}

/** Files may go while they are copied, and `cp` then fails at the end of its work: the log makes up for them. */
async function copyChanging(from: string, to: string): Promise<void> {
  try {
    await run('cp', ['-a', from, to]);
  } catch (error) {
    if (!/No such file/.test(String((error as { stderr?: unknown }).stderr))) throw error;
  }
}

it('a base backup, with the log of its time, serves all that was committed before it began', async () => {
  const source = await startPostgres([]);
  onTestFinished(() => source.stop());
  await expectBackup(source.url, async () => {
    const copy = await startPostgres([], await copyBase(source.url, source.data));
    onTestFinished(() => copy.stop());
    return copy.url;
  });
});

/** None comes with `npm install`: who has one that is not older than the server of the tests says so. */
const HAS_DUMP = process.env.CAIRN_TEST_PG_DUMP !== undefined;

const dumpAndRestore = async () => {
  const server = inject('postgresUrl');
  const [source, target] = [await createDatabase(server), await createDatabase(server)];
  onTestFinished(async () => {
    for (const { name } of [source, target]) await dropDatabase(server, name);
  });
  const file = join(temporaryFolder(), 'cairn.dump');
  await expectBackup(source.url, async () => {
    await run('pg_dump', ['--format=custom', `--file=${file}`, source.url]);
    await run('pg_restore', ['--exit-on-error', '--single-transaction', '--no-owner', `--dbname=${target.url}`, file]);
    return target.url;
  });
};

if (HAS_DUMP) it('pg_dump and pg_restore give all that was committed before', dumpAndRestore);
