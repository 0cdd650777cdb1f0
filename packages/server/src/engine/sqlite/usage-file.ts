// The file beside the database that holds what reads may change. It is written on the main thread, by every process,
// and never waits for the disk: a loss of power may damage it, and then it is made anew.
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { BulkRows, BulkStatement, Ordinal, UsageDatabase } from '../database.ts';
import { isDamage, readerOn, SqliteConnection } from './connection.ts';
import { sqliteDialect } from './dialect.ts';

// The event loop stands still meanwhile. Others hold the file for microseconds, unless the machine is busy elsewhere.
const BUSY_TIMEOUT_MS = 250;

/** The tables of the migrations `usage`, `stream` and `sign-in`, which a file that was lost gets again. */
const TABLES = `
  create table if not exists rate_bucket (
    key text not null primary key, seen_us integer not null, full_us integer not null, granted integer not null
  ) strict, without rowid;
  create table if not exists token_use (token_id integer not null primary key, used_at integer not null) strict;
  create table if not exists session_use (
    session_id text not null primary key, used_at integer not null
  ) strict, without rowid;
  create table if not exists used_ticket (
    ticket_id text not null primary key, expires_at integer not null
  ) strict, without rowid;`;

export function usageFile(databaseFile: string): string {
  return join(dirname(databaseFile), 'usage.db');
}

export function openSqliteUsage(file: string): UsageDatabase {
  const connection = openWhole(file) ?? openAnew(file);
  return {
    dialect: sqliteDialect,
    ...readerOn(connection),
    bulk: async <Result extends object>({ each }: BulkStatement, rows: BulkRows) =>
      inTransaction(connection, () => connection.each<Ordinal<Result>>(each, rows)),
    close: async () => connection.close(),
  };
}

/** `undefined` when the file is damaged. */
function openWhole(file: string): SqliteConnection | undefined {
  let connection: SqliteConnection | undefined;
  try {
    connection = new SqliteConnection(file, { readOnly: false, durable: false });
    connection.exec(TABLES);
    const [found] = connection.all<{ quick_check: string }>('pragma quick_check(1)');
    if (found?.quick_check === 'ok') {
      connection.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
      return connection;
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
  connection?.close();
  return undefined;
}

function openAnew(file: string): SqliteConnection {
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
  const connection = openWhole(file);
  if (connection === undefined) throw new Error(`${file} was made anew and is damaged again. Check the disk.`);
  return connection;
}

function inTransaction<Result>(connection: SqliteConnection, work: () => Result): Result {
  connection.exec('begin');
  try {
    const result = work();
    connection.exec('commit');
    return result;
  } catch (error) {
    if (connection.inTransaction) connection.exec('rollback');
    throw error;
  }
}
