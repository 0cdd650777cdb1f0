import type { BulkRows, BulkStatement, Transaction, Value, WritableDatabase } from '../database.ts';
import { type DiskFault, diskFault, diskFaultIn, withUnknownOutcome } from '../disk-fault.ts';
import { fileNumber, readerOn, SqliteConnection } from './connection.ts';
import { sqliteDialect } from './dialect.ts';

// The limit for how long a commit of another process waits for our group. Readers never wait.
const GROUP_BUDGET_MS = 250;

interface WaitingWork {
  readonly work: (tx: Transaction) => Promise<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Settle = () => void;

/** Group commit: one transaction applies all waiting work, so that the disk syncs once. */
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
      // The group is everything that arrives within one turn of the event loop.
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
      // Nothing of the group is durable. Work that had not begun fails too, because it would otherwise wait forever.
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

  // Even a rejection is reported after the commit, because it may depend on earlier work of the group.
  async #applyOne({ work, resolve, reject }: WaitingWork, isFirst: boolean): Promise<Settle> {
    const undo = isFirst ? this.#beginFirst() : this.#beginNext();
    try {
      const result = await work(this.#tx);
      if (!isFirst) this.#connection.exec('release work');
      return () => resolve(result);
    } catch (error) {
      // On a full or failing disk, SQLite rolls back the whole transaction, including the earlier work of the group.
      if (!this.#connection.inTransaction) throw error;
      undo();
      return () => reject(error);
    }
  }

  /** A savepoint would keep every changed page, and large writes usually come alone. */
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

/** If there was no room for the commit record, the log holds none of it. An I/O error leaves the outcome unknown. */
function isFull(error: unknown): boolean {
  return diskFaultIn(error) === 'disk_full';
}

/** Outside a transaction, each statement would commit by itself. */
function transactionOn(connection: SqliteConnection): Transaction {
  const reader = readerOn(connection);
  const whole = <Result>(statement: () => Promise<Result>): Promise<Result> =>
    connection.inTransaction ? statement() : Promise.reject(new Error('the transaction was taken back before this'));
  return {
    query: <Result>(sql: string, params?: readonly Value[]) => whole(() => reader.query<Result>(sql, params)),
    bulk: <Result extends object>(statement: BulkStatement, rows: BulkRows) =>
      whole(() => reader.bulk<Result>(statement, rows)),
    // SQLite allows one writer, so rows need no lock.
    forUpdate: '',
    now: () => Date.now(),
  } as Transaction;
}

export function openSqliteWriter(file: string): WritableDatabase {
  const connection = new SqliteConnection(file, { readOnly: false });
  const opened = fileNumber(file);
  return new SqliteWriter(connection, () => fileNumber(file) !== opened);
}

export function writerOn(connection: SqliteConnection): WritableDatabase {
  return new SqliteWriter(connection, () => false);
}
