import type { BulkRows, BulkStatement, Transaction, Value, WritableDatabase } from '../database.ts';
import { type DiskFault, diskFault, diskFaultIn, withUnknownOutcome } from '../disk-fault.ts';
import { type Batch, Group, type Statements } from '../group.ts';
import { fileNumber, readerOn, SqliteConnection } from './connection.ts';
import { sqliteDialect } from './dialect.ts';

interface WriterOptions {
  readonly isLost?: () => boolean;
  readonly takenBack?: (() => void) | undefined;
}

class SqliteWriter implements WritableDatabase {
  readonly dialect = sqliteDialect;
  readonly counts = { writes: 0, transactions: 0 };
  readonly #connection: SqliteConnection;
  readonly #statements: Statements;
  readonly #isLost: () => boolean;
  /** SQLite has one writer at a time, so all that waits is one group. */
  readonly #group: Group;

  constructor(connection: SqliteConnection, { isLost = () => false, takenBack }: WriterOptions) {
    this.#connection = connection;
    this.#statements = statementsOn(connection);
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
      await apply(this.#statements);
      requireWhole(connection);
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

/** On a full or failing disk, SQLite takes a transaction back by itself. Each statement would then commit alone. */
function requireWhole(connection: SqliteConnection): void {
  if (!connection.inTransaction) throw new Error('the transaction was taken back before its end');
}

function statementsOn(connection: SqliteConnection): Statements {
  const reader = readerOn(connection);
  return {
    query: async <Result>(sql: string, params?: readonly Value[]) => {
      requireWhole(connection);
      return await reader.query<Result>(sql, params);
    },
    bulk: async <Result extends object>(statement: BulkStatement, rows: BulkRows) => {
      requireWhole(connection);
      return await reader.bulk<Result>(statement, rows);
    },
    // SQLite allows one writer, so rows need no lock.
    forUpdate: '',
    now: () => Date.now(),
  };
}

export function openSqliteWriter(file: string, takenBack?: () => void): WritableDatabase {
  const connection = new SqliteConnection(file, { readOnly: false });
  const opened = fileNumber(file);
  return new SqliteWriter(connection, { isLost: () => fileNumber(file) !== opened, takenBack });
}

export function writerOn(connection: SqliteConnection): WritableDatabase {
  return new SqliteWriter(connection, {});
}
