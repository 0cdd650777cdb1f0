// Judges the answer to a delivery, for the attempt and for its run.
import type { AttemptOutcome, RunStatus } from '@cairn/protocol/vocabulary';
import { PROCESSING_MS } from '../run-report.write.ts';
import type { OutboundAnswer, OutboundFailure } from './client.ts';
import type { RefusedCredentials } from './credential-set.ts';

export interface Verdict {
  readonly outcome: Exclude<AttemptOutcome, 'lost'>;
  readonly httpStatus?: number;
  readonly errorCode?: string;
  readonly errorMessage?: string;
  readonly retryAfterMs?: number;
  readonly pausedReason?: string;
}

const ACCEPTED = 202;
const GONE = 410;
const PASSING: readonly number[] = [408, 425, 429];
const RETRY_AFTER_MS_MAX = 86_400_000;
const JITTER = 0.2;

export function judge(answer: OutboundAnswer | OutboundFailure | RefusedCredentials, now: number): Verdict {
  if (!('kind' in answer)) return { outcome: 'failed', errorCode: answer.code, errorMessage: answer.message };
  if (answer.kind === 'failure') {
    const outcome = answer.code === 'TARGET_REFUSED' ? 'failed' : 'retry';
    return { outcome, errorCode: answer.code, errorMessage: adviceOn(answer) };
  }
  const { status: httpStatus, headers } = answer;
  if (httpStatus === ACCEPTED) return { outcome: 'accepted', httpStatus };
  if (httpStatus >= 200 && httpStatus < 300) return { outcome: 'succeeded', httpStatus };
  const failure = { httpStatus, errorCode: `HTTP_${httpStatus}`, errorMessage: messageOf(httpStatus) };
  if (!PASSING.includes(httpStatus) && httpStatus < 500) {
    return { outcome: 'failed', ...failure, ...(httpStatus === GONE && { pausedReason: GONE_REASON }) };
  }
  const retryAfterMs = readRetryAfter(headers['retry-after'], now);
  return { outcome: 'retry', ...failure, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

const GONE_REASON = 'The receiver answered 410, so it is gone for good. Change the URL, or resume the subscription.';

function adviceOn({ code, message }: OutboundFailure): string {
  return code === 'TIMEOUT' ? `${message} Answer 202 at once, and report the outcome with the callback.` : message;
}

function messageOf(status: number): string {
  if (status >= 300 && status < 400)
    return `The receiver answered ${status}. Cairn does not follow redirects. Use the final URL.`;
  return status === GONE ? GONE_REASON : `The receiver answered ${status}.`;
}

/** A time in the past counts as absent: obeying it would use up all attempts within a second. */
export function readRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  const ms = /^\d{1,10}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  return ms > 0 ? Math.min(ms, RETRY_AFTER_MS_MAX) : undefined;
}

interface Schedule {
  readonly now: number;
  readonly retrySeconds: readonly number[];
  readonly chance: number;
}

interface AttemptCount {
  readonly attempt: number;
  readonly maxAttempts: number;
}

/** Counts from the end, because a manual retry gets all its pauses again. */
export function retryTime({ attempt, maxAttempts }: AttemptCount, { now, retrySeconds, chance }: Schedule): number {
  const index = Math.max(0, retrySeconds.length - Math.max(1, maxAttempts - attempt));
  const seconds = retrySeconds[index] ?? 0;
  return now + Math.round(seconds * 1_000 * (1 - JITTER + 2 * JITTER * chance));
}

interface NextStep {
  readonly status: RunStatus;
  readonly nextAttemptAt: number | null;
}

export function conclude({ outcome, retryAfterMs }: Verdict, count: AttemptCount, schedule: Schedule): NextStep {
  switch (outcome) {
    case 'succeeded':
      return { status: 'succeeded', nextAttemptAt: null };
    case 'accepted':
      return { status: 'processing', nextAttemptAt: schedule.now + PROCESSING_MS };
    case 'failed':
      return { status: 'failed_terminal', nextAttemptAt: null };
    case 'retry':
      if (count.attempt >= count.maxAttempts) return { status: 'dead_letter', nextAttemptAt: null };
      return {
        status: 'retry_wait',
        nextAttemptAt: retryAfterMs === undefined ? retryTime(count, schedule) : schedule.now + retryAfterMs,
      };
  }
}

export class DeliveryMeter {
  inFlight = 0;
  readonly outcomes = new Map<AttemptOutcome, number>();

  count(outcome: AttemptOutcome): void {
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
  }
}
