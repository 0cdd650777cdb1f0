import type { Store } from '../store.ts';

/** Under constant writes, the job rests this many times longer than it works. */
const RESTS_BEHIND_WRITES = 9;
/** Upper bound: a step that waited for a hung database used no processor time. */
const REST_MS_MAX = 2_000;

/** Rests after each step, longer under heavy writes: indexing takes as much processor time as committing. */
export async function followSearchAtLeisure(store: Store, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const [start, busyMs] = [performance.now(), store.busyMs];
    if (!(await store.followSearch())) return;
    const tookMs = performance.now() - start;
    const share = tookMs === 0 ? 0 : (store.busyMs - busyMs) / tookMs;
    const restMs = Math.min(REST_MS_MAX, tookMs * (1 + (RESTS_BEHIND_WRITES - 1) * share));
    await new Promise((rested) => setTimeout(rested, restMs));
  }
}
