// How many requests are under way: so many to one host, so many in all. Who waits longest for a host comes first, so that several
// subscriptions with the same receiver take turns.

export interface SlotLimits {
  readonly perHost: number;
  readonly inAll: number;
}

interface Waiter {
  readonly host: string;
  readonly take: () => void;
}

export type GiveBack = () => void;

export class Slots {
  readonly #limits: SlotLimits;
  readonly #taken = new Map<string, number>();
  readonly #waiting = new Set<Waiter>();
  #total = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /** Waits for one; fails when the signal is aborted. */
  async take(host: string, signal: AbortSignal): Promise<GiveBack> {
    signal.throwIfAborted();
    const now = this.tryTake(host);
    if (now !== undefined) return now;
    const { promise, resolve, reject } = Promise.withResolvers<GiveBack>();
    const waiter = { host, take: () => resolve(this.#take(host)) };
    const stop = () => {
      if (this.#waiting.delete(waiter)) reject(signal.reason);
    };
    this.#waiting.add(waiter);
    signal.addEventListener('abort', stop, { once: true });
    return await promise.finally(() => signal.removeEventListener('abort', stop));
  }

  /** One that is free, and that nobody waits for. */
  tryTake(host: string): GiveBack | undefined {
    return this.#hasRoom(host) && this.waitingFor(host) === 0 ? this.#take(host) : undefined;
  }

  waitingFor(host: string): number {
    return [...this.#waiting].filter((waiter) => waiter.host === host).length;
  }

  #hasRoom(host: string): boolean {
    return this.#total < this.#limits.inAll && (this.#taken.get(host) ?? 0) < this.#limits.perHost;
  }

  #take(host: string): GiveBack {
    this.#total++;
    this.#taken.set(host, (this.#taken.get(host) ?? 0) + 1);
    let given = false;
    return () => {
      if (given) return;
      given = true;
      this.#giveBack(host);
    };
  }

  #giveBack(host: string): void {
    this.#total--;
    const left = (this.#taken.get(host) ?? 1) - 1;
    if (left === 0) this.#taken.delete(host);
    else this.#taken.set(host, left);
    for (const waiter of this.#waiting) {
      if (!this.#hasRoom(waiter.host)) continue;
      this.#waiting.delete(waiter);
      waiter.take();
      return;
    }
  }
}
