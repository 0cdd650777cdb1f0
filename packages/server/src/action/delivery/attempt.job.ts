// One attempt that was started: the request, and what becomes of the run.

import { type FinishedAttempt, WORKER_LOST } from '../run-end.write.ts';
import type { StartedRun } from '../run-start.sql.ts';
import { passThrough } from '../trace.ts';
import { type DeliveredAnswer, type DeliverySender, sendDelivery } from './delivery.ts';
import type { DeliveryMeter } from './delivery-meter.ts';
import { payloadOf } from './delivery-payload.ts';
import type { SubscriptionState } from './delivery-state.sql.ts';
import { conclude } from './delivery-verdict.ts';

export interface Deliverer extends DeliverySender {
  readonly webhookRetrySeconds: readonly number[];
  readonly meter: DeliveryMeter;
  /** Told of what went wrong here, not at receivers. */
  readonly onFailure: (error: unknown, details: object) => void;
}

export interface AttemptToMake {
  readonly homeId: number;
  readonly subscriptionId: string;
  readonly subscription: SubscriptionState;
  readonly run: StartedRun;
}

/**
 * When the signal is aborted the attempt is lost, which counts for nothing, and goes again at once. What fails here instead of
 * at the receiver, such as credentials that cannot be opened, counts and goes again later: at once, it would only fail again.
 */
export async function makeAttempt(deliverer: Deliverer, attempt: AttemptToMake, signal: AbortSignal): Promise<void> {
  const { meter, store } = deliverer;
  meter.inFlight++;
  try {
    const answer = await send(deliverer, attempt, signal).catch((error: unknown) => {
      if (signal.aborted) return undefined;
      deliverer.onFailure(error, { runId: attempt.run.runId });
      return FAILED_HERE;
    });
    const made = { ...attempt, now: await store.database.now() };
    const finished = answer === undefined ? lost(made) : answered(deliverer, made, answer);
    meter.count(finished.outcome);
    await store.write('finishAttempt', finished);
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
  const { publicUrl, store } = deliverer;
  const body = await payloadOf(store.database, { homeId, subscriptionName, run, publicUrl });
  const { runId, attempt, target } = run;
  const sent = { homeId, subscriptionName, credentialSetId, target, url, runId, attempt, body };
  return await sendDelivery(deliverer, { ...sent, trace: passThrough(run, homeId) }, signal);
}

const NO_FALLBACK: DeliveredAnswer = {
  verdict: {
    outcome: 'failed',
    errorCode: 'TARGET_REFUSED',
    errorMessage: 'The subscription has no fallback URL any more.',
  },
  durationMs: 0,
};

const FAILED_HERE: DeliveredAnswer = {
  verdict: {
    outcome: 'retry',
    errorCode: WORKER_LOST,
    errorMessage: 'The server could not send it. Its log says why.',
  },
  durationMs: 0,
};

interface MadeAttempt extends AttemptToMake {
  readonly now: number;
}

function addressOf({ homeId, subscriptionId, subscription, run, now }: MadeAttempt) {
  const { runId, attempt, target } = run;
  const fallback = subscription.fallbackWebhookUrl !== null;
  return { homeId, subscriptionId, runId, attempt, target, fallback, now };
}

function answered({ webhookRetrySeconds }: Deliverer, attempt: MadeAttempt, answer: DeliveredAnswer): FinishedAttempt {
  const { verdict, responseSnippet } = answer;
  const address = addressOf(attempt);
  const schedule = { now: address.now, retrySeconds: webhookRetrySeconds, chance: Math.random() };
  return {
    ...address,
    ...conclude(verdict, attempt.run, schedule),
    outcome: answer === FAILED_HERE ? 'lost' : answer.verdict.outcome,
    httpStatus: verdict.httpStatus ?? null,
    errorCode: verdict.errorCode ?? null,
    errorMessage: verdict.errorMessage ?? null,
    responseSnippet: responseSnippet ?? null,
    pausedReason: verdict.pausedReason ?? null,
    spared: false,
  };
}

function lost(attempt: MadeAttempt): FinishedAttempt {
  const address = addressOf(attempt);
  return {
    ...address,
    outcome: 'lost',
    httpStatus: null,
    errorCode: WORKER_LOST,
    errorMessage: 'The server stopped before there was an answer.',
    responseSnippet: null,
    status: 'retry_wait',
    nextAttemptAt: address.now,
    spared: true,
    pausedReason: null,
  };
}
