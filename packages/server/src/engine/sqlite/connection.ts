// One connection of `node:sqlite`, with its prepared statements.
import { closeSync, openSync, statSync } from 'node:fs';
import { backup, DatabaseSync, type StatementSync } from 'node:sqlite';
import { fail } from '@cairn/protocol/errors';
import { compileGlob } from '@cairn/model/glob';
import type { BulkInsert, BulkRows, BulkStatement, Ordinal, Reader, Row, Value } from '../database.ts';
import { diskFault } from '../disk-fault.ts';
import { toSqliteParameters } from './dialect.ts';
import { composeInsert, insertRows } from './insert.ts';

const BUSY_TIMEOUT_MS = 5_000;
const BUSY_PAUSE_MS = 5;
const CACHED_STATEMENTS_MAX = 500;
const COMPILED_GLOBS_MAX = 1_000;
// Some 4 MiB a step: often enough to show how far the copy is, seldom enough to cost nothing.
const COPY_STEP_PAGES = 1_000;

interface ConnectionOptions {
  readonly readOnly: boolean;
  /** Without it a commit does not wait for the disk, and a loss of power may damage the file. */
  readonly durable?: boolean;
}

/** Another number means that another file has taken the place of one that is still open. */
export function fileNumber(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
}

export class SqliteConnection {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, PreparedStatement>();

  constructor(file: string, { readOnly, durable = true }: ConnectionOptions) {
    // SQLite gives the files beside it the same mode.
    if (!readOnly && fileNumber(file) === undefined) closeSync(openSync(file, 'a', 0o600));
    this.#database = new DatabaseSync(file, { readOnly, timeout: BUSY_TIMEOUT_MS });
    this.#database.function('matches_glob', { deterministic: true }, globMatcher());
    if (readOnly) return;
    // What a savepoint or a statement may take back is kept in memory: there is little of it, and often.
    this.#database.exec('pragma temp_store = memory');
    this.#useWriteAheadLog();
    this.#database.exec(`pragma synchronous = ${durable ? 'full' : 'off'}`);
  }

  /** SQLite itself does not wait where another process makes the same change to a new file at the same moment. */
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

  /** Rows one by one, through the first after which no more are wanted. */
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

  /** One statement for many rows. Results carry the index of their row; a statement without any is only run. */
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

  /** Several reads of one state: else a commit could come in between, and a record be seen in two places or in none. */
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

  /**
   * Copies the database as it is now, whatever others commit meanwhile. The copy begins anew with each of their commits,
   * and so may never end, unless a transaction of this connection holds on to what it reads.
   */
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

  #prepare(sql: string): PreparedStatement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    // Texts that depend on a request's filters come in many variants: forget the oldest instead of growing.
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

/** A statement, with its rows as plain objects. */
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

/**
 * Makes objects of one form from the values of rows. The driver can make them too, but of a kind that takes twice as long to be
 * made and read; and where members are set one by one, they take as long. So the form is compiled, once a statement: the
 * names are those of columns in our own SQL.
 */
function rowMaker(names: readonly string[]): (values: readonly Value[]) => Row {
  const members = names.map((name, index) => `${JSON.stringify(name)}: values[${index}]`);
  return new Function('values', `return { ${members.join(', ')} };`) as ReturnType<typeof rowMaker>;
}

/** Compiles a glob once, however many names it is held against. */
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
/** A file could not be read or written, made longer, or brought to the disk; a quota that is used up is told as this too. */
const SQLITE_IOERR = 10;
const SQLITE_FULL = 13;

/** The low byte; what stands above it says where exactly. */
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

export function readerOn(connection: SqliteConnection): Reader {
  return {
    bulk: async <Result extends object>(statement: BulkStatement, bulk: BulkRows) =>
      connection.bulk<Ordinal<Result>>(statement, bulk),
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
