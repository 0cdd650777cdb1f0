// Carries outbox runs to other repositories, if the granting account may still read the whole source.
import { randomUUID } from 'node:crypto';
import type { ClaimedWork } from '../engine/work.ts';
import type { Store } from '../store.ts';
import { findOutbox, hasDueOutbox, type Lapse, type OutboxRun } from './outbox.sql.ts';
import { holdLease, LEASE_MS } from './repetition.job.ts';
import { findSubscriptionById } from './subscription.sql.ts';
import { findLapse } from './subscription.ts';

const RUNS_AT_ONCE = 200;

export async function carryOutboxes(store: Store, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted) {
    const now = await store.database.now();
    if (!(await hasDueOutbox(store.database, now))) return;
    const work = await store.write.claimOutbox({ claim: randomUUID(), now, leaseMs: LEASE_MS });
    if (work === undefined) return;
    await carryHeld(store, work, signal);
  }
}

async function carryHeld(store: Store, work: ClaimedWork, signal: AbortSignal | undefined): Promise<void> {
  const lease = holdLease(store, work);
  try {
    while (!signal?.aborted && !lease.lost.aborted) {
      const runs = await findOutbox(store.database, work, { limit: RUNS_AT_ONCE });
      if (runs.length === 0 || !(await carryRuns(store, work, runs))) break;
    }
  } finally {
    lease.end();
    await store.write.releaseOutbox({ work, now: await store.database.now() });
  }
}

/** One transaction for each owner, so that none waits for the locks of two. */
async function carryRuns(store: Store, work: ClaimedWork, runs: readonly OutboxRun[]): Promise<boolean> {
  for (const [homeId, some] of Map.groupBy(runs, (run) => run.homeId)) {
    const lapses = await findLapses(store, homeId, some);
    const held = await store.write.carryOutbox({ work, homeId, runs: some, lapses, now: await store.database.now() });
    if (!held) return false;
  }
  return true;
}

async function findLapses({ database }: Store, homeId: number, runs: readonly OutboxRun[]): Promise<Lapse[]> {
  const lapses: Lapse[] = [];
  for (const subscriptionId of new Set(runs.map((run) => run.subscriptionId))) {
    const subscription = await findSubscriptionById(database, { homeId, subscriptionId });
    const reason = subscription?.active ? await findLapse(database, subscription) : undefined;
    if (subscription !== undefined && reason !== undefined)
      lapses.push({ subscriptionId, name: subscription.name, reason });
  }
  return lapses;
}
