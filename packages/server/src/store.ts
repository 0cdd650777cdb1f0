// The store as the rest of the server sees it: a database for reads, and `write` for every change.
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { AuditEntry } from './access/audit.sql.ts';
import { createUsage, type Usage } from './access/usage.sql.ts';
import type { PackedLines } from './commit/packed-lines.rule.ts';
import type { Database, StopListening, StoreLocation, WriterCounts } from './engine/database.ts';
import type { DiskFault } from './engine/disk-fault.ts';
import { fileNumber } from './engine/sqlite/connection.ts';
import { openSqliteUsage, searchFile, usageFile } from './engine/sqlite/side-file.ts';
import { openSqliteDatabase } from './engine/sqlite/sqlite.ts';
import { RESTS_AFTER_MS, Thread, threadFile } from './engine/thread.ts';
import type { ExportPage, ExportPageRequest, ExportPlan, PlanRequest } from './export/export-page.sql.ts';
import type { ExportRequest } from './export/export-thread.ts';
import type { FollowRequest } from './search/search-follow.sql.ts';
import type { CheckRequest } from './stream/line-checker.rule.ts';
import type { WriteInput, WriteName, WriteRequest, WriteResult, WriterRequest, Writes } from './writes.ts';

export interface Store {
  readonly database: Database;
  readonly usage: Usage;
  readonly schemaVersion: number;
  /**
   * Durable once the promise resolves. A rejection means that nothing happened, except with the detail `outcome:
   * 'unknown'`: the connection or thread was lost during the answer, or the disk failed during the sync.
   */
  readonly write: Writes;
  /** Calls back after commits in this process or another. A call can be lost. */
  listenCommits(onCommit: OnCommit): Promise<StopListening>;
  readonly exports: Exports;
  checkLines(request: CheckRequest): Promise<PackedLines>;
  followSearch(): Promise<boolean>;
  readonly busyMs: number;
  counts(): Promise<WriterCounts>;
  /** The reason why the disk refuses writes; `undefined` while it accepts them. Reads continue either way. */
  fault(): Promise<DiskFault | undefined>;
  close(): Promise<void>;
}

interface Exports {
  plan(request: PlanRequest): Promise<ExportPlan>;
  page(request: ExportPageRequest): Promise<ExportPage>;
}

/** A page takes few megabytes, however large a record is. */
const EXPORT_HEAP = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 };

const SEARCH_HEAP = { maxYoungGenerationSizeMb: 4 };

/** A chunk's garbage dies with the chunk. An early collection would copy it several times over. */
const CHUNKS_HEAP = { maxYoungGenerationSizeMb: 96 };

type Writer = Thread<WriterRequest, unknown>;

export async function openStore(location: StoreLocation): Promise<Store> {
  if (location.engine === 'sqlite') mkdirSync(dirname(location.file), { recursive: true, mode: 0o700 });
  const writer: Writer = new Thread(threadFile('./writer-thread', import.meta.url), location, {
    resourceLimits: CHUNKS_HEAP,
  });
  try {
    return await openBeside(writer, location);
  } catch (error) {
    await writer.close();
    throw error;
  }
}

async function openBeside(writer: Writer, location: StoreLocation): Promise<Store> {
  // The writer comes first, because it creates the file and its tables.
  const schemaVersion = (await writer.call('schemaVersion')) as number;
  const { database, usage, searched } =
    location.engine === 'sqlite' ? openSqlite(location.file) : await openPostgres(location);
  const search = new Thread<FollowRequest, boolean>(threadFile('./search/search-thread', import.meta.url), location, {
    resourceLimits: SEARCH_HEAP,
    restsAfterMs: RESTS_AFTER_MS,
  });
  let followedAt: string | undefined;
  let hasFollowed = false;
  const lines = new Thread<CheckRequest, PackedLines>(threadFile('./stream/line-thread', import.meta.url), undefined, {
    resourceLimits: CHUNKS_HEAP,
    restsAfterMs: RESTS_AFTER_MS,
  });
  const exporter = new Thread<ExportRequest, ExportPlan | ExportPage>(
    threadFile('./export/export-thread', import.meta.url),
    location,
    { resourceLimits: EXPORT_HEAP, restsAfterMs: RESTS_AFTER_MS },
  );
  const committedTo = new Set<number>();
  const notices = new CommitNotices(database);
  const send = async (request: WriteRequest) => {
    const result = await writer.call(request);
    const commit = commitOf(request, result);
    if (commit !== undefined) {
      committedTo.add(commit.repoId);
      notices.committed(commit);
    }
    return result;
  };
  return {
    database,
    usage,
    schemaVersion,
    write: writesBy(send),
    listenCommits: (onCommit) => notices.listen(onCommit),
    exports: {
      plan: async (request) => (await exporter.call({ plan: request })) as ExportPlan,
      page: async (request) => (await exporter.call({ page: request })) as ExportPage,
    },
    checkLines: (request) => lines.call(request),
    followSearch: async () => {
      const present = searched();
      if (present !== undefined && present === followedAt) return false;
      const repoIds = [...committedTo];
      committedTo.clear();
      const isMore = await search.call(repoIds);
      if (!isMore && present !== undefined && repoIds.length === 0 && !hasFollowed) search.rest();
      hasFollowed = true;
      followedAt = isMore ? undefined : present;
      return isMore;
    },
    get busyMs() {
      return writer.busyMs;
    },
    counts: async () => (await writer.call('counts')) as WriterCounts,
    fault: async () => (await writer.call('fault')) as DiskFault | undefined,
    close: async () => {
      await notices.close();
      // Writers close last: the last connection moves the WAL into the file, which a reader cannot do.
      await Promise.all([usage.close(), database.close()]);
      await Promise.all([search.close(), exporter.close(), lines.close()]);
      await writer.close();
    },
  };
}

/** Each property sends the write of that name. Only the writer thread loads the functions themselves. */
export function writesBy(send: (request: WriteRequest) => Promise<unknown>): Writes {
  return new Proxy({} as Writes, {
    get: (_, name) => (input: never, audit?: AuditEntry) => send({ name: name as WriteName, input, audit }),
  });
}

const COMMITS: readonly WriteName[] = [
  ...(['commit', 'applyChunk', 'finishImport'] as const),
  ...([
    'beginInstall',
    'declareResources',
    'settleInstall',
    'pauseInstall',
    'resumeInstall',
    'tearDownInstall',
  ] as const),
];

function commitOf({ name, input }: WriteRequest, result: unknown): CommitNotice | undefined {
  if (!COMMITS.includes(name)) return undefined;
  const { repoId } = (input as WriteInput<'commit'>).grant;
  const { repoSeq } = result as WriteResult<'commit'>;
  return typeof repoSeq === 'number' ? { repoId, repoSeq } : undefined;
}

interface OpenedReads {
  readonly database: Database;
  readonly usage: Usage;
  /** Differs after any change that the search index may have to follow; `undefined` if only the index knows. */
  readonly searched: () => string | undefined;
}

function openSqlite(file: string): OpenedReads {
  const { database, version } = openSqliteDatabase(file);
  const searched = () => `${version()} ${fileNumber(searchFile(file))}`;
  return { usage: createUsage(openSqliteUsage(usageFile(file))), database, searched };
}

/** Loaded on demand: its driver and statements are a tenth of the memory of a server on SQLite. */
async function openPostgres(location: Extract<StoreLocation, { engine: 'postgres' }>): Promise<OpenedReads> {
  const { openPostgresDatabase, openPostgresUsage } = await import('./engine/postgres/postgres.ts');
  const { url } = location;
  const usage = createUsage(openPostgresUsage(url, location));
  return { usage, database: openPostgresDatabase(url, location), searched: () => undefined };
}

// Announces commits: at once in this process, by a notice to others. Notices are sent after the commit and batched,
// because one inside the transaction would serialize all commits. They can be lost, so listeners also poll.

/** `undefined` means that any repository may have changed. */
export type OnCommit = (commit: CommitNotice | undefined) => void;

export interface CommitNotice {
  readonly repoId: number;
  readonly repoSeq: number;
}

const CHANNEL = 'cairn_commit';
const TOGETHER_MS = 10;
const CLOSE_WITHIN_MS = 1_000;
/** NOTIFY takes 8,000 bytes, and a notice some 30 at most. */
const NOTICES_AT_ONCE_MAX = 200;

export class CommitNotices {
  readonly #database: Database;
  readonly #listeners = new Set<OnCommit>();
  readonly #waiting = new Map<number, number>();
  readonly #sending = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  committed(notice: CommitNotice): void {
    this.#tell(notice);
    // Other processes on SQLite detect commits themselves.
    if (this.#database.engine === 'sqlite') return;
    const { repoId, repoSeq } = notice;
    this.#waiting.set(repoId, Math.max(repoSeq, this.#waiting.get(repoId) ?? 0));
    this.#timer ??= setTimeout(() => this.#send(), TOGETHER_MS);
  }

  async listen(onCommit: OnCommit): Promise<StopListening> {
    this.#listeners.add(onCommit);
    const stop = await this.#database.listen(CHANNEL, (payload) => this.#receive(payload, onCommit));
    return async () => {
      this.#listeners.delete(onCommit);
      await stop();
    };
  }

  /** Waits for notices under way: a connection that is closed while it opens reports that to nobody. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#listeners.clear();
    await Promise.race([Promise.all(this.#sending), pause(CLOSE_WITHIN_MS, undefined, { ref: false })]);
  }

  #tell(notice: CommitNotice): void {
    for (const onCommit of this.#listeners) onCommit(notice);
  }

  #send(): void {
    this.#timer = undefined;
    const all = [...this.#waiting].map(([repoId, repoSeq]) => `${repoId}:${repoSeq}`);
    this.#waiting.clear();
    for (let at = 0; at < all.length; at += NOTICES_AT_ONCE_MAX) {
      const payload = all.slice(at, at + NOTICES_AT_ONCE_MAX).join();
      // A lost notice only delays other processes until they poll.
      const sent = this.#database.notify(CHANNEL, payload).catch(() => {});
      this.#sending.add(sent);
      void sent.then(() => this.#sending.delete(sent));
    }
  }

  #receive(payload: string | undefined, onCommit: OnCommit): void {
    if (payload === undefined) {
      onCommit(undefined);
      return;
    }
    for (const notice of payload.split(',')) {
      const [repoId = Number.NaN, repoSeq = Number.NaN] = notice.split(':').map(Number);
      // Anyone who can connect to the database may send a notice.
      if (Number.isSafeInteger(repoId) && Number.isSafeInteger(repoSeq)) onCommit({ repoId, repoSeq });
    }
  }
}
