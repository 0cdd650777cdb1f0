// Writes the database anew, so that nothing is left on the disk of what was removed from it. On SQLite the search index is
// removed, and made anew in the background.
import { setTimeout as pause } from 'node:timers/promises';
import type { StoreLocation } from '../engine/database.ts';
import { rewritePostgres } from '../engine/postgres/postgres.ts';
import { SqliteConnection } from '../engine/sqlite/connection.ts';
import { removeSearchFile, searchFile } from '../engine/sqlite/search-file.ts';

const EMPTY_LOG_WITHIN_MS = 10_000;
const LOOK_AGAIN_MS = 50;

/** Answers whether nothing is left; on SQLite something is in the log for as long as somebody reads a state of before. */
export async function rewriteStorage(location: StoreLocation): Promise<boolean> {
  if (location.engine === 'postgres') {
    await rewritePostgres(location.url);
    return true;
  }
  removeSearchFile(searchFile(location.file));
  const connection = new SqliteConnection(location.file, { readOnly: false });
  try {
    connection.exec('vacuum');
    return await emptyLog(connection);
  } finally {
    connection.close();
  }
}

async function emptyLog(connection: SqliteConnection): Promise<boolean> {
  const end = performance.now() + EMPTY_LOG_WITHIN_MS;
  for (;;) {
    const [state] = connection.all<{ busy: number }>('pragma wal_checkpoint(truncate)');
    if (state?.busy === 0) return true;
    if (performance.now() > end) return false;
    await pause(LOOK_AGAIN_MS);
  }
}
