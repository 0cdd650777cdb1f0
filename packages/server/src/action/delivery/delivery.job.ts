// Delivers what subscriptions have to tell: looks for those that have something to do, holds each while it is looked after
// (holding.job.ts), and keeps within so many requests to one host and in all (slots.job.ts). Any number of nodes may do so at once; of
// one that dies, others take up what it held when its lease is over.
import { randomUUID } from 'node:crypto';
import { LEASE_MS } from '../lease.job.ts';
import { repeat } from '../repetition.job.ts';
import type { Deliverer } from './attempt.job.ts';
import { type HeldDelivery, hasDueDelivery } from './delivery-queue.sql.ts';
import { lookAfter } from './holding.job.ts';
import { Slots } from './slots.job.ts';

const PER_HOST = 8;
const PER_HOME = 40;
const IN_ALL = 200;
/** Subscriptions at once: more than there are requests, because some wait for a host. */
const HELD_MAX = 400;

export interface DeliveryPace {
  readonly everyMs: number;
}

/** Looks for work again and again, and after every commit. The answer stops that, cuts off what is under way, and waits for it. */
export async function startDeliveries(deliverer: Deliverer, { everyMs }: DeliveryPace): Promise<() => Promise<void>> {
  const { store } = deliverer;
  const stopping = new AbortController();
  const engine = new DeliveryEngine(deliverer, stopping.signal);
  const onError = (error: unknown) => deliverer.onFailure(error, {});
  const look = () => void engine.look().catch(onError);
  const stopLooking = repeat({ everyMs, work: () => engine.look(), onError });
  const stopListening = await store.listenCommits(look);
  return async () => {
    stopping.abort(new Error('the server stops'));
    await stopListening();
    await stopLooking();
    await engine.ended();
  };
}

class DeliveryEngine {
  readonly #deliverer: Deliverer;
  readonly #signal: AbortSignal;
  readonly #slots = new Slots({ perHost: PER_HOST, perHome: PER_HOME, inAll: IN_ALL });
  readonly #held = new Set<Promise<void>>();
  #looking: Promise<void> | undefined;
  #again = false;

  constructor(deliverer: Deliverer, signal: AbortSignal) {
    this.#deliverer = deliverer;
    this.#signal = signal;
  }

  /** Never twice at once; who asks meanwhile has it done once more. */
  async look(): Promise<void> {
    if (this.#looking !== undefined) {
      this.#again = true;
      return;
    }
    this.#looking = this.#lookUntilDone().finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
  }

  async ended(): Promise<void> {
    await this.#looking?.catch(() => {});
    await Promise.all(this.#held);
  }

  async #lookUntilDone(): Promise<void> {
    do {
      this.#again = false;
      await this.#claimAll();
    } while (this.#again && !this.#signal.aborted);
  }

  /** A read first: most of the time there is nothing, and a claim is a write. */
  async #claimAll(): Promise<void> {
    const { store } = this.#deliverer;
    while (!this.#signal.aborted && this.#held.size < HELD_MAX) {
      const now = await store.database.now();
      if (!(await hasDueDelivery(store.database, now))) return;
      const held = await store.write('claimDelivery', { claim: randomUUID(), now, leaseMs: LEASE_MS });
      if (held === undefined) return;
      this.#hold(held);
    }
  }

  #hold(held: HeldDelivery): void {
    const holding: Promise<void> = lookAfter(this.#deliverer, held, { slots: this.#slots, signal: this.#signal })
      // What is left of it is taken up when its lease is over.
      .catch((error: unknown) => this.#deliverer.onFailure(error, { subscriptionId: held.work.key }))
      .finally(() => this.#held.delete(holding));
    this.#held.add(holding);
  }
}
