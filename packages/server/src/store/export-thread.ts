// The thread that reads exports, beside the main one: that only passes the bytes on.
import type { StoreLocation } from './database.ts';
import { type ExportPage, type ExportPageRequest, type ExportReader, readExportPage } from './export-page.ts';
import { type ExportPlan, type PlanRequest, planExport } from './export-plan.ts';
import { openPostgresExport } from './postgres-export.ts';
import { openSqliteExport } from './sqlite-export.ts';
import { serveThread, type ThreadService } from './thread.ts';

export type ExportRequest = { readonly plan: PlanRequest } | { readonly page: ExportPageRequest };

interface OpenedReader extends ExportReader {
  close(): Promise<void>;
}

function open(location: StoreLocation): ThreadService<ExportRequest, ExportPlan | ExportPage> {
  const reader: OpenedReader =
    location.engine === 'sqlite' ? openSqliteExport(location.file) : openPostgresExport(location.url, location);
  return {
    serve: (request) => ('plan' in request ? planExport(reader, request.plan) : readExportPage(reader, request.page)),
    transfer: (result) => ('bytes' in result ? [result.bytes.buffer] : []),
    close: () => reader.close(),
  };
}

serveThread(open);
