// One state of a store, to be read for as long as it takes, whatever is written meanwhile. It changes nothing, not even the
// schema: a copy that is looked at stays as it is.
import type { Reader, StoreLocation } from '../engine/database.ts';
import { readPostgresSnapshot } from '../engine/postgres/postgres.ts';
import { readerOn, SqliteConnection } from '../engine/sqlite/connection.ts';

export async function readSnapshot<Result>(
  location: StoreLocation,
  read: (reader: Reader) => Promise<Result>,
): Promise<Result> {
  if (location.engine === 'postgres') return await readPostgresSnapshot(location.url, read);
  const connection = new SqliteConnection(location.file, { readOnly: true });
  try {
    connection.exec('begin');
    return await read(readerOn(connection));
  } finally {
    connection.close();
  }
}
