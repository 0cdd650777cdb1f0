// Limits concurrent requests. The longest waiter that has room comes first, so that subscriptions take turns.

interface SlotLimits {
  readonly perHost: number;
  readonly perHome: number;
  readonly inAll: number;
}

export interface SlotPlace {
  readonly host: string;
  readonly homeId: number;
}

export type GiveBack = () => void;

export class Slots {
  readonly #limits: SlotLimits;
  readonly #ofHosts = new Map<string, number>();
  readonly #ofHomes = new Map<number, number>();
  readonly #waiting = new Set<{ place: SlotPlace; take: () => void }>();
  #total = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  async take(place: SlotPlace, signal: AbortSignal): Promise<GiveBack> {
    signal.throwIfAborted();
    const now = this.tryTake(place);
    if (now !== undefined) return now;
    const { promise, resolve, reject } = Promise.withResolvers<GiveBack>();
    const waiter = { place, take: () => resolve(this.#take(place)) };
    const stop = () => {
      if (this.#waiting.delete(waiter)) reject(signal.reason);
    };
    this.#waiting.add(waiter);
    signal.addEventListener('abort', stop, { once: true });
    return await promise.finally(() => signal.removeEventListener('abort', stop));
  }

  /** Takes a free slot. This overtakes nobody, because those who wait have no room. */
  tryTake(place: SlotPlace): GiveBack | undefined {
    return this.#hasRoom(place) ? this.#take(place) : undefined;
  }

  waitingBeside({ host, homeId }: SlotPlace): number {
    const waiting = [...this.#waiting];
    return Math.max(
      waiting.filter(({ place }) => place.host === host).length,
      waiting.filter(({ place }) => place.homeId === homeId).length,
    );
  }

  #hasRoom({ host, homeId }: SlotPlace): boolean {
    const { perHost, perHome, inAll } = this.#limits;
    if (this.#total >= inAll) return false;
    return (this.#ofHosts.get(host) ?? 0) < perHost && (this.#ofHomes.get(homeId) ?? 0) < perHome;
  }

  #take(place: SlotPlace): GiveBack {
    this.#total++;
    add(this.#ofHosts, place.host, 1);
    add(this.#ofHomes, place.homeId, 1);
    let given = false;
    return () => {
      if (given) return;
      given = true;
      this.#giveBack(place);
    };
  }

  #giveBack(place: SlotPlace): void {
    this.#total--;
    add(this.#ofHosts, place.host, -1);
    add(this.#ofHomes, place.homeId, -1);
    // Two waiters may have room now: one for the host, and another of the same owner.
    for (const waiter of this.#waiting) {
      if (!this.#hasRoom(waiter.place)) continue;
      this.#waiting.delete(waiter);
      waiter.take();
    }
  }
}

function add<Key>(counts: Map<Key, number>, key: Key, difference: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + difference;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
