import { closeSync, openSync, statSync } from 'node:fs';
import { backup, DatabaseSync, type StatementSync } from 'node:sqlite';
import { compileGlob } from '@cairn/model/glob';
import { fail } from '@cairn/protocol/errors';
import type { BulkInsert, BulkRows, BulkStatement, Database, Ordinal, Row, Value } from '../database.ts';
import { diskFault } from '../disk-fault.ts';
import { toSqliteParameters } from './dialect.ts';
import { composeInsert, insertRows } from './insert.ts';

const BUSY_TIMEOUT_MS = 5_000;
const BUSY_PAUSE_MS = 5;
const CACHED_STATEMENTS_MAX = 500;
const COMPILED_GLOBS_MAX = 1_000;
/** Taken as needed. The default of 2 MiB holds too few pages of the indexes. */
const WRITER_CACHE_KIB = 16_384;
/** 16 MiB. Most pages change with many commits, and a checkpoint copies each page once. */
const CHECKPOINT_PAGES = 4_000;
const COPY_STEP_PAGES = 1_000;

interface ConnectionOptions {
  readonly readOnly: boolean;
  /** Without it, commits do not wait for the disk, and a power loss may damage the file. */
  readonly durable?: boolean;
}

/** A different inode means that another file replaced one that is still open. */
export function fileNumber(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
}

export class SqliteConnection {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, PreparedStatement>();
  #dataVersion: StatementSync | undefined;

  constructor(file: string, { readOnly, durable = true }: ConnectionOptions) {
    // SQLite gives the WAL and shared-memory files the mode of the database file.
    if (!readOnly && fileNumber(file) === undefined) closeSync(openSync(file, 'a', 0o600));
    this.#database = new DatabaseSync(file, { readOnly, timeout: BUSY_TIMEOUT_MS });
    this.#database.function('matches_glob', { deterministic: true }, globMatcher());
    if (readOnly) return;
    // Keeps undo data of savepoints and statements in memory, because it is small and frequent.
    this.#database.exec('pragma temp_store = memory');
    this.#database.exec(`pragma cache_size = -${WRITER_CACHE_KIB}`);
    this.#useWriteAheadLog();
    this.#database.exec(`pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    this.#database.exec(`pragma synchronous = ${durable ? 'full' : 'off'}`);
  }

  /** SQLite's busy timeout does not apply when another process changes the mode of a new file at the same time. */
  #useWriteAheadLog(): void {
    const end = performance.now() + BUSY_TIMEOUT_MS;
    for (;;) {
      try {
        this.#database.exec('pragma journal_mode = wal');
        return;
      } catch (error) {
        if (errorNumber(error) !== SQLITE_BUSY || performance.now() > end) throw translate(error);
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_PAUSE_MS);
      }
    }
  }

  all<Result = Row>(sql: string, params: readonly Value[] = []): Result[] {
    try {
      return this.#prepare(sql).all(params) as Result[];
    } catch (error) {
      throw translate(error);
    }
  }

  /** Changes after each commit of another connection, in any process. It is read at every request. */
  dataVersion(): number {
    try {
      this.#dataVersion ??= this.#database.prepare('pragma data_version');
      return Number(this.#dataVersion.get()?.data_version);
    } catch (error) {
      throw translate(error);
    }
  }

  takeWhile<Result>(sql: string, params: readonly Value[], goOn: (row: Result, taken: number) => boolean): Result[] {
    const rows: Result[] = [];
    try {
      for (const row of this.#prepare(sql).iterate(params)) {
        rows.push(row as Result);
        if (!goOn(row as Result, rows.length)) break;
      }
      return rows;
    } catch (error) {
      throw translate(error);
    }
  }

  bulk<Result extends { ord: number }>(bulkStatement: BulkStatement, bulk: BulkRows): Result[] {
    const { each, insert, many, single } = bulkStatement;
    const { common, rows } = bulk;
    if (insert !== undefined && rows.length >= insert.rowsAtOnce) {
      const inserted = this.#insert(insert, bulk);
      return this.each<Result>(each, { common, rows: rows.slice(inserted) });
    }
    if (single) return this.#singles<Result>(each, bulk);
    if (many === undefined || rows.length < 2) return this.each<Result>(each, bulk);
    return this.all<Result>(many, [...common, JSON.stringify(rows.map(([value]) => value))]);
  }

  #insert(insert: BulkInsert, bulk: BulkRows): number {
    try {
      const composed = composeInsert(insert, bulk);
      const statement = this.#prepare(composed.sql);
      const rows = { rows: bulk.rows, rowsAtOnce: insert.rowsAtOnce };
      return insertRows(composed, rows, (values) => statement.run(values));
    } catch (error) {
      throw translate(error);
    }
  }

  each<Result extends { ord: number }>(sql: string, { common, rows }: BulkRows): Result[] {
    if (rows.length === 0) return [];
    try {
      const statement = this.#prepare(sql);
      if (sql.startsWith('select'))
        return this.#atOnce(rows.length, () => readEach<Result>(statement, { common, rows }));
      for (const row of rows) statement.run([...common, ...row]);
      return [];
    } catch (error) {
      throw translate(error);
    }
  }

  #singles<Result extends { ord: number }>(sql: string, { common, rows }: BulkRows): Result[] {
    try {
      const statement = this.#prepare(sql);
      return this.#atOnce(rows.length, () => {
        const found: Result[] = [];
        for (const [ord, row] of rows.entries()) {
          const result = statement.get([...common, ...row]);
          if (result === undefined) continue;
          result.ord = ord;
          found.push(result as unknown as Result);
        }
        return found;
      });
    } catch (error) {
      throw translate(error);
    }
  }

  /** Reads one snapshot. Otherwise a commit in between could make a record appear in two places or in none. */
  #atOnce<Result>(reads: number, read: () => Result): Result {
    if (reads < 2 || this.#database.isTransaction) return read();
    this.#database.exec('begin');
    try {
      return read();
    } finally {
      this.#database.exec('commit');
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

  /** The transaction pins the snapshot. Otherwise the copy restarts after each commit and may never end. */
  async copyTo(file: string, onProgress: (doneShare: number) => void): Promise<void> {
    this.exec('begin');
    try {
      this.all('select count(*) from sqlite_schema');
      const progress = ({ totalPages, remainingPages }: { totalPages: number; remainingPages: number }) =>
        onProgress(1 - remainingPages / totalPages);
      await backup(this.#database, file, { rate: COPY_STEP_PAGES, progress });
    } finally {
      this.exec('commit');
    }
  }

  close(): void {
    this.#database.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #prepare(sql: string): PreparedStatement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    if (this.#statements.size >= CACHED_STATEMENTS_MAX) {
      for (const oldest of this.#statements.keys()) {
        this.#statements.delete(oldest);
        break;
      }
    }
    const statement = new PreparedStatement(this.#database.prepare(toSqliteParameters(sql)));
    this.#statements.set(sql, statement);
    return statement;
  }
}

function readEach<Result extends { ord: number }>(statement: PreparedStatement, { common, rows }: BulkRows): Result[] {
  const found: Result[] = [];
  for (let ord = 0; ord < rows.length; ord++) {
    for (const result of statement.all([...common, ...(rows[ord] ?? [])])) {
      result.ord = ord;
      found.push(result as unknown as Result);
    }
  }
  return found;
}

class PreparedStatement {
  readonly #statement: StatementSync;
  readonly #toRow: (values: readonly Value[]) => Row;

  constructor(statement: StatementSync) {
    statement.setReturnArrays(true);
    this.#statement = statement;
    this.#toRow = rowMaker(statement.columns().map(({ name }) => name));
  }

  all(params: readonly Value[]): Row[] {
    const rows = this.#statement.all(...params) as unknown as Value[][];
    return rows.map(this.#toRow);
  }

  get(params: readonly Value[]): Row | undefined {
    const row = this.#statement.get(...params) as unknown as Value[] | undefined;
    return row && this.#toRow(row);
  }

  *iterate(params: readonly Value[]): Generator<Row> {
    for (const row of this.#statement.iterate(...params)) yield this.#toRow(row as unknown as Value[]);
  }

  run(params: readonly Value[]): void {
    this.#statement.run(...params);
  }
}

/** Row objects from the driver take twice as long. The names are columns of our own SQL, so compiling code is safe. */
function rowMaker(names: readonly string[]): (values: readonly Value[]) => Row {
  const members = names.map((name, index) => `${JSON.stringify(name)}: values[${index}]`);
  return new Function('values', `return { ${members.join(', ')} };`) as ReturnType<typeof rowMaker>;
}

function globMatcher(): (glob: unknown, name: unknown) => number {
  const compiled = new Map<string, (name: string) => boolean>();
  return (pattern, name) => {
    const glob = String(pattern);
    const matches = compiled.get(glob) ?? compileGlob(glob);
    if (compiled.size >= COMPILED_GLOBS_MAX) compiled.clear();
    compiled.set(glob, matches);
    return matches(String(name)) ? 1 : 0;
  };
}

const SQLITE_BUSY = 5;
/** Covers failed reads, writes, file growth and syncs; SQLite also reports an exceeded quota as this. */
const SQLITE_IOERR = 10;
const SQLITE_FULL = 13;

function errorNumber(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined;
}

const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

export function isDamage(error: unknown): boolean {
  const number = errorNumber(error);
  return number === SQLITE_CORRUPT || number === SQLITE_NOTADB;
}

function translate(error: unknown): unknown {
  const number = errorNumber(error);
  if (number === SQLITE_FULL) return diskFault('disk_full', error);
  if (number === SQLITE_IOERR) return diskFault('io_error', error);
  if (number === SQLITE_BUSY) {
    return fail('UNAVAILABLE', {
      message: 'Another process is writing to the database. Try again in a moment.',
      retryAfter: 1,
      cause: error,
    });
  }
  return error;
}

export function readerOn(connection: SqliteConnection): Pick<Database, 'query' | 'queryAtOnce' | 'bulk'> {
  return {
    queryAtOnce: (sql, params) => connection.all(sql, params),
    bulk: async <Result extends object>(statement: BulkStatement, bulk: BulkRows) =>
      connection.bulk<Ordinal<Result>>(statement, bulk),
    // Not an async function: the read is synchronous, and an extra promise would cost time.
    query<Result>(sql: string, params?: readonly Value[]) {
      try {
        return Promise.resolve(connection.all<Result>(sql, params));
      } catch (error) {
        return Promise.reject(error);
      }
    },
  };
}
