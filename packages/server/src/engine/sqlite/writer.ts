// The writing side of SQLite, in the writer thread: group commit.
import type { BulkRows, BulkStatement, Transaction, Value, WritableDatabase } from '../database.ts';
import { type DiskFault, diskFault, diskFaultIn, withUnknownOutcome } from '../disk-fault.ts';
import { fileNumber, readerOn, SqliteConnection } from './connection.ts';
import { sqliteDialect } from './dialect.ts';

// Another process's commit can wait this long for us, and a read-only caller of ours never.
const GROUP_BUDGET_MS = 250;

interface WaitingWork {
  readonly work: (tx: Transaction) => Promise<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Settle = () => void;

/** Group commit: all work that waits is applied in one transaction, each piece in a savepoint, and made durable once. */
class SqliteWriter implements WritableDatabase {
  readonly dialect = sqliteDialect;
  readonly counts = { writes: 0, transactions: 0 };
  readonly #connection: SqliteConnection;
  readonly #tx: Transaction;
  readonly #isLost: () => boolean;
  #waiting: WaitingWork[] = [];
  #running: Promise<void> | undefined;

  constructor(connection: SqliteConnection, isLost: () => boolean) {
    this.#connection = connection;
    this.#isLost = isLost;
    this.#tx = transactionOn(connection);
  }

  transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ work, resolve: resolve as (result: unknown) => void, reject });
      this.#running ??= this.#run();
    });
  }

  get fault(): DiskFault | undefined {
    return this.#isLost() ? 'file_lost' : undefined;
  }

  async close(): Promise<void> {
    await this.#running;
    this.#connection.close();
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      // One turn of the event loop takes in everything that has arrived meanwhile: that is the group.
      await new Promise((turn) => setImmediate(turn));
      await this.#commitGroup();
    }
    this.#running = undefined;
  }

  async #commitGroup(): Promise<void> {
    const group: WaitingWork[] = [];
    try {
      // Data written to a deleted file is lost when this process ends.
      if (this.#isLost()) throw diskFault('file_lost', undefined);
      this.#connection.exec('begin immediate');
      const settled = await this.#applyWaiting(group);
      this.#commit();
      this.counts.transactions++;
      this.counts.writes += group.length;
      for (const settle of settled) settle();
    } catch (error) {
      if (this.#connection.inTransaction) this.#connection.exec('rollback');
      // Nothing of the group is durable. Work that had not begun is refused too, or it would wait for ever.
      for (const { reject } of group.length > 0 ? group : this.#waiting.splice(0)) reject(error);
    }
  }

  #commit(): void {
    try {
      this.#connection.exec('commit');
    } catch (error) {
      throw isFull(error) ? error : withUnknownOutcome(error);
    }
  }

  async #applyWaiting(group: WaitingWork[]): Promise<Settle[]> {
    const settled: Settle[] = [];
    const end = performance.now() + GROUP_BUDGET_MS;
    while (performance.now() < end) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      group.push(next);
      settled.push(await this.#applyOne(next, group.length === 1));
    }
    return settled;
  }

  // Even a refusal is told only after the commit: it may rest on what an earlier piece of the group has written.
  async #applyOne({ work, resolve, reject }: WaitingWork, isFirst: boolean): Promise<Settle> {
    const undo = isFirst ? this.#beginFirst() : this.#beginNext();
    try {
      const result = await work(this.#tx);
      if (!isFirst) this.#connection.exec('release work');
      return () => resolve(result);
    } catch (error) {
      // A full or failing disk makes SQLite take back the whole transaction, with what others have written in it.
      if (!this.#connection.inTransaction) throw error;
      undo();
      return () => reject(error);
    }
  }

  /** The transaction itself takes it back. A savepoint would keep every page that is changed, and large writes come alone. */
  #beginFirst(): () => void {
    return () => {
      this.#connection.exec('rollback');
      this.#connection.exec('begin immediate');
    };
  }

  #beginNext(): () => void {
    this.#connection.exec('savepoint work');
    return () => {
      this.#connection.exec('rollback to work');
      this.#connection.exec('release work');
    };
  }
}

/** Where there was no room for the end of a transaction, none of it is in the log; an error says nothing of that. */
function isFull(error: unknown): boolean {
  return diskFaultIn(error) === 'disk_full';
}

/**
 * Outside of a transaction each statement would be durable by itself. One that SQLite has taken back takes no more of
 * them, whatever its work does.
 */
function transactionOn(connection: SqliteConnection): Transaction {
  const reader = readerOn(connection);
  const whole = <Result>(statement: () => Promise<Result>): Promise<Result> =>
    connection.inTransaction ? statement() : Promise.reject(new Error('the transaction was taken back before this'));
  return {
    query: <Result>(sql: string, params?: readonly Value[]) => whole(() => reader.query<Result>(sql, params)),
    bulk: <Result extends object>(statement: BulkStatement, rows: BulkRows) =>
      whole(() => reader.bulk<Result>(statement, rows)),
    // It has the whole database to itself already.
    forUpdate: '',
    now: () => Date.now(),
  } as Transaction;
}

export function openSqliteWriter(file: string): WritableDatabase {
  const connection = new SqliteConnection(file, { readOnly: false });
  const opened = fileNumber(file);
  return new SqliteWriter(connection, () => fileNumber(file) !== opened);
}

/** Closing it closes the connection. */
export function writerOn(connection: SqliteConnection): WritableDatabase {
  return new SqliteWriter(connection, () => false);
}
