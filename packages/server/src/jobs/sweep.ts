// Clears away what is over: repositories whose deletion has become final, and rate limits that nobody runs into.
import { RESTORABLE_MS } from '../store/repository.ts';
import { findRemovable } from '../store/repository-removal.ts';
import type { Store } from '../store/store.ts';

// A step holds up other writes for some milliseconds.
const ROWS_A_STEP_MAX = 2_000;
const REPOSITORIES_AT_ONCE = 100;

/** Ends early, at the end of a step, when the signal says so; the next sweep goes on from there. */
export async function sweep(store: Store, now: number, signal?: AbortSignal): Promise<void> {
  await removeRepositories(store, now, signal);
  if (!signal?.aborted) await store.usage.sweep(now);
}

async function removeRepositories(store: Store, now: number, signal?: AbortSignal): Promise<void> {
  const deletedUntil = now - RESTORABLE_MS;
  for (;;) {
    const removable = await findRemovable(store.database, { deletedUntil, limit: REPOSITORIES_AT_ONCE });
    if (removable.length === 0) return;
    for (const grant of removable) {
      let removed = false;
      while (!removed) {
        if (signal?.aborted) return;
        removed = await store.write('removeRepository', { grant, deletedUntil, rowsMax: ROWS_A_STEP_MAX });
      }
    }
  }
}
