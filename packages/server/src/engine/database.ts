// The seam between Cairn and its two engines. Everything above this file is the same for SQLite and PostgreSQL.
// Reading and writing are different types: a function that writes takes a `Transaction`, and only the writer thread
// (writer-thread.ts) can make one.

import type { DiskFault } from './disk-fault.ts';

export type Engine = 'sqlite' | 'postgres';

export type Value = string | number | null | Uint8Array;

export type Row = Record<string, Value>;

export interface Reader {
  /** Runs a statement for many rows; each result carries `ord`, the index of its row. */
  bulk<Result extends object = Row>(statement: BulkStatement, rows: BulkRows): Promise<Ordinal<Result>[]>;
  /** A read that an index bounds. SQL is in the subset that both engines share, with `$1` parameters. */
  query<Result = Row>(sql: string, params?: readonly Value[]): Promise<Result[]>;
  /** Whether repositories lie on several machines (see placement.ts); without it, they do not. */
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
  /** Stands at the end of a select whose rows no other transaction may change before this one ends. */
  readonly forUpdate: string;
  /** Milliseconds on the clock of the database, as `Database.now`. */
  now(): number;
}

/**
 * One statement for many rows, spelt once an engine: on SQLite it is run for each row, on PostgreSQL once for all of
 * them, so that the number of round trips does not depend on the size of a commit.
 */
export interface BulkStatement {
  /** For one row: `$1` and on are the common values, then the row's. */
  readonly each: string;
  /** Whether a row gives one result at most. */
  readonly single?: true;
  /** For all rows: `$1` and on are the common values, then one array for each of the row's columns. */
  readonly set: string;
  /** For an insert, so that SQLite can take several rows at once. */
  readonly insert?: BulkInsert;
  /** For all rows on SQLite too, where they have one column: then a JSON array of its values, whose keys are `ord`. */
  readonly many?: string;
  /** For rows of several repositories, where those lie on several machines. */
  readonly shard?: BulkShard;
}

/** A distributed PostgreSQL is told by a single value on which machine all that a statement reads or changes lies. */
export interface BulkShard {
  /** Which of a row's columns names the repository. */
  readonly column: number;
  /** As `set`, for rows of one repository, which is the last parameter too. */
  readonly set: string;
}

export interface BulkInsert {
  readonly table: string;
  /** After `repo_id`, which is the first of the common values. */
  readonly columns: readonly string[];
  readonly rowsAtOnce: number;
}

export type StopListening = () => Promise<void>;

/** What the main thread holds: it reads, hears of changes, and cannot write. */
export interface Database extends Reader {
  readonly engine: Engine;
  readonly dialect: Dialect;
  /** For reads that no index bounds: runs beside this thread, so that nothing else waits for it. */
  readonly beside: Reader;
  /** For the search index, beside this thread: on SQLite it is in a file of its own. Without one, nothing is found. */
  readonly search: Reader;
  /** Milliseconds on the clock of the database. Leases and due times use it, because the clocks of nodes may be minutes apart. */
  now(): Promise<number>;
  /**
   * What a read has found, kept for as long as nothing is committed, here or in another process. Where the engine cannot
   * tell that for less than a read, it is read each time. Nothing found is not kept. What is kept is shared: it may depend
   * on nothing but its key and what is stored.
   */
  kept<Result>(key: string, read: () => Promise<Result | undefined>): Promise<Result | undefined>;
  /**
   * Calls back after `notify` on the same channel, here or in another process, with its payload. An `undefined`
   * payload means that something changed elsewhere and the engine cannot say what: read what you follow.
   */
  listen(channel: string, onNotice: (payload: string | undefined) => void): Promise<StopListening>;
  notify(channel: string, payload: string): Promise<void>;
  close(): Promise<void>;
}

/** How much was written since the start; fewer transactions than writes is what group commit is for. */
export interface WriterCounts {
  readonly writes: number;
  readonly transactions: number;
}

/** What the writer thread holds. */
export interface WritableDatabase {
  readonly dialect: Dialect;
  readonly counts: WriterCounts;
  /** A fault that is known without writing. */
  readonly fault?: DiskFault | undefined;
  /** Runs each piece of work; on SQLite all that wait together share one durable transaction, a savepoint each. */
  transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/**
 * What is written while reading: rate limits, the last use of tokens and used tickets. Apart from the rest, so that no
 * read waits for the writer, and cheap to lose.
 */
export interface UsageDatabase extends Reader {
  readonly dialect: Dialect;
  close(): Promise<void>;
}

/** Where the data lives. */
export type StoreLocation =
  | { readonly engine: 'sqlite'; readonly file: string }
  | ({ readonly engine: 'postgres'; readonly url: string } & PostgresOptions);

export interface PostgresOptions {
  readonly processes?: ProcessCount;
  /** How long the database may leave a statement unanswered; without it, any time. */
  readonly answerMs?: number | undefined;
}

/** How many processes of one server share the connections that it may have; by default it is one. */
export type ProcessCount = number;

/** What differs between the engines in the text of SQL; one object an engine. */
export interface Dialect {
  readonly engine: Engine;
  /** What cannot be written while the disk is full or fails, and leaves no trace that matters. */
  readonly probe: readonly string[];
  /** Replacements for the `{word}` places of the migrations. */
  readonly words: Readonly<Record<string, string>>;
  /** Held while migrations run, so that two starting servers do not run them at once; `null` where none is needed. */
  readonly lockMigrations: string | null;
  /** Lists the present schema as rows with one column `ddl`, in a stable order. */
  readonly describeSchema: string;
  readonly tableExists: string;
  /** The functions that give the greatest and the least of their arguments. */
  readonly greatest: string;
  readonly least: string;
  readonly data: DataDialect;
}

/** Whether a name matches a glob, and what stands in data: how conditions on records are spelt. */
export interface DataDialect {
  /** A condition over an expression that gives a name; `add` gives the place of a parameter. */
  matchesGlob(name: string, glob: string, add: AddParameter): string;
  /** Over a path into `v.data`: the type of the value is one of these, or another, or it is absent. */
  readonly value: Readonly<Record<'number' | 'string' | 'boolean', (path: string) => string>>;
  /** Whether there is a value, and it is not null. */
  exists(path: string): string;
  /** The place of a parameter that names a path through objects. */
  path(tokens: readonly string[], add: AddParameter): string;
  /** A text that a string in data is compared with. */
  text(value: string): string;
  /** Whether an id is among others. */
  isOneOf(id: string, ids: readonly number[], add: AddParameter): string;
  /** Whether one text holds another. */
  holds(text: string, part: string): string;
  /** What parameters of these types must be marked with. */
  readonly cast: Readonly<Record<'number' | 'string' | 'boolean', string>>;
}

export type AddParameter = (value: Value | readonly string[] | readonly number[]) => string;
