// Verifies all repositories of a store in one snapshot, and the SQLite file itself.
import type { Reader, StoreLocation } from '../../engine/database.ts';
import { checkMigrations } from '../../engine/migration.ts';
import { postgresDialect } from '../../engine/postgres/dialect.ts';
import { readPostgresSnapshot } from '../../engine/postgres/postgres.ts';
import { readerOn, SqliteConnection } from '../../engine/sqlite/connection.ts';
import { sqliteDialect } from '../../engine/sqlite/dialect.ts';
import { sha256 } from './field.ts';
import { differencesIn } from './verify.ts';

export interface VerifyOptions {
  readonly only?: string | undefined;
  readonly onDifference: (difference: { repository?: string; difference: string }) => void;
  readonly onProgress: (what: string, doneShare?: number) => void;
}

export interface Verified {
  readonly repositories: number;
  readonly purged: number;
  readonly differences: number;
}

export async function verifyStore(location: StoreLocation, options: VerifyOptions): Promise<Verified> {
  return await readSnapshot(location, async (reader) => {
    await checkMigrations(reader, location.engine === 'sqlite' ? sqliteDialect : postgresDialect);
    let [differences, purged] = [0, 0];
    const tell = (difference: { repository?: string; difference: string }) => {
      differences++;
      options.onDifference(difference);
    };
    if (location.engine === 'sqlite') for (const difference of await damages(reader)) tell({ difference });
    const repositories = await listRepositories(reader, options.only);
    for (const [index, { id, name }] of repositories.entries()) {
      options.onProgress(name, index / repositories.length);
      purged += await countPurged(reader, id);
      for await (const difference of readably(differencesIn(reader, id))) tell({ repository: name, difference });
    }
    return { repositories: repositories.length, purged, differences };
  });
}

/** Includes deleted repositories, because they may be restored. */
async function listRepositories(reader: Reader, only: string | undefined): Promise<{ id: number; name: string }[]> {
  const all = await reader.query<{ id: number; name: string }>(
    `select r.id, o.name || '/' || r.name as name from repository r join organization o on o.id = r.organization_id
     order by r.id`,
  );
  return only === undefined ? all : all.filter(({ name }) => name === only);
}

async function countPurged(reader: Reader, repoId: number): Promise<number> {
  const sql = `select count(*) as n from version where repo_id = $1 and data = '{}' and data_hash <> $2`;
  const [row] = await reader.query<{ n: number }>(sql, [repoId, sha256('{}')]);
  return row?.n ?? 0;
}

async function damages(reader: Reader): Promise<string[]> {
  try {
    const found = await reader.query<{ integrity_check: string }>('pragma integrity_check');
    return found.map((row) => row.integrity_check).filter((line) => line !== 'ok');
  } catch (error) {
    return [`the file cannot be read: ${reason(error)}`];
  }
}

async function* readably(differences: AsyncGenerator<string>): AsyncGenerator<string> {
  try {
    yield* differences;
  } catch (error) {
    yield `its rows cannot be read: ${reason(error)}`;
  }
}

const reason = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** A snapshot may be read for any length of time. The schema is not migrated, so a backup stays as it is. */
async function readSnapshot<Result>(
  location: StoreLocation,
  read: (reader: Reader) => Promise<Result>,
): Promise<Result> {
  if (location.engine === 'postgres') return await readPostgresSnapshot(location.url, read);
  using connection = new SqliteConnection(location.file, { readOnly: true });
  connection.exec('begin');
  return await read(readerOn(connection));
}
