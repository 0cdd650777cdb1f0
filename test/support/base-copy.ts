// A copy of a PostgreSQL data folder while the server keeps running.
import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import postgres from 'postgres';
import type { TestPostgres } from './postgres.ts';

// Asynchronous, so that other code in this process is not blocked.
const run = promisify(execFile);

/** Does the work of `pg_basebackup`, which is not part of the PostgreSQL of the tests. */
export async function copyBase({ url, data }: Pick<TestPostgres, 'url' | 'data'>, copy: string): Promise<string> {
  const sql = postgres(url, { max: 1 });
  await sql`select pg_backup_start('test', true)`;
  await copyChanging(data, copy);
  const [label] = await sql<{ labelfile: string }[]>`select labelfile from pg_backup_stop(false)`;
  await sql.end();
  writeFileSync(join(copy, 'backup_label'), label?.labelfile ?? '');
  // The log has all writes made during the copy, so it is copied last.
  rmSync(join(copy, 'pg_wal'), { recursive: true });
  await copyChanging(join(data, 'pg_wal'), join(copy, 'pg_wal'));
  rmSync(join(copy, 'postmaster.pid'));
  return copy;
}

/** `cp` fails at the end if a file vanishes during the copy. The log makes up for such files. */
async function copyChanging(from: string, to: string): Promise<void> {
  try {
    await run('cp', ['-a', from, to]);
  } catch (error) {
    if (!/No such file/.test(String((error as { stderr?: unknown }).stderr))) throw error;
  }
}
