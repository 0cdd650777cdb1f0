// Holds a piece of work for as long as it is done, by renewing its lease.

import type { ClaimedWork } from '../engine/work.ts';
import type { Store } from '../store.ts';

/** How long work lies idle after the node that had it died. */
export const LEASE_MS = 10_000;

export interface Lease {
  /** Aborted when somebody else has the work: what is done with it now is in vain. */
  readonly lost: AbortSignal;
  end(): void;
}

export function holdLease(store: Store, work: ClaimedWork): Lease {
  const losing = new AbortController();
  const renew = async () => {
    // A database that is away for a moment takes nothing from us: only an answer does.
    const held = await renewWork(store, work).catch(() => true);
    if (!held) losing.abort(new Error('another node has taken up the work'));
  };
  const timer = setInterval(renew, LEASE_MS / 3).unref();
  return { lost: losing.signal, end: () => clearInterval(timer) };
}

async function renewWork(store: Store, work: ClaimedWork): Promise<boolean> {
  return await store.write('renewWork', { ...work, until: (await store.database.now()) + LEASE_MS });
}
