// The store as the rest of the server holds it: a database to read from, and `write` for everything that changes it.
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Database, StoreLocation, WriterCounts } from './database.ts';
import { openPostgresDatabase } from './postgres.ts';
import { openSqliteDatabase } from './sqlite.ts';
import { Thread, threadFile } from './thread.ts';
import type { WriteInput, WriteName, WriteResult, WriterRequest } from './writes.ts';

export interface Store {
  readonly database: Database;
  /** The schema that the database was brought to when the store was opened. */
  readonly schemaVersion: number;
  /**
   * Durable when the promise is kept. When it is broken, nothing happened, unless the error's details say
   * `outcome: 'unknown'`: the connection or the thread was lost while the answer was on its way.
   */
  write<Name extends WriteName>(name: Name, input: WriteInput<Name>): Promise<WriteResult<Name>>;
  /** Counted in the writer thread since it started. */
  counts(): Promise<WriterCounts>;
  close(): Promise<void>;
}

export async function openStore(location: StoreLocation): Promise<Store> {
  if (location.engine === 'sqlite') mkdirSync(dirname(location.file), { recursive: true, mode: 0o700 });
  const writer = new Thread<WriterRequest, unknown>(threadFile('./writer-thread'), location);
  const schemaVersion = await openWriter(writer);
  const database =
    location.engine === 'sqlite' ? openSqliteDatabase(location.file) : openPostgresDatabase(location.url);
  return {
    database,
    schemaVersion,
    write: async (name, input) => (await writer.call({ name, input })) as WriteResult<typeof name>,
    counts: async () => (await writer.call('counts')) as WriterCounts,
    close: async () => {
      // The writer last: the last connection to close brings the log into the file, and a reader could not.
      await database.close();
      await writer.close();
    },
  };
}

/** The writer comes first: it makes the file and its tables, without which no reader can open it. */
async function openWriter(writer: Thread<WriterRequest, unknown>): Promise<number> {
  try {
    return (await writer.call('schemaVersion')) as number;
  } catch (error) {
    await writer.close();
    throw error;
  }
}
