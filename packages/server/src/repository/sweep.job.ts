// Removes expired data in bounded steps: repositories, exports, streams, runs, sessions and rate limits.
import type { SystemGrant } from '../access/grant.rule.ts';
import { hasExpiredOauthItems } from '../account/oauth/oauth-item.sql.ts';
import { hasExpiredSessions } from '../account/session.sql.ts';
import { findHomesWithOldRuns } from '../action/run-read.sql.ts';
import type { BlobStore } from '../export/blob-store.ts';
import { blobKeysOf, findExportsOf, findUnneededExports } from '../export/export-removal.sql.ts';
import type { Store } from '../store.ts';
import { findIdleStreams } from '../stream/stream.sql.ts';
import { RESTORABLE_MS } from './repository.sql.ts';
import { findRemovable } from './repository-removal.sql.ts';

// A step blocks other writes for some milliseconds.
const ROWS_A_STEP_MAX = 2_000;
const REPOSITORIES_AT_ONCE = 100;
const EXPORTS_AT_ONCE = 100;
const STREAMS_AT_ONCE = 100;
const HOMES_AT_ONCE = 100;
const RUNS_A_STEP_MAX = 200;
const DAY_MS = 86_400_000;

interface Swept {
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly runRetentionDays?: number | undefined;
}

export async function sweep(swept: Swept, now: number, signal?: AbortSignal): Promise<void> {
  await removeRepositories(swept, now, signal);
  await removeExports(swept, now, signal);
  await closeStreams(swept, now, signal);
  await forgetRuns(swept, now, signal);
  await forgetSignIns(swept, now, signal);
  if (!signal?.aborted) await swept.store.usage.sweep(now);
}

/** Returns false if the signal came before the last step. */
async function finish(step: () => Promise<boolean>, signal?: AbortSignal): Promise<boolean> {
  while (!signal?.aborted) if (await step()) return true;
  return false;
}

async function removeRepositories(swept: Swept, now: number, signal?: AbortSignal): Promise<void> {
  const deletedUntil = now - RESTORABLE_MS;
  for (;;) {
    const removable = await findRemovable(swept.store.database, { deletedUntil, limit: REPOSITORIES_AT_ONCE });
    if (removable.length === 0) return;
    for (const grant of removable) {
      if (!signal?.aborted) await removeFiles(swept, grant);
      const removal = { grant, deletedUntil, rowsMax: ROWS_A_STEP_MAX };
      if (!(await finish(() => swept.store.write.removeRepository(removal), signal))) return;
    }
  }
}

/** Files go first, because only the rows know of them. */
async function removeFiles({ store, blobs }: Swept, grant: SystemGrant): Promise<void> {
  const exports = await findExportsOf(store.database, grant);
  for (const key of exports.flatMap(blobKeysOf)) await blobs.remove(key);
}

async function removeExports({ store, blobs }: Swept, now: number, signal?: AbortSignal): Promise<void> {
  for (;;) {
    const unneeded = await findUnneededExports(store.database.beside, { now, limit: EXPORTS_AT_ONCE });
    for (const address of unneeded) {
      if (signal?.aborted) return;
      if (!(await store.write.retireExport({ ...address, now }))) continue;
      for (const key of blobKeysOf(address)) await blobs.remove(key);
      await store.write.forgetExport(address);
    }
    if (unneeded.length < EXPORTS_AT_ONCE) return;
  }
}

async function closeStreams({ store }: Swept, now: number, signal?: AbortSignal): Promise<void> {
  for (;;) {
    const idle = await findIdleStreams(store.database.beside, { now, limit: STREAMS_AT_ONCE });
    for (const stream of idle) {
      const closing = { ...stream, now, placeholdersMax: ROWS_A_STEP_MAX };
      if (!(await finish(() => store.write.closeIdleStream(closing), signal))) return;
    }
    if (idle.length < STREAMS_AT_ONCE) return;
  }
}

async function forgetRuns({ store, runRetentionDays }: Swept, now: number, signal?: AbortSignal): Promise<void> {
  if (runRetentionDays === undefined) return;
  const before = now - runRetentionDays * DAY_MS;
  let after = Number.MIN_SAFE_INTEGER;
  for (;;) {
    const homeIds = await findHomesWithOldRuns(store.database.beside, { before, after, limit: HOMES_AT_ONCE });
    for (const homeId of homeIds) {
      const old = { homeId, before, runsMax: RUNS_A_STEP_MAX };
      if (!(await finish(() => store.write.forgetRuns(old), signal))) return;
    }
    const last = homeIds.at(-1);
    if (last === undefined || homeIds.length < HOMES_AT_ONCE) return;
    after = last;
  }
}

async function forgetSignIns({ store }: Swept, now: number, signal?: AbortSignal): Promise<void> {
  const { database } = store;
  while (!signal?.aborted && (await hasExpiredOauthItems(database, now))) {
    await store.write.forgetOauthItems({ now, itemsMax: ROWS_A_STEP_MAX });
  }
  while (!signal?.aborted && (await hasExpiredSessions(database, now))) {
    await store.write.forgetSessions({ now, sessionsMax: ROWS_A_STEP_MAX });
  }
}
