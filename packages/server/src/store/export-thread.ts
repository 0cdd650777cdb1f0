// The thread that reads exports, beside the main one: that only passes the bytes on.
import { workerData } from 'node:worker_threads';
import type { StoreLocation } from './database.ts';
import {
  type ExportPage,
  type ExportPageRequest,
  type ExportRange,
  type ExportReader,
  readExportPage,
} from './export-page.ts';
import { type ExportPlan, planExport } from './export-plan.ts';
import { openPostgresExport } from './postgres-export.ts';
import { openSqliteExport } from './sqlite-export.ts';
import { serveThread } from './thread.ts';

export type ExportRequest = { readonly plan: ExportRange } | { readonly page: ExportPageRequest };

interface OpenedReader extends ExportReader {
  close(): Promise<void>;
}

const location = workerData as StoreLocation;
const reader: OpenedReader =
  location.engine === 'sqlite' ? openSqliteExport(location.file) : openPostgresExport(location.url);

serveThread<ExportRequest, ExportPlan | ExportPage>({
  serve: (request) => ('plan' in request ? planExport(reader, request.plan) : readExportPage(reader, request.page)),
  transfer: (result) => ('bytes' in result ? [result.bytes.buffer] : []),
  close: () => reader.close(),
});
