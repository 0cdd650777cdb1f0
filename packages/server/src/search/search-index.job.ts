// Brings the search index up to date, one bounded step after the other.
import type { Store } from '../store.ts';

/** Ends when nothing is behind, or early, at the end of a step, when the signal says so. */
export async function followSearch(store: Store, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted && (await store.followSearch()));
}

/** Where writes are under way all the time, it rests so many times longer than it works. */
const RESTS_BEHIND_WRITES = 9;
/** A step that waited for a database that hung took no processor time. */
const REST_MS_MAX = 2_000;

/**
 * The same for a server that is in use: after each step it rests, as long as that took and longer, the more is written. To
 * index records takes about as much processor time as to commit them, and behind a bulk load commits come first.
 */
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
