// The engine at scale: PostgreSQL 15 or later. How it is reached is in connection.ts, and at which server, where there
// are several, in primary.ts.
import { setTimeout as pause } from 'node:timers/promises';
import type {
  BulkRows,
  BulkShard,
  BulkStatement,
  Database,
  Ordinal,
  PostgresOptions,
  ProcessCount,
  Reader,
  Transaction,
  UsageDatabase,
  Value,
  WritableDatabase,
} from '../database.ts';
import { isDistributed as findDistributed, SERVER_APPLICATION } from '../placement.ts';
import { boundedReader } from '../read-bounds.ts';
import { arrayText } from './connection.ts';
import { postgresDialect } from './dialect.ts';
import { codeOf, mayReturn, translated, translatedWrite } from './error.ts';
import { ExclusivePool, Listener, type PoolOptions, SharedPool } from './pool.ts';
import { Primary } from './primary.ts';
import { despiteSilence, inTransaction, type Query, SILENT_TRANSACTION_MS } from './transaction.ts';

const READ_CONNECTIONS_MAX = 10;
const SCAN_CONNECTIONS_MAX = 2;
const SEARCH_CONNECTIONS_MAX = 2;
const EXPORT_CONNECTIONS_MAX = 2;
const WRITE_CONNECTIONS_MAX = 10;
const USAGE_CONNECTIONS_MAX = 2;
const READ_TIMEOUT_MS = 30_000;
const SCAN_TIMEOUT_MS = 5_000;
const USAGE_TIMEOUT_MS = 2_000;
const CONNECTIONS_MIN = 3;
const COLLISIONS_MAX = 5;
/** How long something waits for a server that is away before its caller is told, and between attempts. */
const AWAY_MS = 1_500;
const AGAIN_AFTER_MS = 100;

/**
 * For statements that an index bounds, whatever their parameters: they are planned once a connection, and not each time, which
 * would take several times as long as to run them. A plan that was made while a table was small must still be good when it is
 * large, so reading from end to end is no choice. Citus cannot plan a join without knowing the parameters.
 */
export const PLANNED_ONCE = { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off' };

/** The server's part of what silence.ts is about. */
const WRITING = { idle_in_transaction_session_timeout: SILENT_TRANSACTION_MS };

/** Statements that change nothing, so that they can be made again. */
function patient(pool: SharedPool): Query {
  return <Result>(text: string, params?: readonly Value[]) =>
    told(() => patiently(() => pool.query<Result>(text, params)));
}

async function told<Result>(attempt: () => Promise<Result>, toError = translated): Promise<Result> {
  try {
    return await attempt();
  } catch (error) {
    throw toError(error);
  }
}

/** Does again what has changed nothing because the server went away, for a moment: another may be about to take its place. */
async function patiently<Result>(attempt: () => Promise<Result>): Promise<Result> {
  // From the first failure on: it may have come late, from a server that no longer said anything.
  let until: number | undefined;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      until ??= performance.now() + AWAY_MS;
      if (!mayReturn(error) || performance.now() > until) throw error;
      await pause(AGAIN_AFTER_MS);
    }
  }
}

/** What one of several processes takes: each has a few, however many they are. */
function shareOf(connections: number, processes: ProcessCount): number {
  return Math.max(CONNECTIONS_MIN, Math.ceil(connections / processes));
}

export function openPostgresDatabase(url: string, { processes = 1, answerMs }: PostgresOptions = {}): Database {
  const primary = new Primary(url);
  const readOnly = { default_transaction_read_only: 'on', statement_timeout: READ_TIMEOUT_MS };
  const max = shareOf(READ_CONNECTIONS_MAX, processes);
  const reads = patient(new SharedPool(primary, { max, answerMs, session: { ...readOnly, ...PLANNED_ONCE } }));
  const distributedReads = patient(new SharedPool(primary, { max, answerMs, session: readOnly }));
  const scans = patient(
    new SharedPool(primary, {
      max: SCAN_CONNECTIONS_MAX,
      answerMs,
      session: { ...readOnly, statement_timeout: SCAN_TIMEOUT_MS },
    }),
  );
  // The plan does not depend on the words: what the planner thinks of rare ones leads it to read all records.
  const searches = patient(
    new SharedPool(primary, {
      max: SEARCH_CONNECTIONS_MAX,
      answerMs,
      session: { ...readOnly, statement_timeout: SCAN_TIMEOUT_MS, plan_cache_mode: 'force_generic_plan' },
    }),
  );
  // A connection of its own: NOTIFY inside a commit's transaction would make all commits wait for each other.
  const notices = new SharedPool(primary, { max: 1, answerMs });
  const listener = new Listener(primary);
  const isDistributed = askOnce(scans);
  return {
    engine: 'postgres',
    dialect: postgresDialect,
    ...plannedReader({ once: reads, eachTime: distributedReads }, isDistributed),
    beside: boundedReader(reader(scans, isDistributed)),
    search: boundedReader(plannedReader({ once: searches, eachTime: scans }, isDistributed)),
    now: async () => {
      await primary.clock.refresh(reads);
      return primary.clock.now();
    },
    // Whether something was committed, by this node or another, takes as long to ask as what was wanted.
    kept: (_key, read) => read(),
    listen: (channel, onNotice) => told(() => listener.listen(channel, onNotice)),
    notify: async (channel, payload) => {
      await told(() => notices.query('select pg_notify($1, $2)', [channel, payload]));
    },
    close: () => {
      listener.close();
      return primary.close();
    },
  };
}

/** For reads of a thread beside the main one, in bounded pages. */
export function openPostgresReader(
  url: string,
  { answerMs }: PostgresOptions = {},
): Reader & { close(): Promise<void> } {
  const primary = new Primary(url);
  const session = { default_transaction_read_only: 'on', statement_timeout: READ_TIMEOUT_MS };
  const query = patient(new SharedPool(primary, { max: EXPORT_CONNECTIONS_MAX, answerMs, session }));
  return { ...reader(query, askOnce(query)), close: () => primary.close() };
}

export function openPostgresUsage(url: string, { answerMs }: PostgresOptions = {}): UsageDatabase {
  const primary = new Primary(url);
  const pool = new SharedPool(primary, {
    max: USAGE_CONNECTIONS_MAX,
    answerMs,
    session: { statement_timeout: USAGE_TIMEOUT_MS, ...PLANNED_ONCE },
  });
  // Not patient: a permit must not be taken twice, and no request waits for one.
  const query = <Result>(text: string, params?: readonly Value[]) =>
    told(() => pool.query<Result>(text, params), translatedWrite);
  return { dialect: postgresDialect, ...reader(query, askOnce(query)), close: () => primary.close() };
}

export function openPostgresWriter(url: string, { processes = 1, answerMs }: PostgresOptions = {}): WritableDatabase {
  return openWriter(url, { max: shareOf(WRITE_CONNECTIONS_MAX, processes), answerMs, session: WRITING });
}

/** For what is done while no server runs: one connection, which is not taken for one of theirs. */
export function openPostgresOperator(url: string): WritableDatabase {
  return openWriter(url, { max: 1, session: { application_name: `${SERVER_APPLICATION} admin` } });
}

/** For what can be done again when a crash has undone it. */
export function openPostgresFollower(url: string, { answerMs }: PostgresOptions = {}): WritableDatabase {
  return openWriter(url, { max: 1, answerMs, session: { ...WRITING, synchronous_commit: 'off' } });
}

function openWriter(url: string, options: PoolOptions): WritableDatabase {
  const primary = new Primary(url);
  const pool = new ExclusivePool(primary, options);
  const looks = new SharedPool(primary, { max: 1, answerMs: options.answerMs });
  const counts = { writes: 0, transactions: 0 };
  const isDistributed = askOnce(<Result>(text: string) => pool.use((connection) => connection.query<Result>(text)));
  return {
    dialect: postgresDialect,
    counts,
    transaction: async (work) => {
      const once = async () => {
        // Before it holds a connection, of which there may be no other.
        await isDistributed();
        return await pool.use((connection) =>
          despiteSilence(looks, () =>
            inTransaction(connection, async (query) => {
              await primary.clock.refresh(query);
              const now = () => primary.clock.now();
              return await work({ ...reader(query, isDistributed), forUpdate: 'for update', now } as Transaction);
            }),
          ),
        );
      };
      const result = await told(() => patiently(() => untangled(once)), translatedWrite);
      counts.writes++;
      counts.transactions++;
      return result;
    },
    close: () => primary.close(),
  };
}

/** As it is when the first statement runs, without a limit of time. */
export async function readPostgresSnapshot<Result>(
  url: string,
  read: (reader: Reader) => Promise<Result>,
): Promise<Result> {
  return await alone(url, async (query) => {
    const isDistributed = askOnce(query);
    if (!(await isDistributed())) {
      for (const [name, value] of Object.entries(PLANNED_ONCE)) await query(`set ${name} = ${value}`);
    }
    await query('begin isolation level repeatable read read only');
    return await read(reader(query, isDistributed));
  });
}

/** Of the tables that hold what people wrote. Each is locked for as long as it takes. */
export async function rewritePostgres(url: string): Promise<void> {
  await alone(url, async (query) => {
    for (const table of ['version', 'field_index', 'search_document']) await query(`vacuum full ${table}`);
  });
}

/** With one connection that ends with the work. */
async function alone<Result>(url: string, work: (query: Query) => Promise<Result>): Promise<Result> {
  const primary = new Primary(url);
  const pool = new ExclusivePool(primary, { max: 1 });
  try {
    return await told(() => pool.use((connection) => work((text, params) => connection.query(text, params))));
  } finally {
    await primary.close();
  }
}

const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';
// Two took one name at the same moment, each having found it free. The next attempt finds it taken and says so.
const UNIQUE_VIOLATION = '23505';
const COLLISIONS = new Set([SERIALIZATION_FAILURE, DEADLOCK, UNIQUE_VIOLATION]);

/** Of transactions that got into each other's way the server ends one, which has changed nothing: do it again. */
async function untangled<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let collisions = 0; ; collisions++) {
    try {
      return await attempt();
    } catch (error) {
      if (collisions >= COLLISIONS_MAX || !COLLISIONS.has(codeOf(error) ?? '')) throw error;
    }
  }
}

// Statements of the store on PostgreSQL: one by one, for many rows at once, and for the rows of several repositories where
// those lie on several machines.

type IsDistributed = () => Promise<boolean>;

/** Asked once, and kept: to distribute a database takes that no server runs on it. */
function askOnce(query: Query): IsDistributed {
  let answer: Promise<boolean> | undefined;
  return () => {
    answer ??= findDistributed((text) => query(text)).catch((error: unknown) => {
      answer = undefined;
      throw error;
    });
    return answer;
  };
}

function reader(query: Query, isDistributed: IsDistributed): Reader {
  return {
    isDistributed,
    query,
    bulk: async <Result extends object>({ set, shard }: BulkStatement, { common, rows }: BulkRows) => {
      if (rows.length === 0) return [];
      if (shard !== undefined && (await isDistributed())) return await byShard<Result>(query, shard, { common, rows });
      const found = await query<Ordinal<Result>>(set, [...common, ...columnsOf(rows)]);
      // `with ordinality` counts from one.
      for (const row of found) row.ord -= 1;
      return found;
    },
  };
}

/** Plans statements once where it can: see `PLANNED_ONCE`. */
function plannedReader({ once, eachTime }: { once: Query; eachTime: Query }, isDistributed: IsDistributed): Reader {
  return reader(
    async <Result>(text: string, params?: readonly Value[]) =>
      await ((await isDistributed()) ? eachTime : once)<Result>(text, params),
    isDistributed,
  );
}

/** One repository after the other, in one order, so that two who change the same rows do not wait for each other. */
async function byShard<Result extends object>(
  query: Query,
  { column, set }: BulkShard,
  { common, rows }: BulkRows,
): Promise<Ordinal<Result>[]> {
  const ords = Map.groupBy(rows.keys(), (ord) => Number(rows[ord]?.[column]));
  const found: Ordinal<Result>[] = [];
  for (const [repoId, its] of [...ords].sort(([a], [b]) => a - b)) {
    const columns = columnsOf(its.map((ord) => rows[ord] ?? []));
    for (const row of await query<Ordinal<Result>>(set, [...common, ...columns, repoId])) {
      row.ord = its[row.ord - 1] ?? 0;
      found.push(row);
    }
  }
  return found;
}

/** One array for each column of the rows. */
export function columnsOf(rows: BulkRows['rows']): Value[] {
  const [first = []] = rows;
  return first.map((_, column) => arrayText(rows.map((row) => row[column] ?? null)));
}
