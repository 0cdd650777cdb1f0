import { expect, it } from 'vitest';
import { countFailures } from './problem.ts';

const run = (runId: string, runStatus?: 'dead_letter' | 'failed_terminal' | 'succeeded' | 'retry_wait') => ({
  runId,
  status: 'dead_letter' as const,
  subscriptionName: 'signals',
  ...(runStatus !== undefined && { runStatus }),
});

it('counts runs that still stand as failed, each once', () => {
  const told = [run('a', 'dead_letter'), run('a', 'dead_letter'), run('b', 'failed_terminal')];
  expect(countFailures([...told, run('c', 'succeeded'), run('d', 'retry_wait'), run('gone')], [])).toBe(2);
});

it('counts a subscription that the server paused until it is resumed', () => {
  const told = [{ status: 'paused' as const, subscriptionName: 'signals' }];
  expect(countFailures(told, [{ name: 'signals', pausedReason: 'HTTP_410' }])).toBe(1);
  expect(countFailures(told, [{ name: 'signals' }])).toBe(0);
  expect(countFailures(told, [])).toBe(0);
});
