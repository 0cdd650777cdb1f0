// The thread that owns the writing connection. It brings the schema up to date first, then applies what it is asked to;
// so neither the event loop of the server nor a read ever waits for a write.
import { workerData } from 'node:worker_threads';
import type { StoreLocation, WritableDatabase } from './database.ts';
import { migrate } from './migration.ts';
import { openPostgresWriter } from './postgres.ts';
import { openSqliteWriter } from './sqlite-writer.ts';
import { serveThread } from './thread.ts';
import { Turns } from './turns.ts';
import { WriterMemory } from './writer-memory.ts';
import { applyWrite, type WriteRequest, type WriterRequest } from './writes.ts';

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
// Writes to one repository wait for each other in any case. On PostgreSQL they would do so with a connection in hand, and
// a busy repository would leave none for the others.
const turns = new Turns<number>();

function repositoryOf({ input }: WriteRequest): number | undefined {
  const grant = typeof input === 'object' && 'grant' in input ? input.grant : undefined;
  return grant !== undefined && 'repoId' in grant ? grant.repoId : undefined;
}

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
    const write = () => database.transaction((tx) => applyWrite(request, { tx, memory }));
    const repoId = database.dialect.engine === 'postgres' ? repositoryOf(request) : undefined;
    return await (repoId === undefined ? write() : turns.take(repoId, write));
  },
  close: async () => {
    const present = await opening?.catch(() => undefined);
    await present?.database.close();
  },
});
