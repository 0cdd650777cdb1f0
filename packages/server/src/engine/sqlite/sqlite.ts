// The reading side of the SQLite engine, with a write-ahead log. One connection writes, in the writer thread
// (writer.ts).
import { type AccessView, AccessViews, READ_EPOCH } from '../access-epoch.ts';
import type { Database, StopListening } from '../database.ts';
import { boundedReader } from '../read-bounds.ts';
import { threadFile } from '../thread.ts';
import { readerOn, SqliteConnection } from './connection.ts';
import { sqliteDialect } from './dialect.ts';
import { SqliteScans } from './scans.ts';
import { searchFile } from './side-file.ts';

const WATCH_INTERVAL_MS = 25;

interface SqliteReads {
  readonly database: Database;
  /** Changes after each commit, of any process. */
  readonly version: () => number;
}

export function openSqliteDatabase(file: string): SqliteReads {
  const connection = new SqliteConnection(file, { readOnly: true });
  const scans = new SqliteScans(file);
  const searches = new SqliteScans(searchFile(file), { thread: threadFile('./sqlite-search-thread', import.meta.url) });
  const watch = new DataVersionWatch(connection);
  const views = new AccessViews();
  const accessView = accessViewOn(connection, views);
  const database: Database = {
    engine: 'sqlite',
    dialect: sqliteDialect,
    ...readerOn(connection),
    beside: boundedReader(scans),
    search: boundedReader(searches),
    now: async () => Date.now(),
    accessView: async () => accessView(),
    accessViewAtOnce: accessView,
    views,
    // Callers notify after the commit, so the watch sees it, in this process and in others.
    listen: async (_channel, onNotice) => watch.add(() => onNotice(undefined)),
    notify: async () => watch.look(),
    close: async () => {
      watch.stop();
      await Promise.all([scans.close(), searches.close()]);
      connection.close();
    },
  };
  return { database, version: () => connection.dataVersion() };
}

class DataVersionWatch {
  readonly #connection: SqliteConnection;
  readonly #listeners = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;
  #seen: number;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
    this.#seen = connection.dataVersion();
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
    const now = this.#connection.dataVersion();
    if (now === this.#seen) return;
    this.#seen = now;
    for (const listener of this.#listeners) listener();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** SQLite tells of commits of any process by a number that is cheaper to read than any row. */
function accessViewOn(connection: SqliteConnection, views: AccessViews): () => AccessView {
  let seen: number | undefined;
  return () => {
    const version = connection.dataVersion();
    if (version === seen && views.likely !== undefined) return views.likely;
    const [row] = connection.all<{ epoch: number }>(READ_EPOCH);
    const view = views.at(row?.epoch ?? 0);
    seen = version;
    return view;
  };
}
