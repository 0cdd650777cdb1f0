// Copies of a SQLite database, made while others write to it, and what can be said of such a copy.
import { pathToFileURL } from 'node:url';
import { checkMigrations, readMigrations, schemaVersion } from '../engine/migration.ts';
import { readerOn, SqliteConnection } from '../engine/sqlite/connection.ts';
import { sqliteDialect } from '../engine/sqlite/dialect.ts';
import { findServerFact } from '../keys/server-fact.sql.ts';

export interface SqliteCopy {
  readonly file: string;
  readonly target: string;
  readonly onProgress: (doneShare: number) => void;
}

/** The database is only read, and not brought to this server's schema: what is backed up may be that of an older one. */
export async function copySqlite({ file, target, onProgress }: SqliteCopy): Promise<void> {
  const connection = new SqliteConnection(file, { readOnly: true });
  try {
    await connection.copyTo(target, onProgress);
  } finally {
    connection.close();
  }
}

export interface CopyState {
  readonly schemaVersion: number;
  /** `undefined` when no server was ever started on it. */
  readonly secretFingerprint: string | undefined;
}

export async function readSqliteCopy(file: string): Promise<CopyState> {
  return await onCopy(file, async (connection) => {
    const reader = readerOn(connection);
    const secretFingerprint = await findServerFact(reader, 'secret-fingerprint');
    return { schemaVersion: await schemaVersion(reader), secretFingerprint };
  });
}

/** What is wrong with the file, its tables and its indexes; `undefined` when nothing is. Reads all of it. */
export async function findSqliteDamage(file: string): Promise<string | undefined> {
  return await onCopy(file, async (connection) => {
    const [found] = connection.all<{ integrity_check: string }>('pragma integrity_check(1)');
    return found?.integrity_check === 'ok' ? undefined : found?.integrity_check;
  });
}

/** Refuses a copy that this server could not be started on. */
export async function checkSqliteCopy(file: string): Promise<void> {
  await onCopy(file, (connection) => checkMigrations(readerOn(connection), sqliteDialect));
}

/** The newest schema that this server can bring a database to. */
export function newestSchemaVersion(): number {
  return readMigrations().length;
}

/** Nobody else has the file open, and no file shall appear beside it. */
export function immutableFile(file: string): string {
  return `${pathToFileURL(file).href}?immutable=1`;
}

async function onCopy<Result>(file: string, work: (connection: SqliteConnection) => Promise<Result>): Promise<Result> {
  const connection = new SqliteConnection(immutableFile(file), { readOnly: true });
  try {
    return await work(connection);
  } finally {
    connection.close();
  }
}
