// Builds requested exports in the background: claims one, writes it to the blob store and stores the result. If a node
// dies, its claim expires and another node starts over.
import { createHash, randomUUID } from 'node:crypto';
import { CairnError } from '@cairn/protocol/errors';
import type { Limits } from '@cairn/protocol/limits';
import { holdLease, LEASE_MS, repeat } from '../action/repetition.job.ts';
import { diskFaultIn, fileFault } from '../engine/disk-fault.ts';
import type { Store } from '../store.ts';
import type { BlobStore } from './blob-store.ts';
import { type BuiltExport, type ClaimedExport, EXPORT_TRIES_MAX, exportBlobKey } from './export-job.sql.ts';
import { exportLines } from './export-stream.ts';

// More than one repository may build at once, so that a large one does not keep the others waiting.
const BUILDS_AT_ONCE = 4;
const CUT_OFF =
  'The server stopped during the build three times. Its log may have the reason. Fix it, then mint another job.';
const UNEXPECTED = 'The log of the server has the reason. Fix it, then mint another job.';
const NO_ROOM = 'The disk has no space for the file. Mint another job when the operator has freed space.';

export interface ExportBuilder {
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly limits: Pick<Limits, 'exportBuilds'>;
  readonly onFailure: (error: unknown, details: object) => void;
}

export function startExportBuilds(builder: ExportBuilder, { everyMs }: { everyMs: number }): () => Promise<void> {
  const running = new Set<Promise<void>>();
  const onError = (error: unknown) => builder.onFailure(error, {});
  const work = async (signal: AbortSignal) => {
    while (!signal.aborted && running.size < BUILDS_AT_ONCE) {
      const claimed = await claimExport(builder);
      if (claimed === undefined) return;
      const build: Promise<void> = buildExport(builder, claimed, signal)
        .catch(onError)
        .finally(() => running.delete(build));
      running.add(build);
    }
  };
  const stop = repeat({ everyMs, work, onError });
  return async () => {
    await stop();
    await Promise.all(running);
  };
}

export async function claimExport({ store, limits }: ExportBuilder): Promise<ClaimedExport | undefined> {
  const claim = { claim: randomUUID(), now: await store.database.now(), leaseMs: LEASE_MS };
  return await store.write.claimExport({ ...claim, perRepository: limits.exportBuilds });
}

export async function buildExport(builder: ExportBuilder, claimed: ClaimedExport, signal: AbortSignal): Promise<void> {
  const { store, onFailure } = builder;
  const { work, tries, repo, atRepoSeq } = claimed;
  if (tries > EXPORT_TRIES_MAX) {
    await store.write.failExport({ work, tries, reason: CUT_OFF, now: await store.database.now() });
    return;
  }
  const lease = holdLease(store, work);
  try {
    const built = await writeArtifact(builder, claimed, AbortSignal.any([signal, lease.lost]));
    await completeBuild(builder, claimed, built);
  } catch (error) {
    if (signal.aborted) return await store.write.releaseExport({ work, now: await store.database.now() });
    if (lease.lost.aborted) return;
    onFailure(error, { repo, atRepoSeq, tries });
    await store.write.failExport({ work, tries, reason: reasonOf(error), now: await store.database.now() });
  } finally {
    lease.end();
  }
}

type Artifact = Omit<BuiltExport, 'work' | 'now'>;

async function writeArtifact(
  { store, blobs }: ExportBuilder,
  claimed: ClaimedExport,
  signal: AbortSignal,
): Promise<Artifact> {
  const { work, claims } = claimed;
  const blobKey = exportBlobKey({ repoId: work.repoId, buildId: work.key, claim: claims });
  const hash = createHash('sha256');
  let [bytes, recordCount] = [0, 0];
  async function* counted() {
    const lines = exportLines(store, claimed);
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await lines.next();
      if (done) {
        recordCount = value;
        return;
      }
      hash.update(value);
      bytes += value.length;
      yield value;
      // The piece is written. Freeing it here avoids tens of megabytes of garbage before a collection.
      value.buffer.transfer(0);
    }
  }
  await blobs.write(blobKey, counted(), signal);
  return { blobKey, recordCount, bytes, sha256: hash.digest('hex') };
}

async function completeBuild(
  { store, blobs }: ExportBuilder,
  { work, claims }: ClaimedExport,
  built: Artifact,
): Promise<void> {
  const held = await store.write.completeExport({ work, ...built, now: await store.database.now() });
  if (!held) return await blobs.remove(built.blobKey);
  for (let claim = 1; claim < claims; claim++) {
    await blobs.remove(exportBlobKey({ repoId: work.repoId, buildId: work.key, claim }));
  }
}

function reasonOf(error: unknown): string {
  if (diskFaultIn(fileFault(error)) === 'disk_full') return NO_ROOM;
  return error instanceof CairnError ? error.message : UNEXPECTED;
}
