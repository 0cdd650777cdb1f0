// The side files may be lost or damaged at any time: the search index, and data that reads may write. Commits to them
// never wait for the disk, and a damaged file is replaced by a new one.
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BulkRows, BulkStatement, Ordinal, UsageDatabase } from '../database.ts';
import { fileNumber, isDamage, readerOn, SqliteConnection } from './connection.ts';
import { sqliteDialect } from './dialect.ts';

const VERSION = 1;

// `detail=none`: queries need only the words of a document. `contentless_delete`: the database has the text itself.
const TABLES = `
  begin immediate;
  create virtual table if not exists search_document using fts5(
    words, tokenize = 'ascii', content = '', contentless_delete = 1, detail = none
  );
  create table if not exists search_state (
    repo_id integer not null primary key, indexed_seq integer not null, commit_id blob, through_seq integer,
    shape_id integer not null, record_id integer not null
  ) strict;
  pragma user_version = ${VERSION};
  commit;`;

export function searchFile(databaseFile: string): string {
  return join(dirname(databaseFile), 'search.db');
}

export function openSqliteSearch(databaseFile: string): SqliteConnection {
  const connection = openSideFile(searchFile(databaseFile), (opened) => {
    // It may be large, so not every page is read.
    if (![0, VERSION].includes(versionOf(opened))) return false;
    opened.exec(TABLES);
    return true;
  });
  connection.all('attach database $1 as source', [`${pathToFileURL(databaseFile).href}?mode=ro`]);
  return connection;
}

/** Replaces the file if it is damaged, or if `prepare` refuses it. */
function openSideFile(file: string, prepare: (connection: SqliteConnection) => boolean): SqliteConnection {
  const connection = openWhole(file, prepare);
  if (connection !== undefined) return connection;
  removeSideFile(file);
  const fresh = openWhole(file, prepare);
  if (fresh === undefined) throw new Error(`${file} was rebuilt and is damaged again. Check the disk.`);
  return fresh;
}

function openWhole(file: string, prepare: (connection: SqliteConnection) => boolean): SqliteConnection | undefined {
  let connection: SqliteConnection | undefined;
  try {
    connection = new SqliteConnection(file, { readOnly: false, durable: false });
    if (prepare(connection)) return connection;
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
  connection?.close();
  return undefined;
}

export function removeSideFile(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
}

function versionOf(connection: SqliteConnection): number {
  return connection.all<{ user_version: number }>('pragma user_version')[0]?.user_version ?? -1;
}

export function openSearchReader(file: string): SqliteConnection | undefined {
  if (fileNumber(file) === undefined) return undefined;
  const connection = new SqliteConnection(file, { readOnly: true });
  if (versionOf(connection) === VERSION) return connection;
  connection.close();
  return undefined;
}

// The wait blocks the event loop. Other processes hold the lock for microseconds, unless the machine is overloaded.
const BUSY_TIMEOUT_MS = 250;

/** The tables of the migrations `usage`, `stream` and `sign-in`, to recreate a lost file. */
const USAGE_FILE_TABLES = `
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
  const connection = openSideFile(file, (opened) => {
    opened.exec(USAGE_FILE_TABLES);
    const [found] = opened.all<{ quick_check: string }>('pragma quick_check(1)');
    return found?.quick_check === 'ok';
  });
  connection.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
  return {
    dialect: sqliteDialect,
    ...readerOn(connection),
    bulk: async <Result extends object>({ each }: BulkStatement, rows: BulkRows) =>
      inTransaction(connection, () => connection.each<Ordinal<Result>>(each, rows)),
    close: async () => connection.close(),
  };
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
