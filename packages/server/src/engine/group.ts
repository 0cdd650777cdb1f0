// Group commit: all work that waits goes into one transaction, one piece after the other, so that the disk syncs once.
// Work that is refused before it wrote anything leaves no trace, so the others go on. After any other error the whole
// transaction is taken back, and each piece runs again by itself: exactly those that succeed then are durable.
import { CairnError } from '@cairn/protocol/errors';
import { changesAccess } from './access-epoch.ts';
import type { BulkRows, BulkStatement, Reader, Transaction, Value } from './database.ts';
import { diskFaultIn } from './disk-fault.ts';

/** The limit for how long others wait for a group: other processes on SQLite, other nodes on PostgreSQL. */
const GROUP_BUDGET_MS = 250;
const BATCH_SIZE_MAX = 1_000;

/** Work that is quicker done for several inputs at once. A refusal stands in the place of a result. */
export interface Batch {
  readonly key: number;
  readonly input: unknown;
  /** How much it is, in operations. */
  readonly size: number;
  readonly apply: (tx: Transaction, inputs: readonly never[]) => Promise<readonly unknown[]>;
}

interface Work {
  /** What takes other inputs too, with its own; or what stands alone. */
  readonly work: Batch | ((tx: Transaction) => Promise<unknown>);
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** The statements of an engine within one transaction. */
export type Statements = Pick<Transaction, 'forUpdate' | 'now'> & Reader;

/** Runs `apply` in one transaction. It rejects if nothing became durable, or nobody knows. */
export type Transact = (apply: (statements: Statements) => Promise<void>) => Promise<void>;

/** Notes what the statements of one piece of work are about. */
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
  /** A transaction was taken back, so what was remembered meanwhile is not true. */
  readonly takenBack?: (() => void) | undefined;
  /** Nothing waits any more. */
  readonly idle?: (() => void) | undefined;
}

export class Group {
  readonly #transact: Transact;
  readonly #on: GroupEvents;
  #waiting: Work[] = [];
  /** How many of those that wait must not share a transaction. */
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

  /** Ends when nothing waits any more. */
  async drain(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Everything that arrives within one turn of the event loop belongs to the group.
      if (this.#alone === 0) await new Promise((turn) => setImmediate(turn));
      await this.#apply();
    }
    this.#running = undefined;
    this.#on.idle?.();
  }

  /** The next piece, and others that are quicker done with it. */
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
        // The engine may begin anew after a collision.
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
      this.#on.takenBack?.();
      // Work that had not begun would otherwise wait forever.
      if (taken.length === 0) taken = this.#waiting.splice(0, isAlone ? 1 : this.#waiting.length);
      if (taken.length === 1 || !mayRunAgain(error)) {
        for (const { reject } of taken) reject(error);
        return;
      }
      this.#waiting.unshift(...taken);
      this.#alone = taken.length;
      return;
    }
    // Even a refusal is reported after the commit, because it may depend on earlier work of the group.
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

/** A piece that is too large for the disk must not stop the others. Where the outcome is not known, nothing may run twice. */
function mayRunAgain(error: unknown): boolean {
  if (!(error instanceof CairnError) || error.code !== 'UNAVAILABLE') return true;
  const { outcome } = (error.details ?? {}) as { outcome?: unknown };
  return diskFaultIn(error) === 'disk_full' && outcome !== 'unknown';
}
