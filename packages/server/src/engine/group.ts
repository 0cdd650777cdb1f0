// Group commit: one transaction applies all waiting work, so that the disk syncs once. Work refused before its first
// write leaves no trace. Any other error rolls the group back, and each member runs again alone.

import { randomInt } from 'node:crypto';
import { CairnError } from '@cairn/protocol/errors';
import { ACCESS_TABLES } from './access-epoch.ts';
import type { BulkRows, BulkStatement, Reader, Transaction, Value } from './database.ts';
import { diskFaultIn } from './disk-fault.ts';

/** Limits how long other writers wait for a group: other processes on SQLite, other nodes on PostgreSQL. */
const GROUP_BUDGET_MS = 250;
const BATCH_SIZE_MAX = 1_000;

export interface Batch {
  readonly key: number;
  readonly input: unknown;
  readonly size: number;
  readonly apply: (tx: Transaction, inputs: readonly never[]) => Promise<readonly unknown[]>;
}

interface Work {
  readonly work: Batch | ((tx: Transaction) => Promise<unknown>);
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export type Statements = Pick<Transaction, 'forUpdate' | 'now'> & Reader;

/** Runs `apply` in one transaction. A rejection means that nothing is durable, or that the outcome is unknown. */
export type Transact = (apply: (statements: Statements) => Promise<void>) => Promise<void>;

class NotedTransaction {
  readonly #statements: Statements;
  readonly isDistributed: Reader['isDistributed'];
  readonly forUpdate: string;
  changed = false;
  changedAccess = false;

  constructor(statements: Statements) {
    this.#statements = statements;
    this.isDistributed = statements.isDistributed;
    this.forUpdate = statements.forUpdate;
  }

  now(): number {
    return this.#statements.now();
  }

  query<Result>(sql: string, params?: readonly Value[]): Promise<Result[]> {
    this.#note(sql);
    return this.#statements.query<Result>(sql, params);
  }

  async bulk<Result extends object>(statement: BulkStatement, rows: BulkRows) {
    if (rows.rows.length === 0) return [];
    this.#note(statement.each);
    return await this.#statements.bulk<Result>(statement, rows);
  }

  #note(sql: string): void {
    if (sql.startsWith('select')) return;
    this.changed = true;
    this.changedAccess ||= changesAccess(sql);
  }
}

export interface GroupEvents {
  /** Called after a rollback, because caches may hold uncommitted state. */
  readonly rolledBack?: (() => void) | undefined;
  readonly idle?: (() => void) | undefined;
}

export class Group {
  readonly #transact: Transact;
  readonly #on: GroupEvents;
  #waiting: Work[] = [];
  #alone = 0;
  #running: Promise<void> | undefined;

  constructor(transact: Transact, on: GroupEvents) {
    this.#transact = transact;
    this.#on = on;
  }

  add<Result>(work: Batch | ((tx: Transaction) => Promise<Result>)): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ work, resolve: resolve as Work['resolve'], reject });
      this.#running ??= this.#run();
    });
  }

  async drain(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      // A group includes all work that arrives in the same turn of the event loop.
      if (this.#alone === 0) await new Promise((turn) => setImmediate(turn));
      await this.#apply();
    }
    this.#running = undefined;
    this.#on.idle?.();
  }

  #take(isAlone: boolean): Work[] {
    const next = this.#waiting.shift();
    if (next === undefined) return [];
    if (isAlone || typeof next.work === 'function') return [next];
    const { key, apply } = next.work;
    let room = BATCH_SIZE_MAX - next.work.size;
    const members = [next];
    this.#waiting = this.#waiting.filter((other) => {
      const { work } = other;
      if (typeof work === 'function' || work.key !== key || work.apply !== apply || work.size > room) return true;
      room -= work.size;
      members.push(other);
      return false;
    });
    return members;
  }

  async #apply(): Promise<void> {
    let taken: Work[] = [];
    let settled: (() => void)[] = [];
    const isAlone = this.#alone > 0;
    if (isAlone) this.#alone--;
    try {
      await this.#transact(async (statements) => {
        // The engine may retry after a collision.
        this.#waiting.unshift(...taken);
        [taken, settled] = [[], []];
        const end = performance.now() + GROUP_BUDGET_MS;
        do {
          const next = this.#take(isAlone);
          if (next.length === 0) break;
          taken.push(...next);
          settled.push(await applyAll(next, statements));
        } while (!isAlone && performance.now() < end);
      });
    } catch (error) {
      this.#on.rolledBack?.();
      // If the transaction could not begin, the waiting work must not wait forever.
      if (taken.length === 0) taken = this.#waiting.splice(0, isAlone ? 1 : this.#waiting.length);
      if (taken.length === 1 || !mayRunAgain(error)) {
        for (const { reject } of taken) reject(error);
        return;
      }
      this.#waiting.unshift(...taken);
      this.#alone = taken.length;
      return;
    }
    // A refusal also waits for the commit, because it may depend on earlier work of the group.
    for (const settle of settled) settle();
  }
}

async function applyAll(members: readonly Work[], statements: Statements): Promise<() => void> {
  const tx = new NotedTransaction(statements) as unknown as NotedTransaction & Transaction;
  try {
    const outcomes = await outcomesOf(members, tx);
    return () => {
      for (const [at, { resolve, reject }] of members.entries()) {
        const outcome = outcomes[at];
        if (outcome instanceof CairnError) reject(outcome);
        else resolve(outcome);
      }
    };
  } catch (error) {
    if (tx.changed || !(error instanceof CairnError)) throw error;
    return () => {
      for (const { reject } of members) reject(error);
    };
  }
}

async function outcomesOf(members: readonly Work[], tx: Transaction): Promise<readonly unknown[]> {
  const [first] = members;
  if (first === undefined) return [];
  if (typeof first.work === 'function') return [await first.work(tx)];
  const inputs = members.map(({ work }) => (work as Batch).input as never);
  return await first.work.apply(tx, inputs);
}

/** If the outcome is unknown, nothing may run twice. After a full disk, smaller members may still fit. */
function mayRunAgain(error: unknown): boolean {
  if (!(error instanceof CairnError) || error.code !== 'UNAVAILABLE') return true;
  const { outcome } = (error.details ?? {}) as { outcome?: unknown };
  return diskFaultIn(error) === 'disk_full' && outcome !== 'unknown';
}

const CHANGES_ACCESS = new RegExp(
  `\\b(?:insert\\s+into|update|delete\\s+from)\\s+(?:${ACCESS_TABLES.join('|')})\\b`,
  'i',
);
/** 2^48 is the most that `randomInt` draws. */
const EPOCHS = 2 ** 48 - 1;

const STATEMENTS_MAX = 1_000;
const statements = new Map<string, boolean>();

export function changesAccess(sql: string): boolean {
  const found = statements.get(sql) ?? CHANGES_ACCESS.test(sql);
  if (statements.size >= STATEMENTS_MAX) statements.clear();
  statements.set(sql, found);
  return found;
}

export async function moveEpoch(tx: Transaction): Promise<void> {
  await tx.query('update access_epoch set epoch = $1 where id = 1', [randomInt(1, EPOCHS)]);
}
