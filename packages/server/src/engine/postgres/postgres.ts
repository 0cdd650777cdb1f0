// The engine for scale: PostgreSQL 15 or later.
import { setTimeout as pause } from 'node:timers/promises';
import { AccessViews, READ_EPOCH } from '../access-epoch.ts';
import type {
  BulkRows,
  BulkShard,
  BulkStatement,
  Database,
  Ordinal,
  PostgresOptions,
  Reader,
  Transaction,
  UsageDatabase,
  Value,
  WritableDatabase,
} from '../database.ts';
import { type Batch, Group, type Transact } from '../group.ts';
import { isDistributed as findDistributed, SERVER_APPLICATION } from '../placement.ts';
import { boundedReader } from '../read-bounds.ts';
import { arrayText, type Session } from './connection.ts';
import { postgresDialect } from './dialect.ts';
import { mayReturn, sqlStateOf, translated, translatedWrite } from './error.ts';
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
const COLLISIONS_MAX = 5;
const AWAY_MS = 1_500;
const AGAIN_AFTER_MS = 100;

/**
 * For statements that an index bounds for any parameters: planning each time takes several times as long as running.
 * Sequential scans are off, so that a plan made for a small table also suits a large one. Citus cannot use this,
 * because it plans joins only with known parameters.
 */
export const PLANNED_ONCE = { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off' };

const READ_ONLY = { default_transaction_read_only: 'on', statement_timeout: READ_TIMEOUT_MS };
const WRITING = { idle_in_transaction_session_timeout: SILENT_TRANSACTION_MS, ...PLANNED_ONCE };

function patient(pool: SharedPool): Query {
  return <Result>(text: string, params?: readonly Value[]) =>
    translateErrors(() => patiently(() => pool.query<Result>(text, params)));
}

async function translateErrors<Result>(attempt: () => Promise<Result>, toError = translated): Promise<Result> {
  try {
    return await attempt();
  } catch (error) {
    throw toError(error);
  }
}

/** A standby may be about to take over, so statements that changed nothing are retried for a moment. */
async function patiently<Result>(attempt: () => Promise<Result>): Promise<Result> {
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

export function openPostgresDatabase(url: string, { answerMs }: PostgresOptions = {}): Database {
  const primary = new Primary(url);
  const openReads = (max: number, session: Session) =>
    patient(new SharedPool(primary, { max, answerMs, session: { ...READ_ONLY, ...session } }));
  const reads = openReads(READ_CONNECTIONS_MAX, PLANNED_ONCE);
  const distributedReads = openReads(READ_CONNECTIONS_MAX, {});
  const scans = openReads(SCAN_CONNECTIONS_MAX, { statement_timeout: SCAN_TIMEOUT_MS });
  // A generic plan ignores the search terms. With rare terms the planner would choose to read all records.
  const searches = openReads(SEARCH_CONNECTIONS_MAX, {
    statement_timeout: SCAN_TIMEOUT_MS,
    plan_cache_mode: 'force_generic_plan',
  });
  // A separate connection: NOTIFY inside a commit's transaction would make all commits wait for each other.
  const notices = new SharedPool(primary, { max: 1, answerMs });
  const listener = new Listener(primary);
  const isDistributed = askOnce(scans);
  const planned = plannedReader({ once: reads, eachTime: distributedReads }, isDistributed);
  const views = new AccessViews();
  return {
    engine: 'postgres',
    dialect: postgresDialect,
    ...planned,
    beside: boundedReader(reader(scans, isDistributed)),
    search: boundedReader(plannedReader({ once: searches, eachTime: scans }, isDistributed)),
    now: async () => {
      await primary.clock.refresh(reads);
      return primary.clock.now();
    },
    accessView: async () => {
      const [row] = await reads<{ epoch: number }>(READ_EPOCH);
      // Citus would read the tables of the coordinator and those of a repository one after the other.
      return views.at(row?.epoch ?? 0, !(await isDistributed()));
    },
    accessViewAtOnce: () => undefined,
    views,
    queryAtOnce: planned.query,
    listen: (channel, onNotice) => translateErrors(() => listener.listen(channel, onNotice)),
    notify: async (channel, payload) => {
      await translateErrors(() => notices.query('select pg_notify($1, $2)', [channel, payload]));
    },
    close: () => {
      listener.close();
      return primary.close();
    },
  };
}

export function openPostgresReader(
  url: string,
  { answerMs }: PostgresOptions = {},
): Reader & { close(): Promise<void> } {
  const primary = new Primary(url);
  const query = patient(new SharedPool(primary, { max: EXPORT_CONNECTIONS_MAX, answerMs, session: READ_ONLY }));
  return { ...reader(query, askOnce(query)), close: () => primary.close() };
}

export function openPostgresUsage(url: string, { answerMs }: PostgresOptions = {}): UsageDatabase {
  const primary = new Primary(url);
  const pool = new SharedPool(primary, {
    max: USAGE_CONNECTIONS_MAX,
    answerMs,
    session: { statement_timeout: USAGE_TIMEOUT_MS, ...PLANNED_ONCE },
  });
  // No retry: a permit must not be taken twice, and no request waits for one.
  const query = <Result>(text: string, params?: readonly Value[]) =>
    translateErrors(() => pool.query<Result>(text, params), translatedWrite);
  return { dialect: postgresDialect, ...reader(query, askOnce(query)), close: () => primary.close() };
}

export function openPostgresWriter(
  url: string,
  { answerMs }: PostgresOptions = {},
  rolledBack?: () => void,
): WritableDatabase {
  return openWriter(url, { max: WRITE_CONNECTIONS_MAX, answerMs, session: WRITING }, rolledBack);
}

export function openPostgresOperator(url: string): WritableDatabase {
  return openWriter(url, { max: 1, session: { application_name: `${SERVER_APPLICATION} admin` } });
}

/** For writes that can be repeated if a crash loses them, so commits do not wait for the disk. */
export function openPostgresFollower(url: string, { answerMs }: PostgresOptions = {}): WritableDatabase {
  return openWriter(url, { max: 1, answerMs, session: { ...WRITING, synchronous_commit: 'off' } });
}

function openWriter(url: string, options: PoolOptions, rolledBack?: () => void): WritableDatabase {
  const primary = new Primary(url);
  const pool = new ExclusivePool(primary, options);
  const looks = new SharedPool(primary, { max: 1, answerMs: options.answerMs });
  const counts = { writes: 0, transactions: 0 };
  const isDistributed = askOnce(<Result>(text: string) => pool.use((connection) => connection.query<Result>(text)));
  const transact: Transact = async (apply) => {
    const once = async () => {
      // The question comes first: inside the transaction it would need a second connection, which the pool may not have.
      await isDistributed();
      return await pool.use((connection) =>
        despiteSilence(looks, () =>
          inTransaction(connection, async (query) => {
            await primary.clock.refresh(query);
            const now = () => primary.clock.now();
            await apply({ ...reader(query, isDistributed), forUpdate: 'for update', now });
          }),
        ),
      );
    };
    await translateErrors(() => patiently(() => untangled(once)), translatedWrite);
    counts.transactions++;
  };
  // Work on one repository is grouped, because separate transactions would wait for its lock and hold connections.
  const groups = new Map<number, Group>();
  const groupOf = (repoId: number | undefined) => {
    if (repoId === undefined) return new Group(transact, { rolledBack });
    const group = groups.get(repoId) ?? new Group(transact, { rolledBack, idle: () => groups.delete(repoId) });
    groups.set(repoId, group);
    return group;
  };
  return {
    dialect: postgresDialect,
    counts,
    transaction: async <Result>(work: Batch | ((tx: Transaction) => Promise<Result>), repoId?: number) => {
      const result = await groupOf(repoId).add<Result>(work);
      counts.writes++;
      return result;
    },
    close: () => primary.close(),
  };
}

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

export async function rewritePostgres(url: string): Promise<void> {
  await alone(url, async (query) => {
    for (const table of ['version', 'field_index', 'search_document']) await query(`vacuum full ${table}`);
  });
}

async function alone<Result>(url: string, work: (query: Query) => Promise<Result>): Promise<Result> {
  const primary = new Primary(url);
  const pool = new ExclusivePool(primary, { max: 1 });
  try {
    return await translateErrors(() =>
      pool.use((connection) => work((text, params) => connection.query(text, params))),
    );
  } finally {
    await primary.close();
  }
}

const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';
// Two transactions created the same name at once, each having found it free. The retry finds it taken and says so.
const UNIQUE_VIOLATION = '23505';
const COLLISIONS = new Set([SERIALIZATION_FAILURE, DEADLOCK, UNIQUE_VIOLATION]);

async function untangled<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let collisions = 0; ; collisions++) {
    try {
      return await attempt();
    } catch (error) {
      if (collisions >= COLLISIONS_MAX || !COLLISIONS.has(sqlStateOf(error) ?? '')) throw error;
    }
  }
}

type IsDistributed = () => Promise<boolean>;

/** The answer is cached, because a database can be distributed only while no server runs on it. */
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
      for (const row of found) row.ord -= 1;
      return found;
    },
  };
}

function plannedReader({ once, eachTime }: { once: Query; eachTime: Query }, isDistributed: IsDistributed): Reader {
  return reader(
    async <Result>(text: string, params?: readonly Value[]) =>
      await ((await isDistributed()) ? eachTime : once)<Result>(text, params),
    isDistributed,
  );
}

/** Repositories are processed in id order, so that two writers of the same rows cannot deadlock. */
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

export function columnsOf(rows: BulkRows['rows']): Value[] {
  const [first = []] = rows;
  return first.map((_, column) => arrayText(rows.map((row) => row[column] ?? null)));
}
