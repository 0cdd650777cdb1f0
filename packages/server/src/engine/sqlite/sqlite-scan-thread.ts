// The thread that runs reads that no index bounds, because a running `node:sqlite` statement cannot be interrupted.
import type { Row } from '../database.ts';
import { serveThread, type ThreadService } from '../thread.ts';
import { SqliteConnection } from './connection.ts';
import type { ScanRequest } from './scans.ts';

function openScan(file: string): ThreadService<ScanRequest, Row[]> {
  const connection = new SqliteConnection(file, { readOnly: true });
  return {
    serve: async (request) =>
      'bulk' in request
        ? connection.bulk(request.statement, request.bulk)
        : connection.all(request.sql, request.params),
    close: async () => connection.close(),
  };
}

serveThread(openScan);
