// The reading side of the SQLite engine, with a write-ahead log. One connection writes, in the writer thread
// (writer.ts).
import type { Database, StopListening } from '../database.ts';
import { boundedReader } from '../read-bounds.ts';
import { threadFile } from '../thread.ts';
import { readerOn, SqliteConnection } from './connection.ts';
import { sqliteDialect } from './dialect.ts';
import { SqliteScans } from './scans.ts';
import { searchFile } from './side-file.ts';

const WATCH_INTERVAL_MS = 25;

export function openSqliteDatabase(file: string): Database {
  const connection = new SqliteConnection(file, { readOnly: true });
  const scans = new SqliteScans(file);
  const searches = new SqliteScans(searchFile(file), { thread: threadFile('./sqlite-search-thread', import.meta.url) });
  const watch = new DataVersionWatch(connection);
  const keptReads = new KeptReads(() => dataVersion(connection));
  return {
    engine: 'sqlite',
    dialect: sqliteDialect,
    ...readerOn(connection),
    beside: boundedReader(scans),
    search: boundedReader(searches),
    now: async () => Date.now(),
    kept: (key, read) => keptReads.kept(key, read),
    // Callers notify after the commit, so the watch sees it, in this process and in others.
    listen: async (_channel, onNotice) => watch.add(() => onNotice(undefined)),
    notify: async () => watch.look(),
    close: async () => {
      watch.stop();
      await Promise.all([scans.close(), searches.close()]);
      connection.close();
    },
  };
}

class DataVersionWatch {
  readonly #connection: SqliteConnection;
  readonly #listeners = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;
  #seen: number;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
    this.#seen = dataVersion(connection);
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
    const now = dataVersion(this.#connection);
    if (now === this.#seen) return;
    this.#seen = now;
    for (const listener of this.#listeners) listener();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** Changes after each commit of another connection, of this process or another. */
function dataVersion(connection: SqliteConnection): number {
  return connection.all<{ data_version: number }>('pragma data_version')[0]?.data_version ?? 0;
}

const KEPT_MAX = 10_000;

/** SQLite reports commits of any process as a number that is cheaper to read than any query. */
export class KeptReads {
  readonly #currentVersion: () => number;
  readonly #kept = new Map<string, unknown>();
  #version: number | undefined;

  constructor(currentVersion: () => number) {
    this.#currentVersion = currentVersion;
  }

  async kept<Result>(key: string, read: () => Promise<Result | undefined>): Promise<Result | undefined> {
    const version = this.#currentVersion();
    if (version !== this.#version || this.#kept.size >= KEPT_MAX) {
      this.#kept.clear();
      this.#version = version;
    }
    const known = this.#kept.get(key) as Result | undefined;
    if (known !== undefined) return known;
    const found = await read();
    // A commit during the read may or may not be in the result, so the result is cached only if the version is still
    // the same.
    if (found !== undefined && this.#version === version) this.#kept.set(key, found);
    return found;
  }
}
