// The embedded engine: `node:sqlite` with a write-ahead log. One connection writes, in the writer thread; others read.
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { fail } from '@cairn/protocol/errors';
import type {
  BulkRows,
  BulkStatement,
  Database,
  Ordinal,
  Reader,
  Row,
  StopListening,
  Transaction,
  Value,
  WritableDatabase,
} from './database.ts';
import { sqliteDialect, toSqliteParameters } from './sqlite-dialect.ts';
import { SqliteScans } from './sqlite-scans.ts';

const BUSY_TIMEOUT_MS = 5_000;
// Another process's commit can wait this long for us, and a read-only caller of ours never.
const GROUP_BUDGET_MS = 250;
const WATCH_INTERVAL_MS = 25;
const CACHED_STATEMENTS_MAX = 500;

/** One connection with its prepared statements. */
export class SqliteConnection {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(file: string, options: { readOnly: boolean }) {
    this.#database = new DatabaseSync(file, { readOnly: options.readOnly, timeout: BUSY_TIMEOUT_MS });
    if (options.readOnly) return;
    this.#database.exec('pragma journal_mode = wal');
    this.#database.exec('pragma synchronous = full');
  }

  all<Result = Row>(sql: string, params: readonly Value[] = []): Result[] {
    try {
      return this.#prepare(sql).all(...params) as Result[];
    } catch (error) {
      throw translate(error);
    }
  }

  /** One statement for many rows. Results carry the index of their row; a statement without any is only run. */
  each<Result extends { ord: number }>(sql: string, { common, rows }: BulkRows): Result[] {
    if (rows.length === 0) return [];
    const found: Result[] = [];
    try {
      const statement = this.#prepare(sql);
      const reads = sql.startsWith('select');
      for (const [ord, row] of rows.entries()) {
        if (!reads) statement.run(...common, ...row);
        else
          for (const result of statement.all(...common, ...row))
            found.push(Object.assign(result, { ord }) as unknown as Result);
      }
      return found;
    } catch (error) {
      throw translate(error);
    }
  }

  exec(sql: string): void {
    try {
      this.#database.exec(sql);
    } catch (error) {
      throw translate(error);
    }
  }

  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  close(): void {
    this.#database.close();
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    // Texts that depend on a request's filters come in many variants: forget the oldest instead of growing.
    if (this.#statements.size >= CACHED_STATEMENTS_MAX) {
      for (const oldest of this.#statements.keys()) {
        this.#statements.delete(oldest);
        break;
      }
    }
    const statement = this.#database.prepare(toSqliteParameters(sql));
    this.#statements.set(sql, statement);
    return statement;
  }
}

const SQLITE_BUSY = 5;

function translate(error: unknown): unknown {
  if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) {
    return fail('UNAVAILABLE', {
      message: 'Another process is writing to the database. Try again in a moment.',
      retryAfter: 1,
      cause: error,
    });
  }
  return error;
}

function reader(connection: SqliteConnection): Reader {
  return {
    bulk: async <Result extends object>({ each }: BulkStatement, bulk: BulkRows) =>
      connection.each<Ordinal<Result>>(each, bulk),
    // Not an async function: a read is one call into SQLite, and its promise is made already kept.
    query<Result>(sql: string, params?: readonly Value[]) {
      try {
        return Promise.resolve(connection.all<Result>(sql, params));
      } catch (error) {
        return Promise.reject(error);
      }
    },
  };
}

export function openSqliteDatabase(file: string): Database {
  const connection = new SqliteConnection(file, { readOnly: true });
  const scans = new SqliteScans(file);
  const watch = new DataVersionWatch(connection);
  return {
    engine: 'sqlite',
    ...reader(connection),
    scan: async <Result>(sql: string, params: readonly Value[] = []) =>
      (await scans.run({ sql, params })) as unknown as Result[],
    // Whatever was notified was committed before, so the watch finds it, in this process and in others.
    listen: async (_channel, onNotice) => watch.add(() => onNotice(undefined)),
    notify: async () => watch.look(),
    close: async () => {
      watch.stop();
      await scans.close();
      connection.close();
    },
  };
}

/** Tells listeners that some other connection, of this process or another, has committed. */
class DataVersionWatch {
  readonly #connection: SqliteConnection;
  readonly #listeners = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;
  #seen: number;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
    this.#seen = this.#read();
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
    const now = this.#read();
    if (now === this.#seen) return;
    this.#seen = now;
    for (const listener of this.#listeners) listener();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #read(): number {
    return this.#connection.all<{ data_version: number }>('pragma data_version')[0]?.data_version ?? 0;
  }
}

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

  constructor(file: string) {
    this.#connection = new SqliteConnection(file, { readOnly: false });
    // The transaction has the whole database to itself already.
    this.#tx = { ...reader(this.#connection), forUpdate: '' } as Transaction;
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
      settled.push(await this.#applyOne(next));
    }
    return settled;
  }

  // Even a refusal is told only after the commit: it may rest on what an earlier piece of the group has written.
  async #applyOne({ work, resolve, reject }: WaitingWork): Promise<Settle> {
    this.#connection.exec('savepoint work');
    try {
      const result = await work(this.#tx);
      this.#connection.exec('release work');
      return () => resolve(result);
    } catch (error) {
      this.#connection.exec('rollback to work');
      this.#connection.exec('release work');
      return () => reject(error);
    }
  }
}

export function openSqliteWriter(file: string): WritableDatabase {
  return new SqliteWriter(file);
}
