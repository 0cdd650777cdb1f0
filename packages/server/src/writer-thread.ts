// The thread with the writing connection, so that neither the event loop nor a read ever waits for a write.
import { type CommitInput, commitTogether } from './commit/commit.write.ts';
import { WriterMemory } from './commit/record-set.sql.ts';
import type { StoreLocation, Transaction, WritableDatabase } from './engine/database.ts';
import { WriteHealth } from './engine/disk-fault.ts';
import { migrate } from './engine/migration.ts';
import { openSqliteWriter } from './engine/sqlite/sqlite.ts';
import { serveThread } from './engine/thread.ts';
import { applyWrite, type WriteRequest, type WriterRequest } from './writes.ts';

interface OpenedDatabase {
  readonly database: WritableDatabase;
  readonly schemaVersion: number;
}

class Writer {
  readonly #location: StoreLocation;
  // Cached only on success, so that an unreachable database is tried again.
  #opening: Promise<OpenedDatabase> | undefined;
  readonly #memory = new WriterMemory();
  readonly #health = new WriteHealth(() => this.#probe());

  constructor(location: StoreLocation) {
    this.#location = location;
  }

  async serve(request: WriterRequest): Promise<unknown> {
    const { database, schemaVersion } = await this.#opened();
    if (request === 'schemaVersion') return schemaVersion;
    if (request === 'counts') return database.counts;
    if (request === 'fault') return database.fault ?? this.#health.fault;
    try {
      return await database.transaction(this.#workOf(request), repositoryOf(request));
    } catch (error) {
      this.#health.note(error);
      throw error;
    }
  }

  #workOf(request: WriteRequest) {
    const { name, input } = request;
    if (name !== 'commit') return (tx: Transaction) => applyWrite(request, { tx, memory: this.#memory });
    const commit = input as CommitInput;
    const { operations, grant } = commit;
    const size = 'lineCount' in operations ? operations.operationCount : operations.length;
    return { key: grant.repoId, input: commit, size, apply: this.#commitAll };
  }

  readonly #commitAll = (tx: Transaction, inputs: readonly CommitInput[]) => commitTogether(tx, inputs, this.#memory);

  async close(): Promise<void> {
    this.#health.close();
    const present = await this.#opening?.catch(() => undefined);
    await present?.database.close();
  }

  async #probe(): Promise<void> {
    const { database } = await this.#opened();
    await database.transaction(async (tx) => {
      for (const statement of database.dialect.probe) await tx.query(statement);
    });
  }

  #opened(): Promise<OpenedDatabase> {
    this.#opening ??= openWriter(this.#location, () => this.#memory.forgetShapes()).catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }
}

async function openWriter(location: StoreLocation, rolledBack: () => void): Promise<OpenedDatabase> {
  if (location.engine === 'postgres') {
    const { openPostgresWriter } = await import('./engine/postgres/postgres.ts');
    // A migration may take longer than the time limit of a request.
    const schemaVersion = await migrateAnd(openPostgresWriter(location.url), (database) => database.close());
    return { database: openPostgresWriter(location.url, location, rolledBack), schemaVersion };
  }
  const database = openSqliteWriter(location.file, rolledBack);
  return { database, schemaVersion: await migrateAnd(database) };
}

async function migrateAnd(
  database: WritableDatabase,
  close: (database: WritableDatabase) => Promise<void> = async () => {},
): Promise<number> {
  try {
    const version = await migrate(database);
    await close(database);
    return version;
  } catch (error) {
    await database.close();
    throw error;
  }
}

function repositoryOf({ input }: WriteRequest): number | undefined {
  const grant = typeof input === 'object' && 'grant' in input ? input.grant : undefined;
  return grant !== undefined && 'repoId' in grant ? grant.repoId : undefined;
}

serveThread((location: StoreLocation) => new Writer(location));
