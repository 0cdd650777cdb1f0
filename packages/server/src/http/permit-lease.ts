// Permits of shared buckets, leased in blocks, so that most requests cost no access to the store. What one process holds
// and does not need goes back after some seconds. It leaves to its caller what a refusal means.
import { setImmediate } from 'node:timers/promises';
import type { Rate, UnusedPermits, Usage } from '../access/usage.sql.ts';

// At most this part of a burst waits unused in one process.
const BLOCKS_A_BURST = 10;
const LEASES_MAX = 10_000;
const IDLE_MS = 5_000;
const RETURNED_A_STEP = 500;
// A store that failed is left alone for a while: every request would have to wait for its failure.
const LEFT_ALONE_MS = 2_000;

interface Lease {
  readonly rate: Rate;
  permits: number;
  usedAt: number;
  /** Until then the bucket has nothing, so that nobody needs to ask. */
  emptyUntil: number;
  /** Kept when the bucket was asked: `false` when the store did not answer. */
  asking: Promise<boolean> | undefined;
}

export interface LeaseOptions {
  readonly usage: Usage;
  readonly now: () => number;
  /** Called with every failure of the store, and with `undefined` when it answers. */
  readonly onOutcome: (failure: unknown) => void;
}

export class PermitLeases {
  readonly #usage: Usage;
  readonly #now: () => number;
  readonly #onOutcome: (failure: unknown) => void;
  /** The least recently used first. */
  readonly #leases = new Map<string, Lease>();
  readonly #timer: NodeJS.Timeout;
  #returning: Promise<void> = Promise.resolve();
  #leftAloneUntil = 0;

  constructor({ usage, now, onOutcome }: LeaseOptions) {
    this.#usage = usage;
    this.#now = now;
    this.#onOutcome = onOutcome;
    this.#timer = setInterval(() => this.returnIdle(), IDLE_MS).unref();
  }

  /** One permit. Answers how many milliseconds to wait: 0 when it was granted, and when the store does not answer. */
  async take(key: string, rate: Rate): Promise<number> {
    const lease = this.#leaseOf(key, rate);
    while (lease.permits === 0) {
      const now = this.#now();
      if (lease.emptyUntil > now) return lease.emptyUntil - now;
      if (this.#leftAloneUntil > now) return 0;
      lease.asking ??= this.#ask(key, lease).finally(() => {
        lease.asking = undefined;
      });
      if (!(await lease.asking)) return 0;
    }
    lease.permits--;
    return 0;
  }

  /** How many keys are remembered. */
  get size(): number {
    return this.#leases.size;
  }

  /** Gives back what nobody has needed for a while, and forgets it. */
  returnIdle(usedUntil = this.#now() - IDLE_MS): Promise<void> {
    const unused = new Map<Rate, UnusedPermits[]>();
    for (const [key, { rate, permits, usedAt, asking }] of this.#leases) {
      if (usedAt > usedUntil) break;
      if (asking !== undefined) continue;
      this.#leases.delete(key);
      if (permits === 0) continue;
      const ofRate = unused.get(rate) ?? [];
      ofRate.push({ key, permits });
      unused.set(rate, ofRate);
    }
    this.#returning = this.#returning.then(() => this.#return(unused));
    return this.#returning;
  }

  /** Gives everything back. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.#leases.values()].map(({ asking }) => asking));
    await this.returnIdle(Number.POSITIVE_INFINITY);
  }

  #leaseOf(key: string, rate: Rate): Lease {
    const usedAt = this.#now();
    const lease = this.#leases.get(key) ?? { rate, permits: 0, usedAt, emptyUntil: 0, asking: undefined };
    lease.usedAt = usedAt;
    this.#leases.delete(key);
    this.#leases.set(key, lease);
    if (this.#leases.size > LEASES_MAX) this.#forgetOldest();
    return lease;
  }

  /** Its permits are not given back: they come back to the bucket with time, and many keys must not mean many writes. */
  #forgetOldest(): void {
    for (const oldest of this.#leases.keys()) {
      this.#leases.delete(oldest);
      return;
    }
  }

  async #ask(key: string, lease: Lease): Promise<boolean> {
    const { rate } = lease;
    const wanted = Math.max(1, Math.floor(rate.burst / BLOCKS_A_BURST));
    try {
      const { granted, waitMs } = await this.#usage.takePermits({ key, rate, wanted, now: this.#now() });
      lease.permits += granted;
      lease.emptyUntil = granted > 0 ? 0 : this.#now() + waitMs;
      this.#onOutcome(undefined);
      return true;
    } catch (error) {
      this.#leftAloneUntil = this.#now() + LEFT_ALONE_MS;
      this.#onOutcome(error);
      return false;
    }
  }

  /** What cannot be given back comes back with time. */
  async #return(unused: ReadonlyMap<Rate, readonly UnusedPermits[]>): Promise<void> {
    for (const [rate, all] of unused) {
      for (let from = 0; from < all.length; from += RETURNED_A_STEP) {
        await this.#usage.returnPermits(rate, all.slice(from, from + RETURNED_A_STEP)).catch(this.#onOutcome);
        await setImmediate();
      }
    }
  }
}
