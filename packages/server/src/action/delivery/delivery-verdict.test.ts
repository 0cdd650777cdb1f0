import { describe, expect, it } from 'vitest';
import { conclude, judge, readRetryAfter, retryTime } from './delivery-verdict.ts';

const NOW = 1_800_000_000_000;
const DAY_MS = 86_400_000;
const SCHEDULE = { now: NOW, retrySeconds: [5, 30, 300], chance: 0.5 };

function answer(status: number, headers: Record<string, string> = {}) {
  return { kind: 'answer', status, headers, body: '', truncated: false, durationMs: 1 } as const;
}

describe('what an answer means', () => {
  it.each([
    [200, 'succeeded', 'succeeded'],
    [204, 'succeeded', 'succeeded'],
    [202, 'accepted', 'processing'],
    [301, 'failed', 'failed_terminal'],
    [400, 'failed', 'failed_terminal'],
    [404, 'failed', 'failed_terminal'],
    [408, 'retry', 'retry_wait'],
    [410, 'failed', 'failed_terminal'],
    [425, 'retry', 'retry_wait'],
    [429, 'retry', 'retry_wait'],
    [500, 'retry', 'retry_wait'],
    [503, 'retry', 'retry_wait'],
  ])('%s is %s, and its run is %s', (status, outcome, run) => {
    const verdict = judge(answer(status), NOW);
    expect(verdict.outcome).toBe(outcome);
    expect(conclude(verdict, { attempt: 1, maxAttempts: 4 }, SCHEDULE).status).toBe(run);
    expect(verdict.errorCode).toBe(status < 300 ? undefined : `HTTP_${status}`);
  });

  it.each(['DNS_ERROR', 'CONNECT_TIMEOUT', 'TIMEOUT', 'TLS_ERROR', 'NETWORK_ERROR'] as const)('%s may pass', (code) => {
    expect(judge({ kind: 'failure', code, message: 'no', durationMs: 1 }, NOW)).toMatchObject({ outcome: 'retry' });
  });

  it.each(['TARGET_REFUSED', 'CREDENTIALS_REVOKED', 'CREDENTIALS_UNBOUND'] as const)('%s does not pass', (code) => {
    const refused = code === 'TARGET_REFUSED' ? ({ kind: 'failure', code, durationMs: 1 } as const) : { code };
    const verdict = judge({ ...refused, message: 'no' }, NOW);
    expect(verdict).toEqual({ outcome: 'failed', errorCode: code, errorMessage: 'no' });
  });

  it('pauses the subscription when the receiver is gone, and else not', () => {
    expect(judge(answer(410), NOW).pausedReason).toContain('410');
    expect(judge(answer(404), NOW).pausedReason).toBeUndefined();
  });

  it('gives up after the last attempt', () => {
    const verdict = judge(answer(500), NOW);
    expect(conclude(verdict, { attempt: 4, maxAttempts: 4 }, SCHEDULE)).toEqual({
      status: 'dead_letter',
      nextAttemptAt: null,
    });
  });
});

describe('when it goes again', () => {
  it.each([
    [1, 5],
    [2, 30],
    [3, 300],
  ])('after attempt %s in %s seconds, a fifth more or less', (attempt, seconds) => {
    const at = (chance: number) => retryTime({ attempt, maxAttempts: 4 }, { ...SCHEDULE, chance }) - NOW;
    expect([at(0), at(0.5), at(1)]).toEqual([seconds * 800, seconds * 1_000, seconds * 1_200]);
  });

  it('has all pauses again for a run that is retried by hand', () => {
    expect(retryTime({ attempt: 5, maxAttempts: 8 }, SCHEDULE) - NOW).toBe(5_000);
  });

  it.each([
    ['17', 17_000],
    ['0', undefined],
    ['-5', undefined],
    [new Date(NOW + 60_000).toUTCString(), 60_000],
    [new Date(NOW - 60_000).toUTCString(), undefined],
    ['99999999', DAY_MS],
    ['soon', undefined],
    [undefined, undefined],
  ])('reads Retry-After: %s', (header, ms) => {
    expect(readRetryAfter(header, NOW)).toBe(ms);
  });

  it('obeys Retry-After', () => {
    const verdict = judge(answer(429, { 'retry-after': '120' }), NOW);
    expect(conclude(verdict, { attempt: 1, maxAttempts: 4 }, SCHEDULE).nextAttemptAt).toBe(NOW + 120_000);
  });
});
