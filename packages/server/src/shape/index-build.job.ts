// Completes field indexes in the background, one bounded step after the other.
import type { Store } from '../store.ts';
import { type FieldAddress, findUnbuiltFields } from './field-index.sql.ts';

/** Each step is its own transaction, so that commits can run in between. */
export async function buildIndexes(store: Store, signal?: AbortSignal): Promise<void> {
  for (const field of await findUnbuiltFields(store.database)) await buildIndex(store, field, signal);
}

async function buildIndex(store: Store, field: FieldAddress, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted && !(await store.write.buildFieldIndex(field))) {
    await new Promise((turn) => setImmediate(turn));
  }
}
