// The SQLite engine: the readers of the main thread, and the one writing connection in the writer thread.
import { type AccessView, AccessViews, READ_EPOCH } from '../access-epoch.ts';
import type {
  BulkRows,
  BulkStatement,
  Database,
  Ordinal,
  StopListening,
  Transaction,
  Value,
  WritableDatabase,
} from '../database.ts';
import { type DiskFault, diskFault, diskFaultIn, withUnknownOutcome } from '../disk-fault.ts';
import { type Batch, Group, type Statements } from '../group.ts';
import { boundedReader } from '../read-bounds.ts';
import { threadFile } from '../thread.ts';
import { fileNumber, readerOn, SqliteConnection } from './connection.ts';
import { sqliteDialect } from './dialect.ts';
import { SqliteScans } from './scans.ts';
import { searchFile } from './side-file.ts';

const WATCH_INTERVAL_MS = 25;

interface SqliteReads {
  readonly database: Database;
  readonly version: () => number;
}

export function openSqliteDatabase(file: string): SqliteReads {
  const connection = new SqliteConnection(file, { readOnly: true });
  const scans = new SqliteScans(file);
  const searches = new SqliteScans(searchFile(file), { thread: threadFile('./sqlite-search-thread', import.meta.url) });
  const watch = new DataVersionWatch(connection);
  const views = new AccessViews();
  const accessView = accessViewOn(connection, views);
  const database: Database = {
    engine: 'sqlite',
    dialect: sqliteDialect,
    ...readerOn(connection),
    beside: boundedReader(scans),
    search: boundedReader(searches),
    now: async () => Date.now(),
    accessView: async () => accessView(),
    accessViewAtOnce: accessView,
    views,
    listen: async (_channel, onNotice) => watch.add(() => onNotice(undefined)),
    notify: async () => watch.look(),
    close: async () => {
      watch.stop();
      await Promise.all([scans.close(), searches.close()]);
      connection.close();
    },
  };
  return { database, version: () => connection.dataVersion() };
}

class DataVersionWatch {
  readonly #connection: SqliteConnection;
  readonly #listeners = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;
  #seen: number;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
    this.#seen = connection.dataVersion();
  }

  add(listener: () => void): StopListening {
    this.look();
    this.#listeners.add(listener);
    this.#timer ??= setInterval(() => this.look(), WATCH_INTERVAL_MS).unref();
    return async () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.stop();
    };
  }

  look(): void {
    const now = this.#connection.dataVersion();
    if (now === this.#seen) return;
    this.#seen = now;
    for (const listener of this.#listeners) listener();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function accessViewOn(connection: SqliteConnection, views: AccessViews): () => AccessView {
  let seen: number | undefined;
  return () => {
    const version = connection.dataVersion();
    if (version === seen && views.likely !== undefined) return views.likely;
    const [row] = connection.all<{ epoch: number }>(READ_EPOCH);
    const epoch = row?.epoch ?? 0;
    seen = version;
    return views.likely?.epoch === epoch ? views.likely : views.at(epoch);
  };
}

class SqliteWriter implements WritableDatabase {
  readonly dialect = sqliteDialect;
  readonly counts = { writes: 0, transactions: 0 };
  readonly #connection: SqliteConnection;
  readonly #isLost: () => boolean;
  readonly #group: Group;

  constructor(connection: SqliteConnection, isLost: () => boolean, rolledBack?: () => void) {
    this.#connection = connection;
    this.#isLost = isLost;
    this.#group = new Group((apply) => this.#transact(apply), { rolledBack });
  }

  async transaction<Result>(work: Batch | ((tx: Transaction) => Promise<Result>)): Promise<Result> {
    const result = await this.#group.add<Result>(work);
    this.counts.writes++;
    return result;
  }

  get fault(): DiskFault | undefined {
    return this.#isLost() ? 'file_lost' : undefined;
  }

  async close(): Promise<void> {
    await this.#group.drain();
    this.#connection.close();
  }

  async #transact(apply: (statements: Statements) => Promise<void>): Promise<void> {
    // Data written to a deleted file is lost when this process ends.
    if (this.#isLost()) throw diskFault('file_lost', undefined);
    const connection = this.#connection;
    connection.exec('begin immediate');
    try {
      const statements = new SqliteStatements(connection);
      await apply(statements);
      statements.requireWhole();
      commit(connection);
      this.counts.transactions++;
    } finally {
      if (connection.inTransaction) connection.exec('rollback');
    }
  }
}

function commit(connection: SqliteConnection): void {
  try {
    connection.exec('commit');
  } catch (error) {
    // If there was no room for the commit record, the log holds none of it. An I/O error leaves the outcome unknown.
    throw diskFaultIn(error) === 'disk_full' ? error : withUnknownOutcome(error);
  }
}

/** On a full or failing disk, SQLite rolls the transaction back itself. Further statements would then autocommit. */
class SqliteStatements implements Statements {
  // SQLite allows one writer, so rows need no lock.
  readonly forUpdate = '';
  readonly #connection: SqliteConnection;
  #failure: unknown;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  now(): number {
    return Date.now();
  }

  query<Result>(sql: string, params?: readonly Value[]): Promise<Result[]> {
    return this.#run(() => this.#connection.all<Result>(sql, params));
  }

  bulk<Result extends object>(statement: BulkStatement, rows: BulkRows): Promise<Ordinal<Result>[]> {
    return this.#run(() => this.#connection.bulk<Ordinal<Result>>(statement, rows));
  }

  #run<Result>(statement: () => Result): Promise<Result> {
    try {
      this.requireWhole();
      return Promise.resolve(statement());
    } catch (error) {
      this.#failure ??= error;
      return Promise.reject(error);
    }
  }

  requireWhole(): void {
    if (!this.#connection.inTransaction) throw this.#failure ?? new Error('the transaction was rolled back');
  }
}

export function openSqliteWriter(file: string, rolledBack?: () => void): WritableDatabase {
  const connection = new SqliteConnection(file, { readOnly: false });
  const opened = fileNumber(file);
  return new SqliteWriter(connection, () => fileNumber(file) !== opened, rolledBack);
}

export function writerOn(connection: SqliteConnection): WritableDatabase {
  return new SqliteWriter(connection, () => false);
}
