// The thread that owns the writing connection. It brings the schema up to date first, then applies what it is asked to;
// so neither the event loop of the server nor a read ever waits for a write.
import { workerData } from 'node:worker_threads';
import type { StoreLocation, WritableDatabase } from './database.ts';
import { migrate } from './migration.ts';
import { openPostgresWriter } from './postgres.ts';
import { openSqliteWriter } from './sqlite-writer.ts';
import { serveThread } from './thread.ts';
import { WriterMemory } from './writer-memory.ts';
import { applyWrite, type WriterRequest } from './writes.ts';

// Awaited by each request. Kept only when it succeeds: a database that was away for a moment is asked again.
let opening: Promise<OpenedDatabase> | undefined;

function opened(): Promise<OpenedDatabase> {
  opening ??= open(workerData as StoreLocation).catch((error: unknown) => {
    opening = undefined;
    throw error;
  });
  return opening;
}

const memory = new WriterMemory();

interface OpenedDatabase {
  readonly database: WritableDatabase;
  readonly schemaVersion: number;
}

async function open(location: StoreLocation): Promise<OpenedDatabase> {
  const database = location.engine === 'sqlite' ? openSqliteWriter(location.file) : openPostgresWriter(location.url);
  try {
    return { database, schemaVersion: await migrate(database) };
  } catch (error) {
    await database.close();
    throw error;
  }
}

serveThread<WriterRequest, unknown>({
  serve: async (request) => {
    const { database, schemaVersion } = await opened();
    if (request === 'schemaVersion') return schemaVersion;
    if (request === 'counts') return database.counts;
    return await database.transaction((tx) => applyWrite(request, { tx, memory }));
  },
  close: async () => {
    const present = await opening?.catch(() => undefined);
    await present?.database.close();
  },
});
