// A reader thread: runs reads that no index bounds, because a running `node:sqlite` statement cannot be interrupted.
import { workerData } from 'node:worker_threads';
import type { Row } from './database.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import type { ScanRequest } from './sqlite-scans.ts';
import { serveThread } from './thread.ts';

const connection = new SqliteConnection(workerData as string, { readOnly: true });

serveThread<ScanRequest, Row[]>({
  serve: async (request) =>
    'bulk' in request ? connection.bulk(request.statement, request.bulk) : connection.all(request.sql, request.params),
  close: async () => connection.close(),
});
