// Brings the search index up to date, one bounded step after the other.
import type { Store } from '../store/store.ts';

/** Ends when nothing is behind, or early, at the end of a step, when the signal says so. */
export async function followSearch(store: Store, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted && (await store.followSearch()));
}

/**
 * The same for a server that is in use: after each step it rests as long as that took. To index records takes as much
 * processor time as to commit them, and behind a bulk load commits come first.
 */
export async function followSearchAtLeisure(store: Store, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const start = performance.now();
    if (!(await store.followSearch())) return;
    await new Promise((rested) => setTimeout(rested, performance.now() - start));
  }
}
