import type { BulkRows, BulkStatement, Ordinal, Transaction, Value, WritableDatabase } from '../database.ts';
import { type DiskFault, diskFault, diskFaultIn, withUnknownOutcome } from '../disk-fault.ts';
import { type Batch, Group, type Statements } from '../group.ts';
import { fileNumber, SqliteConnection } from './connection.ts';
import { sqliteDialect } from './dialect.ts';

interface WriterOptions {
  readonly isLost?: () => boolean;
  readonly takenBack?: (() => void) | undefined;
}

class SqliteWriter implements WritableDatabase {
  readonly dialect = sqliteDialect;
  readonly counts = { writes: 0, transactions: 0 };
  readonly #connection: SqliteConnection;
  readonly #isLost: () => boolean;
  /** SQLite has one writer at a time, so all that waits is one group. */
  readonly #group: Group;

  constructor(connection: SqliteConnection, { isLost = () => false, takenBack }: WriterOptions) {
    this.#connection = connection;
    this.#isLost = isLost;
    this.#group = new Group((apply) => this.#transact(apply), { takenBack });
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

/** On a full or failing disk, SQLite takes a transaction back by itself. Each further statement would commit alone. */
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

  /** At once: statements of one round are called one after the other, and the first that fails tells the reason. */
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
    if (!this.#connection.inTransaction) throw this.#failure ?? new Error('the transaction was taken back');
  }
}

export function openSqliteWriter(file: string, takenBack?: () => void): WritableDatabase {
  const connection = new SqliteConnection(file, { readOnly: false });
  const opened = fileNumber(file);
  return new SqliteWriter(connection, { isLost: () => fileNumber(file) !== opened, takenBack });
}

export function writerOn(connection: SqliteConnection): WritableDatabase {
  return new SqliteWriter(connection, {});
}
