// Data that reads write: rate-limit permits, last uses of tokens and sessions, and used live tickets. All processes
// share it. It may be lost at any time; limits then start over.

import { isIP } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { BulkStatement, Dialect, UsageDatabase } from '../engine/database.ts';

/** Permits per hour, and up to `burst` at once after a pause. */
export interface Rate {
  readonly perHour: number;
  readonly burst: number;
}

export interface PermitRequest {
  readonly key: string;
  readonly rate: Rate;
  readonly wanted: number;
  readonly now: number;
}

export interface UnusedPermits {
  readonly key: string;
  readonly permits: number;
}

export interface Usage {
  /** A new bucket starts full. Concurrent takers together never get more than it holds. */
  takePermits(request: PermitRequest): Promise<{ granted: number; waitMs: number }>;
  /** Each key may occur only once. */
  returnPermits(rate: Rate, unused: readonly UnusedPermits[]): Promise<void>;
  recordUses(uses: readonly { tokenId: number; usedAt: number }[]): Promise<void>;
  findUses(tokenIds: readonly number[]): Promise<Map<number, number>>;
  recordSessionUses(uses: readonly { sessionId: string; usedAt: number }[]): Promise<void>;
  findSessionUses(sessionIds: readonly string[]): Promise<Map<string, number>>;
  /** Of all concurrent users of a ticket, only one succeeds. */
  useTicket(use: { ticketId: string; expiresAt: number }): Promise<boolean>;
  sweep(now: number): Promise<void>;
  close(): Promise<void>;
}

export function createUsage(database: UsageDatabase): Usage {
  const takePermits = takePermitsSql(database.dialect);
  return {
    takePermits: async ({ key, rate, wanted, now }) => {
      const costUs = costOf(rate);
      const capacityUs = Math.min(rate.burst * costUs, CAPACITY_US_MAX);
      const nowUs = Math.floor(now) * 1_000;
      const granted = Math.min(wanted, Math.floor(capacityUs / costUs));
      const first = [key, nowUs, nowUs + granted * costUs, granted];
      const [row] = await database.query<BucketRow>(takePermits, [...first, costUs, capacityUs, wanted]);
      if (row === undefined) throw new Error('a bucket was neither made nor changed');
      const missingUs = row.granted > 0 ? 0 : costUs - capacityUs + row.full_us - row.seen_us;
      return { granted: row.granted, waitMs: Math.ceil(missingUs / 1_000) };
    },
    returnPermits: async (rate, unused) => {
      const costUs = costOf(rate);
      const rows = unused.map(({ key, permits }) => [key, permits * costUs]);
      await database.bulk(RETURN_PERMITS, { common: [], rows });
    },
    recordUses: async (uses) => {
      const rows = uses.map(({ tokenId, usedAt }) => [tokenId, usedAt]);
      await database.bulk(RECORD_TOKEN_USES, { common: [], rows });
    },
    findUses: (tokenIds) => findUses(database, FIND_TOKEN_USES, tokenIds),
    recordSessionUses: async (uses) => {
      const rows = uses.map(({ sessionId, usedAt }) => [sessionId, usedAt]);
      await database.bulk(RECORD_SESSION_USES, { common: [], rows });
    },
    findSessionUses: (sessionIds) => findUses(database, FIND_SESSION_USES, sessionIds),
    useTicket: async ({ ticketId, expiresAt }) => {
      const sql = `insert into used_ticket (ticket_id, expires_at) values ($1, $2)
        on conflict (ticket_id) do nothing returning ticket_id`;
      return (await database.query(sql, [ticketId, expiresAt])).length === 1;
    },
    sweep: async (now) => {
      await sweepBuckets(database, now);
      await sweepRows(database, USED_TICKETS, now - CLOCKS_APART_MS);
      await sweepRows(database, SESSION_USES, now - UNUSED_MS);
    },
    close: () => database.close(),
  };
}

const HOUR_US = 3_600_000_000;
// 31 years. Beyond that, points in time in microseconds are no longer exact numbers.
const CAPACITY_US_MAX = 1e15;

/** In microseconds, because milliseconds are too coarse for high rates. */
function costOf({ perHour }: Rate): number {
  return Math.max(1, Math.ceil(HOUR_US / perHour));
}

interface BucketRow {
  readonly seen_us: number;
  readonly full_us: number;
  readonly granted: number;
}

/**
 * $1 key, $2 now, $3 and $4 full_us and granted of a new bucket, $5 cost, $6 capacity, $7 wanted. One statement, so
 * that two takers never count the same permit.
 */
function takePermitsSql({ greatest, least }: Dialect): string {
  // A process with a slow clock adopts the latest time seen, or it would find the bucket empty forever.
  const seen = `${greatest}(rate_bucket.seen_us, excluded.seen_us)`;
  const full = `${greatest}(rate_bucket.full_us, ${seen})`;
  const whole = `(cast($6 as bigint) - (${full} - ${seen})) / cast($5 as bigint)`;
  // The quotient is negative after the capacity was lowered.
  const granted = `${least}(cast($7 as bigint), ${greatest}(0, ${whole}))`;
  return `insert into rate_bucket (key, seen_us, full_us, granted) values ($1, $2, $3, $4)
    on conflict (key) do update
    set seen_us = ${seen}, full_us = ${full} + ${granted} * cast($5 as bigint), granted = ${granted}
    returning seen_us, full_us, granted`;
}

const RETURN_PERMITS: BulkStatement = {
  each: 'update rate_bucket set full_us = max(seen_us, full_us - cast($2 as bigint)) where key = $1',
  // Rows are locked in key order, so that two processes that return the same keys cannot deadlock.
  set: `with held as (
      select key from rate_bucket where key = any($1::text[]) order by key for update
    )
    update rate_bucket set full_us = greatest(seen_us, full_us - given.cost)
    from held join unnest($1::text[], $2::bigint[]) as given (key, cost) on given.key = held.key
    where rate_bucket.key = held.key`,
};

interface UseTable {
  readonly table: string;
  readonly key: string;
  readonly type: string;
}

const TOKEN_USE: UseTable = { table: 'token_use', key: 'token_id', type: 'bigint' };
const SESSION_USE: UseTable = { table: 'session_use', key: 'session_id', type: 'text' };

function recordUsesIn({ table, key, type }: UseTable): BulkStatement {
  return {
    each: `insert into ${table} (${key}, used_at) values ($1, $2)
      on conflict (${key}) do update set used_at = max(${table}.used_at, excluded.used_at)`,
    set: `insert into ${table} (${key}, used_at)
      select ${key}, max(used_at) from unnest($1::${type}[], $2::bigint[]) as given (${key}, used_at)
      group by ${key} order by ${key}
      on conflict (${key}) do update set used_at = greatest(${table}.used_at, excluded.used_at)`,
  };
}

function findUsesIn({ table, key, type }: UseTable): BulkStatement {
  // The parameters need the collation of the column, or PostgreSQL cannot use its index.
  const collation = type === 'text' ? ' collate "C"' : '';
  return {
    each: `select ${key} as id, used_at from ${table} where ${key} = $1`,
    set: `select given.ord, used.${key} as id, used.used_at
      from unnest($1::${type}[]) with ordinality as given (${key}, ord)
      join ${table} as used on used.${key} = given.${key}${collation}`,
  };
}

const RECORD_TOKEN_USES = recordUsesIn(TOKEN_USE);
const FIND_TOKEN_USES = findUsesIn(TOKEN_USE);
const RECORD_SESSION_USES = recordUsesIn(SESSION_USE);
const FIND_SESSION_USES = findUsesIn(SESSION_USE);

async function findUses<Id extends string | number>(
  database: UsageDatabase,
  statement: BulkStatement,
  ids: readonly Id[],
): Promise<Map<Id, number>> {
  const rows = await database.bulk<{ id: Id; used_at: number }>(statement, { common: [], rows: ids.map((id) => [id]) });
  return new Map(rows.map(({ id, used_at }) => [id, used_at]));
}

const DAY_US = 24 * HOUR_US;

/**
 * Works in steps along the key, because SQLite blocks the event loop and an index on `full_us` would cost every permit.
 * A bucket dated tomorrow comes from a wrong clock and would stay empty until then.
 */
async function sweepBuckets(database: UsageDatabase, now: number): Promise<void> {
  const nowUs = Math.floor(now) * 1_000;
  const over = '(full_us <= $1 or seen_us > $2) and key > $3';
  let after = '';
  for (;;) {
    const [last] = await database.query<{ key: string }>(
      `select key from rate_bucket where key > $1 order by key limit 1 offset ${ROWS_A_STEP}`,
      [after],
    );
    const limits = [nowUs, nowUs + DAY_US, after];
    if (last === undefined) {
      await database.query(`delete from rate_bucket where ${over}`, limits);
      return;
    }
    await database.query(`delete from rate_bucket where ${over} and key <= $4`, [...limits, last.key]);
    after = last.key;
    await setImmediate();
  }
}

const ROWS_A_STEP = 1_000;
/** A process with a slow clock would still accept a ticket that expired elsewhere. */
const CLOCKS_APART_MS = 3_600_000;
/** Longer than any session lasts unused. */
const UNUSED_MS = 400 * 24 * 3_600_000;

const USED_TICKETS = { table: 'used_ticket', key: 'ticket_id', time: 'expires_at' };
const SESSION_USES = { table: 'session_use', key: 'session_id', time: 'used_at' };

async function sweepRows(database: UsageDatabase, { table, key, time }: typeof USED_TICKETS, before: number) {
  const sql = `delete from ${table} where ${key} in (
    select ${key} from ${table} where ${time} < $1 limit ${ROWS_A_STEP}) returning ${key}`;
  while ((await database.query(sql, [before])).length === ROWS_A_STEP) await setImmediate();
}

/** The unit that shares a limit: an IPv4 address, or the /64 network that every IPv6 customer has at least. */
export function networkOf(address: string): string {
  if (isIP(address) === 4) return address;
  const [left = [], right = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  const groups = [...left, ...zeros, ...right];
  return `${groups.slice(0, 4).join(':')}::/64`;
}
