import { expect, it } from 'vitest';
import { isMoving } from './run.ts';

const NOW = 1_000_000_000;
const ago = (seconds: number) => NOW - seconds * 1_000;

it.each([
  ['succeeded', { status: 'succeeded', updatedAt: ago(1) }, false],
  ['given up', { status: 'dead_letter', updatedAt: ago(1) }, false],
  ['begun just now', { status: 'pending', updatedAt: ago(1) }, true],
  ['held since long', { status: 'pending', updatedAt: ago(3_600) }, false],
  ['waiting for hours', { status: 'retry_wait', updatedAt: ago(3_600), nextAttemptAt: ago(-3_600) }, false],
  ['about to be tried', { status: 'retry_wait', updatedAt: ago(3_600), nextAttemptAt: ago(-5) }, true],
  ['worked on since long', { status: 'processing', updatedAt: ago(3_600) }, false],
] as const)('a run that is %s', (_, run, moves) => {
  expect(isMoving(run, NOW)).toBe(moves);
});
