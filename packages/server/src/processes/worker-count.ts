// How many processes answer requests.
import { availableParallelism } from 'node:os';

/** Each takes some 150 MB: who has the memory for more says so. */
const BY_ITSELF_MAX = 4;

export function workerCount({ workers }: { readonly workers: number }): number {
  return workers === 0 ? Math.min(availableParallelism(), BY_ITSELF_MAX) : workers;
}
