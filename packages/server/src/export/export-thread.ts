// Reads exports on a thread of their own, so that the main thread only forwards bytes.
import type { StoreLocation } from '../engine/database.ts';
import { serveThread, type ThreadService } from '../engine/thread.ts';
import {
  type ExportPage,
  type ExportPageRequest,
  type ExportPlan,
  type ExportReader,
  type PlanRequest,
  planExport,
  readExportPage,
} from './export-page.sql.ts';
import { openPostgresExport, openSqliteExport } from './export-reader.sql.ts';

export type ExportRequest = { readonly plan: PlanRequest } | { readonly page: ExportPageRequest };

interface OpenedReader extends ExportReader {
  close(): Promise<void>;
}

function openExportReader(location: StoreLocation): ThreadService<ExportRequest, ExportPlan | ExportPage> {
  const reader: OpenedReader =
    location.engine === 'sqlite' ? openSqliteExport(location.file) : openPostgresExport(location.url, location);
  return {
    serve: (request) => ('plan' in request ? planExport(reader, request.plan) : readExportPage(reader, request.page)),
    transfer: (result) => ('bytes' in result ? [result.bytes.buffer] : []),
    close: () => reader.close(),
  };
}

serveThread(openExportReader);
