// The writing side of SQLite, in the writer thread: group commit.
import type { Transaction, WritableDatabase } from './database.ts';
import { readerOn, SqliteConnection } from './sqlite-connection.ts';
import { sqliteDialect } from './sqlite-dialect.ts';

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
  #waiting: WaitingWork[] = [];
  #running: Promise<void> | undefined;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
    // The transaction has the whole database to itself already.
    this.#tx = { ...readerOn(this.#connection), forUpdate: '' } as Transaction;
  }

  transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ work, resolve: resolve as (result: unknown) => void, reject });
      this.#running ??= this.#run();
    });
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
      this.#connection.exec('begin immediate');
      const settled = await this.#applyWaiting(group);
      this.#connection.exec('commit');
      this.counts.transactions++;
      this.counts.writes += group.length;
      for (const settle of settled) settle();
    } catch (error) {
      if (this.#connection.inTransaction) this.#connection.exec('rollback');
      // Nothing of the group is durable. Work that had not begun is refused too, or it would wait for ever.
      for (const { reject } of group.length > 0 ? group : this.#waiting.splice(0)) reject(error);
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

export function openSqliteWriter(file: string): WritableDatabase {
  return writerOn(new SqliteConnection(file, { readOnly: false }));
}

/** Closing it closes the connection. */
export function writerOn(connection: SqliteConnection): WritableDatabase {
  return new SqliteWriter(connection);
}
