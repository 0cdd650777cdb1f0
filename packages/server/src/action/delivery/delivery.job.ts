// Delivers runs: claims subscriptions with due work under a lease, and limits concurrent requests (slots.job.ts). If a
// node dies, others take over when its leases end.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { holdLease, LEASE_MS, repeat } from '../repetition.job.ts';
import { type FinishedAttempt, WORKER_LOST } from '../run.write.ts';
import { hasDueRun, type StartedRun } from '../run-start.sql.ts';
import { passThrough } from '../trace.ts';
import { type DeliveredAnswer, type DeliverySender, sendDelivery } from './delivery.ts';
import { type HeldDelivery, hasDueDelivery, type SubscriptionState } from './delivery-queue.sql.ts';
import { conclude, type DeliveryMeter } from './delivery-verdict.ts';
import { type GiveBack, type SlotPlace, Slots } from './slots.job.ts';

const PER_HOST = 8;
const PER_HOME = 40;
const IN_ALL = 200;
/** Subscriptions held at once: more than there are requests, because some wait for a host. */
const HELD_MAX = 400;
/** One look finds the work of all commits of this time. */
const LOOK_AFTER_MS = 10;

export async function startDeliveries(deliverer: Deliverer, everyMs: number): Promise<() => Promise<void>> {
  const { store } = deliverer;
  const stopping = new AbortController();
  const engine = new DeliveryEngine(deliverer, stopping.signal);
  const onError = (error: unknown) => deliverer.onFailure(error, {});
  let planned: NodeJS.Timeout | undefined;
  const look = () => {
    planned ??= setTimeout(() => {
      planned = undefined;
      void engine.look().catch(onError);
    }, LOOK_AFTER_MS).unref();
  };
  const stopLooking = repeat({ everyMs, work: () => engine.look(), onError });
  const stopListening = await store.listenCommits(look);
  return async () => {
    stopping.abort(new Error('the server stops'));
    clearTimeout(planned);
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

  /** Never runs twice at once: a call during a look triggers another look. */
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

  /** Reads first: usually there is nothing to do, and a claim is a write. */
  async #claimAll(): Promise<void> {
    const { store } = this.#deliverer;
    while (!this.#signal.aborted && this.#held.size < HELD_MAX) {
      const now = await store.database.now();
      if (!(await hasDueDelivery(store.database, now))) return;
      const held = await store.write.claimDelivery({ claim: randomUUID(), now, leaseMs: LEASE_MS });
      if (held === undefined) return;
      this.#hold(held);
    }
  }

  #hold(held: HeldDelivery): void {
    const holding: Promise<void> = lookAfter(this.#deliverer, held, { slots: this.#slots, signal: this.#signal })
      // The rest of the work is claimed again when the lease ends.
      .catch((error: unknown) => this.#deliverer.onFailure(error, { subscriptionId: held.work.key }))
      .finally(() => this.#held.delete(holding));
    this.#held.add(holding);
  }
}

/** With this many waiters the subscription is released for a while, so that it does not keep others from being held. */
const WAITING_MAX = 16;
const NO_ROOM_MS = 1_000;
const LOOK_AGAIN_MS = 200;
const STARTED_MAX = 8;

async function lookAfter(
  deliverer: Deliverer,
  { work, webhookUrl }: HeldDelivery,
  { slots, signal }: { slots: Slots; signal: AbortSignal },
): Promise<void> {
  const { store } = deliverer;
  if (slots.waitingBeside({ host: hostOf(webhookUrl), homeId: work.repoId }) >= WAITING_MAX) {
    const now = await store.database.now();
    await store.write.releaseDelivery({ work, now, notBefore: now + NO_ROOM_MS });
    return;
  }
  const lease = holdLease(store, work);
  const holding = new Holding(deliverer, { work, webhookUrl }, slots);
  try {
    await holding.run(AbortSignal.any([signal, lease.lost]));
  } finally {
    lease.end();
  }
  await store.write.releaseDelivery({ work, now: await store.database.now() });
}

function hostOf(url: string | undefined): string {
  return url !== undefined && URL.canParse(url) ? new URL(url).host : '';
}

class Holding {
  readonly #deliverer: Deliverer;
  readonly #work: HeldDelivery['work'];
  readonly #slots: Slots;
  readonly #underWay = new Set<Promise<void>>();
  #host: string;
  #sends = true;

  constructor(deliverer: Deliverer, { work, webhookUrl }: HeldDelivery, slots: Slots) {
    this.#deliverer = deliverer;
    this.#work = work;
    this.#host = hostOf(webhookUrl);
    this.#slots = slots;
  }

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
      const { held, subscription, runs, more } = await store.write.startRuns(request);
      this.#sends = subscription?.active === true && !subscription.deleted;
      this.#host = hostOf(subscription?.webhookUrl);
      const key = { homeId: work.repoId, subscriptionId: work.key };
      for (const run of runs) {
        const giveBack = slots.pop();
        if (subscription !== undefined) this.#follow({ ...key, subscription, run }, signal, giveBack);
      }
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

interface Deliverer extends DeliverySender {
  readonly webhookRetrySeconds: readonly number[];
  readonly meter: DeliveryMeter;
  readonly onFailure: (error: unknown, details: object) => void;
}

interface AttemptToMake {
  readonly homeId: number;
  readonly subscriptionId: string;
  readonly subscription: SubscriptionState;
  readonly run: StartedRun;
}

/** An abort does not count. A failure of this server counts, because an immediate retry would only fail again. */
async function makeAttempt(deliverer: Deliverer, attempt: AttemptToMake, signal: AbortSignal): Promise<void> {
  const { meter, store } = deliverer;
  meter.inFlight++;
  try {
    const answer = await send(deliverer, attempt, signal).catch((error: unknown) => {
      if (signal.aborted) return STOPPED;
      deliverer.onFailure(error, { runId: attempt.run.runId });
      return FAILED_HERE;
    });
    const finished = toFinished(deliverer, attempt, answer, await store.database.now());
    meter.count(finished.outcome);
    await store.write.finishAttempt(finished);
  } finally {
    meter.inFlight--;
  }
}

async function send(
  deliverer: Deliverer,
  { homeId, subscription, run }: AttemptToMake,
  signal: AbortSignal,
): Promise<DeliveredAnswer> {
  const { name: subscriptionName, credentialSetId } = subscription;
  const url = run.target === 'webhook' ? subscription.webhookUrl : subscription.fallbackWebhookUrl;
  if (url === null) return NO_FALLBACK;
  const delivery = { homeId, subscriptionName, credentialSetId, url, run, trace: passThrough(run, homeId) };
  return await sendDelivery(deliverer, delivery, signal);
}

const unsent = (outcome: 'failed' | 'retry', errorCode: string, errorMessage: string): DeliveredAnswer => ({
  verdict: { outcome, errorCode, errorMessage },
  durationMs: 0,
});

const NO_FALLBACK = unsent('failed', 'TARGET_REFUSED', 'The subscription no longer has a fallback URL.');
const FAILED_HERE = unsent('retry', WORKER_LOST, 'The server could not send the delivery. Its log has the reason.');
const STOPPED = unsent('retry', WORKER_LOST, 'The server stopped before the answer arrived.');

function toFinished(
  { webhookRetrySeconds }: Deliverer,
  { homeId, subscriptionId, subscription, run }: AttemptToMake,
  answer: DeliveredAnswer,
  now: number,
): FinishedAttempt {
  const { verdict, responseSnippet } = answer;
  const { runId, attempt, target } = run;
  const spared = answer === STOPPED;
  const next = conclude(verdict, run, { now, retrySeconds: webhookRetrySeconds, chance: Math.random() });
  return {
    ...{ homeId, subscriptionId, runId, attempt, target, now, spared },
    fallback: subscription.fallbackWebhookUrl !== null,
    ...(spared ? ({ status: 'retry_wait', nextAttemptAt: now } as const) : next),
    outcome: spared || answer === FAILED_HERE ? 'lost' : verdict.outcome,
    httpStatus: verdict.httpStatus ?? null,
    errorCode: verdict.errorCode ?? null,
    errorMessage: verdict.errorMessage ?? null,
    responseSnippet: responseSnippet ?? null,
    pausedReason: verdict.pausedReason ?? null,
  };
}
