// Reads the search index beside the main thread: a search for the beginning of a common word takes its time.
import { workerData } from 'node:worker_threads';
import { fail } from '@cairn/protocol/errors';
import type { Row } from './database.ts';
import { isDamage, type SqliteConnection } from './sqlite-connection.ts';
import type { ScanRequest } from './sqlite-scans.ts';
import { fileNumber, openSearchReader, removeSearchFile } from './sqlite-search.ts';
import { serveThread } from './thread.ts';

const file = workerData as string;
let connection: SqliteConnection | undefined;
let opened: number | undefined;

/** The file as it is now: it may have been made anew since. */
function present(): SqliteConnection | undefined {
  if (connection !== undefined && opened === fileNumber(file)) return connection;
  close();
  opened = fileNumber(file);
  connection = openSearchReader(file);
  return connection;
}

function close(): void {
  connection?.close();
  connection = undefined;
}

serveThread<ScanRequest, Row[]>({
  serve: async (request) => {
    try {
      const index = present();
      if (index === undefined) return [];
      return 'bulk' in request ? index.bulk(request.statement, request.bulk) : index.all(request.sql, request.params);
    } catch (error) {
      if (!isDamage(error)) throw error;
      close();
      removeSearchFile(file);
      const message = 'The search index was damaged and is being made anew. Try again in a moment.';
      throw fail('UNAVAILABLE', { message, retryAfter: 1, cause: error });
    }
  },
  close: async () => close(),
});
