// How many requests are under way: so many to one host, so many of one repository or organization, so many in all. Who waits
// longest comes first where there is room, so that several subscriptions with the same receiver take turns.

interface SlotLimits {
  readonly perHost: number;
  /** So that no repository, whatever hosts it names, keeps others waiting. */
  readonly perHome: number;
  readonly inAll: number;
}

/** Where a request goes, and whose it is. */
export interface SlotPlace {
  readonly host: string;
  readonly homeId: number;
}

interface Waiter {
  readonly place: SlotPlace;
  readonly take: () => void;
}

export type GiveBack = () => void;

export class Slots {
  readonly #limits: SlotLimits;
  readonly #ofHosts = new Map<string, number>();
  readonly #ofHomes = new Map<number, number>();
  readonly #waiting = new Set<Waiter>();
  #total = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /** Waits for one; fails when the signal is aborted. */
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

  /** One that is free. Nobody waits for it: who waits has no room. */
  tryTake(place: SlotPlace): GiveBack | undefined {
    return this.#hasRoom(place) ? this.#take(place) : undefined;
  }

  /** How many wait for the same host, or of the same home; the more of both. */
  waitingBeside({ host, homeId }: SlotPlace): number {
    return Math.max(
      this.#waitingFor((other) => other.host === host),
      this.#waitingFor((other) => other.homeId === homeId),
    );
  }

  #waitingFor(isLike: (place: SlotPlace) => boolean): number {
    return [...this.#waiting].filter(({ place }) => isLike(place)).length;
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
    // There may be room for two: for one that waits for the host, and for another of the same home.
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
