// The interface between Cairn and its two engines, SQLite and PostgreSQL. A function that writes takes a `Transaction`,
// and only the writer thread (writer-thread.ts) can make one.

import type { AccessView, AccessViews } from './access-epoch.ts';
import type { DiskFault } from './disk-fault.ts';
import type { Batch } from './group.ts';

export type Engine = 'sqlite' | 'postgres';

export type Value = string | number | null | Uint8Array;

export type Row = Record<string, Value>;

export interface Reader {
  bulk<Result extends object = Row>(statement: BulkStatement, rows: BulkRows): Promise<Ordinal<Result>[]>;
  /** SQL is in the subset that both engines share, with `$1` parameters. An index must bound the read. */
  query<Result = Row>(sql: string, params?: readonly Value[]): Promise<Result[]>;
  isDistributed?(): Promise<boolean>;
}

export interface BulkRows {
  readonly common: readonly Value[];
  readonly rows: readonly (readonly Value[])[];
}

export type Ordinal<Result> = Result & { ord: number };

declare const writable: unique symbol;

export interface Transaction extends Reader {
  readonly [writable]: true;
  /** Ends a select whose rows no other transaction may change before this one ends. */
  readonly forUpdate: string;
  now(): number;
  readonly changedAccess: boolean;
}

/** One statement for many rows, so that round trips do not depend on the size of a commit. */
export interface BulkStatement {
  /** Runs once per row: the common values come first (from `$1`), then the values of the row. */
  readonly each: string;
  readonly single?: true;
  /** Takes its last value from the first row, so all rows of one run must share it. */
  readonly sameEnd?: true;
  /** Runs once for all rows: the common values come first (from `$1`), then one array per column. */
  readonly set: string;
  readonly insert?: BulkInsert;
  /** Runs once for all rows of one column on SQLite: the last parameter is a JSON array whose keys are `ord`. */
  readonly many?: string;
  readonly shard?: BulkShard;
}

/** Citus routes a statement to one machine only if a single value names the repository. */
export interface BulkShard {
  readonly column: number;
  /** The repository id is also the last parameter. */
  readonly set: string;
}

export interface BulkInsert {
  readonly table: string;
  readonly columns: readonly string[];
  readonly rowsAtOnce: number;
}

export type StopListening = () => Promise<void>;

export interface Database extends Reader {
  readonly engine: Engine;
  readonly dialect: Dialect;
  /** For reads that no index bounds. They run on another thread or connection and delay nothing else. */
  readonly beside: Reader;
  /** The search index, in the background. On SQLite it is a separate file; without it, searches find nothing. */
  readonly search: Reader;
  /** Leases use the clock of the database, because the clocks of nodes may be minutes apart. */
  now(): Promise<number>;
  /** The current view: it includes all earlier commits, in any process. */
  accessView(): Promise<AccessView>;
  /** The same without a wait; `undefined` where one is needed. */
  accessViewAtOnce(): AccessView | undefined;
  /** The likely view may be out of date: a read that uses it also reads the epoch and compares. */
  readonly views: AccessViews;
  /** Like `query`, but without waiting if the engine runs in this process. */
  queryAtOnce<Result = Row>(sql: string, params?: readonly Value[]): Result[] | Promise<Result[]>;
  /** An `undefined` payload means that something unknown changed: read everything that you follow. */
  listen(channel: string, onNotice: (payload: string | undefined) => void): Promise<StopListening>;
  notify(channel: string, payload: string): Promise<void>;
  close(): Promise<void>;
}

export interface WriterCounts {
  readonly writes: number;
  readonly transactions: number;
}

export interface WritableDatabase {
  readonly dialect: Dialect;
  readonly counts: WriterCounts;
  readonly fault?: DiskFault | undefined;
  /**
   * Waiting work shares one durable transaction (see group.ts). SQLite groups all work, PostgreSQL the work of one
   * repository.
   */
  transaction<Result>(work: Batch | ((tx: Transaction) => Promise<Result>), repoId?: number): Promise<Result>;
  close(): Promise<void>;
}

/** Rate limits, last uses and used tickets: separate, so that reads can write them without waiting for the writer. */
export interface UsageDatabase extends Reader {
  readonly dialect: Dialect;
  close(): Promise<void>;
}

export type StoreLocation =
  | { readonly engine: 'sqlite'; readonly file: string }
  | ({ readonly engine: 'postgres'; readonly url: string } & PostgresOptions);

export interface PostgresOptions {
  readonly answerMs?: number | undefined;
}

export interface Dialect {
  readonly engine: Engine;
  /** Statements that fail while the disk is full or faulty, and otherwise leave nothing behind. */
  readonly probe: readonly string[];
  readonly words: Readonly<Record<string, string>>;
  /** Prevents two starting servers from migrating at once; `null` if the engine needs no lock. */
  readonly lockMigrations: string | null;
  readonly tableExists: string;
  hex(column: string): string;
  readonly greatest: string;
  readonly least: string;
  readonly data: DataDialect;
}

export interface DataDialect {
  matchesGlob(name: string, glob: string, add: AddParameter): string;
  /** Null if the value is absent or of another type. */
  readonly value: Readonly<Record<'number' | 'string' | 'boolean', (path: string) => string>>;
  exists(path: string): string;
  path(tokens: readonly string[], add: AddParameter): string;
  text(value: string): string;
  isOneOf(id: string, ids: readonly number[], add: AddParameter): string;
  holds(text: string, part: string): string;
  readonly cast: Readonly<Record<'number' | 'string' | 'boolean', string>>;
}

export type AddParameter = (value: Value | readonly string[] | readonly number[]) => string;
