// One connection of `node:sqlite`, with its prepared statements.
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { fail } from '@cairn/protocol/errors';
import type { BulkRows, BulkStatement, Ordinal, Reader, Row, Value } from './database.ts';
import { toSqliteParameters } from './sqlite-dialect.ts';

const BUSY_TIMEOUT_MS = 5_000;
const CACHED_STATEMENTS_MAX = 500;

interface ConnectionOptions {
  readonly readOnly: boolean;
  /** Without it a commit does not wait for the disk, and a loss of power may damage the file. */
  readonly durable?: boolean;
}

export class SqliteConnection {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(file: string, { readOnly, durable = true }: ConnectionOptions) {
    this.#database = new DatabaseSync(file, { readOnly, timeout: BUSY_TIMEOUT_MS });
    if (readOnly) return;
    this.#database.exec('pragma journal_mode = wal');
    this.#database.exec(`pragma synchronous = ${durable ? 'full' : 'off'}`);
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
  if (errorNumber(error) === SQLITE_BUSY) {
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
