// The engine at scale: PostgreSQL 15 or later through the `postgres` driver.
import { fail } from '@cairn/protocol/errors';
import postgres from 'postgres';
import type {
  BulkRows,
  BulkStatement,
  Database,
  Ordinal,
  ProcessCount,
  Reader,
  Transaction,
  UsageDatabase,
  Value,
  WritableDatabase,
} from './database.ts';
import { postgresDialect } from './postgres-dialect.ts';

const READ_CONNECTIONS_MAX = 10;
const SCAN_CONNECTIONS_MAX = 2;
const SEARCH_CONNECTIONS_MAX = 2;
const EXPORT_CONNECTIONS_MAX = 2;
const WRITE_CONNECTIONS_MAX = 10;
const USAGE_CONNECTIONS_MAX = 2;
const READ_TIMEOUT_MS = 30_000;
const SCAN_TIMEOUT_MS = 5_000;
const USAGE_TIMEOUT_MS = 2_000;
const CONNECT_TIMEOUT_S = 10;
const CONNECTIONS_MIN = 3;
const RETRIES_MAX = 5;

/**
 * For statements that an index bounds, whatever their parameters: they are planned once a connection, and not each time, which
 * would take several times as long as to run them. A plan that was made while a table was small must still be good when it is
 * large, so reading from end to end is no choice.
 */
export const PLANNED_ONCE = { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off' };

type Client = ReturnType<typeof connect>;

interface ConnectOptions {
  readonly max: number;
  readonly session?: Record<string, string | number>;
}

function connect(url: string, { max, session }: ConnectOptions) {
  return postgres(url, {
    max,
    connect_timeout: CONNECT_TIMEOUT_S,
    connection: { application_name: 'cairn', ...session },
    onnotice: () => {},
    // The driver gives bigint as a string; our integers are sequences, ids and milliseconds, all below 2^53.
    types: { int8: { to: 20, from: [20], parse: Number, serialize: String } },
  });
}

type Run = Pick<Client, 'unsafe'>;

async function run<Result>(sql: Run, text: string, params: readonly Value[] = []): Promise<Result[]> {
  try {
    return (await sql.unsafe(text, params as Value[], { prepare: true })) as unknown as Result[];
  } catch (error) {
    throw translate(error);
  }
}

function reader(sql: Run): Reader {
  return {
    query: <Result>(text: string, params?: readonly Value[]) => run<Result>(sql, text, params),
    bulk: async <Result extends object>({ set }: BulkStatement, { common, rows }: BulkRows) => {
      if (rows.length === 0) return [];
      const found = await run<Ordinal<Result>>(sql, set, [...common, ...columnsOf(rows)]);
      // `with ordinality` counts from one.
      for (const row of found) row.ord -= 1;
      return found;
    },
  };
}

/** One array for each column of the rows, as the driver takes it. */
export function columnsOf(rows: BulkRows['rows']): Value[] {
  const [first = []] = rows;
  return first.map((_, column) => arrayOf(rows.map((row) => row[column] ?? null)));
}

/** The driver takes an array of bytes for one byte string, so those are spelt as PostgreSQL reads them. */
function arrayOf(column: Value[]): Value {
  if (!column.some((value) => value instanceof Uint8Array)) return column as unknown as Value;
  const items = column.map((value) =>
    value instanceof Uint8Array ? `"\\\\x${Buffer.from(value).toString('hex')}"` : 'NULL',
  );
  return `{${items.join(',')}}`;
}

/** What one of several processes takes: each has a few, however many they are. */
function shareOf(connections: number, processes: ProcessCount): number {
  return Math.max(CONNECTIONS_MIN, Math.ceil(connections / processes));
}

export function openPostgresDatabase(url: string, processes: ProcessCount = 1): Database {
  const readOnly = { default_transaction_read_only: 'on', statement_timeout: READ_TIMEOUT_MS };
  const reads = connect(url, {
    max: shareOf(READ_CONNECTIONS_MAX, processes),
    session: { ...readOnly, ...PLANNED_ONCE },
  });
  const scans = connect(url, {
    max: SCAN_CONNECTIONS_MAX,
    session: { ...readOnly, statement_timeout: SCAN_TIMEOUT_MS },
  });
  // The plan does not depend on the words: what the planner thinks of rare ones leads it to read all records.
  const searches = connect(url, {
    max: SEARCH_CONNECTIONS_MAX,
    session: { ...readOnly, statement_timeout: SCAN_TIMEOUT_MS, plan_cache_mode: 'force_generic_plan' },
  });
  // A connection of its own: NOTIFY inside a commit's transaction would make all commits wait for each other.
  const notices = connect(url, { max: 1 });
  return {
    engine: 'postgres',
    dialect: postgresDialect,
    ...reader(reads),
    beside: reader(scans),
    search: reader(searches),
    // Whether something was committed, by this node or another, takes as long to ask as what was wanted.
    kept: (_key, read) => read(),
    listen: async (channel, onNotice) => {
      // Called at the first connection too, and after each reconnection, when notices may have been lost.
      let connections = 0;
      const listening = await notices.listen(
        channel,
        (payload) => onNotice(payload),
        () => {
          if (connections++ > 0) onNotice(undefined);
        },
      );
      return () => listening.unlisten();
    },
    notify: async (channel, payload) => {
      await notices.notify(channel, payload);
    },
    close: async () => {
      await Promise.all([reads, scans, searches, notices].map((sql) => sql.end({ timeout: 2 })));
    },
  };
}

/** For reads of a thread beside the main one, in bounded pages. */
export function openPostgresReader(url: string): Reader & { close(): Promise<void> } {
  const session = { default_transaction_read_only: 'on', statement_timeout: READ_TIMEOUT_MS };
  const sql = connect(url, { max: EXPORT_CONNECTIONS_MAX, session });
  return { ...reader(sql), close: () => sql.end({ timeout: 2 }) };
}

export function openPostgresUsage(url: string): UsageDatabase {
  const sql = connect(url, {
    max: USAGE_CONNECTIONS_MAX,
    session: { statement_timeout: USAGE_TIMEOUT_MS, ...PLANNED_ONCE },
  });
  return { dialect: postgresDialect, ...reader(sql), close: () => sql.end({ timeout: 2 }) };
}

export function openPostgresWriter(url: string, processes: ProcessCount = 1): WritableDatabase {
  return writerOn(connect(url, { max: shareOf(WRITE_CONNECTIONS_MAX, processes) }));
}

/** For what can be done again when a crash has undone it. */
export function openPostgresFollower(url: string): WritableDatabase {
  return writerOn(connect(url, { max: 1, session: { synchronous_commit: 'off' } }));
}

function writerOn(sql: Client): WritableDatabase {
  const counts = { writes: 0, transactions: 0 };
  return {
    dialect: postgresDialect,
    counts,
    transaction: async (work) => {
      const result = await retried(() => begin(sql, work));
      counts.writes++;
      counts.transactions++;
      return result;
    },
    close: () => sql.end({ timeout: 2 }),
  };
}

async function begin<Result>(sql: Client, work: (tx: Transaction) => Promise<Result>): Promise<Result> {
  try {
    return (await sql.begin((connection) =>
      work({ ...reader(connection), forUpdate: 'for update' } as Transaction),
    )) as Result;
  } catch (error) {
    throw translate(error);
  }
}

const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';
// Two took one name at the same moment, each having found it free. The next attempt finds it taken and says so.
const UNIQUE_VIOLATION = '23505';
const COLLISIONS = new Set([SERIALIZATION_FAILURE, DEADLOCK, UNIQUE_VIOLATION]);

/** Of transactions that got into each other's way the server ends one, which has changed nothing: do it again. */
async function retried<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let retries = 0; ; retries++) {
    try {
      return await attempt();
    } catch (error) {
      if (retries >= RETRIES_MAX || !COLLISIONS.has(sqlState(error) ?? '')) throw error;
    }
  }
}

function sqlState(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

const UNREACHABLE = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EPIPE'],
  ...['CONNECT_TIMEOUT', 'CONNECTION_CLOSED', 'CONNECTION_ENDED', 'CONNECTION_DESTROYED'],
  // The server is starting, stopping, or full.
  ...['57P01', '57P02', '57P03', '53300'],
]);
const QUERY_CANCELED = '57014';

function translate(error: unknown): unknown {
  const code = sqlState(error);
  if (code === QUERY_CANCELED) {
    return fail('UNAVAILABLE', { message: 'The read took too long. Narrow it, or index the field.', cause: error });
  }
  if (code !== undefined && UNREACHABLE.has(code)) {
    return fail('UNAVAILABLE', {
      message: 'The database cannot be reached right now. Try again.',
      // Lost while a transaction ended, it may have been committed.
      details: { outcome: 'unknown' },
      retryAfter: 1,
      cause: error,
    });
  }
  return error;
}
