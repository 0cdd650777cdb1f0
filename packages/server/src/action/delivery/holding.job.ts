// Looks after one subscription that this node holds, for as long as there is something to do: takes as many slots of its host as it
// gets, starts as many runs, and looks again when one of them is over or others have come.
import { setTimeout as pause } from 'node:timers/promises';
import { holdLease } from '../lease.job.ts';
import { hasDueRun } from '../run-start.sql.ts';
import { type Deliverer, makeAttempt } from './attempt.job.ts';
import type { HeldDelivery } from './delivery-queue.sql.ts';
import type { GiveBack, SlotPlace, Slots } from './slots.job.ts';

/** Where more wait beside it, it is given back for a while: who waits must not keep others from being looked after. */
const WAITING_MAX = 16;
const NO_ROOM_MS = 1_000;
/** How soon what others have made is seen while something slow is under way. */
const LOOK_AGAIN_MS = 200;
/** Of a subscription at once. */
const STARTED_MAX = 8;

export async function lookAfter(
  deliverer: Deliverer,
  { work, webhookUrl }: HeldDelivery,
  { slots, signal }: { slots: Slots; signal: AbortSignal },
): Promise<void> {
  const { store } = deliverer;
  if (slots.waitingBeside({ host: hostOf(webhookUrl), homeId: work.repoId }) >= WAITING_MAX) {
    const now = await store.database.now();
    await store.write('releaseDelivery', { work, now, notBefore: now + NO_ROOM_MS });
    return;
  }
  const lease = holdLease(store, work);
  const holding = new Holding(deliverer, { work, webhookUrl }, slots);
  try {
    await holding.run(AbortSignal.any([signal, lease.lost]));
  } finally {
    lease.end();
  }
  await store.write('releaseDelivery', { work, now: await store.database.now() });
}

/** What is no URL is refused when it is sent to. */
function hostOf(url: string | undefined): string {
  return url !== undefined && URL.canParse(url) ? new URL(url).host : '';
}

class Holding {
  readonly #deliverer: Deliverer;
  readonly #work: HeldDelivery['work'];
  readonly #slots: Slots;
  readonly #underWay = new Set<Promise<void>>();
  /** Where it goes to, as far as is known: its URL may be changed at any time. */
  #host: string;
  /** Whether what waits may be sent. */
  #sends = true;

  constructor(deliverer: Deliverer, { work, webhookUrl }: HeldDelivery, slots: Slots) {
    this.#deliverer = deliverer;
    this.#work = work;
    this.#host = hostOf(webhookUrl);
    this.#slots = slots;
  }

  /** Until there is nothing to do, or the signal; what is under way is over then. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted) {
        const { held, more } = await this.#start(signal);
        if (!held || (!more && this.#underWay.size === 0)) break;
        if (!more) await this.#wait(signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      await Promise.all(this.#underWay);
    }
  }

  async #start(signal: AbortSignal): Promise<{ held: boolean; more: boolean }> {
    const { store, webhookRetrySeconds } = this.#deliverer;
    const work = this.#work;
    const slots = await this.#takeSlots({ host: this.#host, homeId: work.repoId }, signal);
    try {
      const attemptsMax = 1 + webhookRetrySeconds.length;
      const request = { work, now: await store.database.now(), limit: slots.length, attemptsMax };
      const { held, subscription, runs, more } = await store.write('startRuns', request);
      this.#sends = subscription?.active === true && !subscription.deleted;
      this.#host = hostOf(subscription?.webhookUrl);
      const key = { homeId: work.repoId, subscriptionId: work.key };
      for (const run of runs) {
        const giveBack = slots.pop();
        if (subscription !== undefined) this.#follow({ ...key, subscription, run }, signal, giveBack);
      }
      // There was as much as there were slots for: likely there is more.
      return { held, more: more || (runs.length > 0 && slots.length === 0) };
    } finally {
      for (const giveBack of slots) giveBack();
    }
  }

  async #takeSlots(place: SlotPlace, signal: AbortSignal): Promise<GiveBack[]> {
    const taken = [await this.#slots.take(place, signal)];
    while (taken.length < STARTED_MAX) {
      const another = this.#slots.tryTake(place);
      if (another === undefined) break;
      taken.push(another);
    }
    return taken;
  }

  #follow(attempt: Parameters<typeof makeAttempt>[1], signal: AbortSignal, giveBack: GiveBack | undefined): void {
    const { runId } = attempt.run;
    const made: Promise<void> = makeAttempt(this.#deliverer, attempt, signal)
      .catch((error: unknown) => this.#deliverer.onFailure(error, { runId }))
      .finally(() => {
        giveBack?.();
        this.#underWay.delete(made);
      });
    this.#underWay.add(made);
  }

  /** For one of those that are under way to be over, or something else to be due. */
  async #wait(signal: AbortSignal): Promise<void> {
    const { repoId: homeId, key: subscriptionId } = this.#work;
    const over = Promise.race(this.#underWay).then(() => true);
    while (!signal.aborted) {
      const waiting = new AbortController();
      const look = pause(LOOK_AGAIN_MS, false, { signal: AbortSignal.any([signal, waiting.signal]) }).catch(() => true);
      const ended = await Promise.race([over, look]);
      waiting.abort();
      const { database } = this.#deliverer.store;
      if (ended) return;
      if (this.#sends && (await hasDueRun(database, { homeId, subscriptionId }, await database.now()))) return;
    }
  }
}
