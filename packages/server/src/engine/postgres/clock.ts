// The clock of the PostgreSQL server. Nodes compare leases and due times by it, because their own clocks may be minutes apart.
import type { Query } from './transaction.ts';

/** Reads the clock in milliseconds. */
export const CLOCK_MS = '(extract(epoch from clock_timestamp()) * 1000)::float8';
/** How long a measurement is good for. A clock that was set by hand is followed after this time. */
const FRESH_MS = 30_000;

export class PostgresClock {
  /** From this thread's monotonic clock, which nobody can set. */
  #offset = 0;
  #measuredAt = Number.NEGATIVE_INFINITY;

  now(): number {
    return Math.floor(performance.now() + this.#offset);
  }

  /** Takes the answer to `CLOCK_MS` of a statement that was sent at `sentAt`. */
  set(clockMs: number, sentAt: number): void {
    this.#measuredAt = performance.now();
    this.#offset = clockMs - (sentAt + this.#measuredAt) / 2;
  }

  async refresh(query: Query): Promise<void> {
    const sentAt = performance.now();
    if (sentAt - this.#measuredAt < FRESH_MS) return;
    const [row] = await query<{ clock: number }>(`select ${CLOCK_MS} as clock`);
    if (row !== undefined) this.set(row.clock, sentAt);
  }
}
