// A copy of the data of a PostgreSQL that goes on meanwhile.
import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import postgres from 'postgres';
import type { TestPostgres } from './postgres.ts';

// Others in this process must not wait for it.
const run = promisify(execFile);

/** What `pg_basebackup` does, which does not come with the PostgreSQL of the tests. */
export async function copyBase({ url, data }: Pick<TestPostgres, 'url' | 'data'>, copy: string): Promise<string> {
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
