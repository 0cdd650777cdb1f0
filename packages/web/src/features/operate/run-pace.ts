// Runs may wait for hours, for their next attempt or for their receiver: only what moves now is asked for every second.
import type { ActionRun, RunStatus } from '@cairn/sdk';

const FAILED: readonly RunStatus[] = ['failed_terminal', 'dead_letter'];
const OVER: readonly RunStatus[] = ['succeeded', 'suppressed', ...FAILED];
const FRESH_MS = 60_000;
const NEAR_MS = 10_000;

type Pace = Pick<ActionRun, 'status' | 'updatedAt' | 'nextAttemptAt'>;

/** For good: it is tried no more by itself. */
export const hasFailed = ({ status }: Pick<ActionRun, 'status'>): boolean => FAILED.includes(status);

/** Whether something may come of it any moment: it is not over, and changed lately or is about to be tried. */
export function isMoving({ status, updatedAt, nextAttemptAt }: Pace, now: number): boolean {
  if (OVER.includes(status)) return false;
  return now - updatedAt < FRESH_MS || (nextAttemptAt !== undefined && nextAttemptAt - now < NEAR_MS);
}
