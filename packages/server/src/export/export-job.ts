// Export jobs (spec 2.2 to 2.4, 3): requested, built in the background (export/export-build.job.ts) and redeemed by
// token. Checkpoints are named exports that stay until they are deleted.
import assert from 'node:assert';
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { Checkpoint, ExportMinted, ExportStatus } from '@cairn/protocol/export';
import { EXPORT_FORMAT_VERSION } from '@cairn/protocol/version';
import { authorOf, ownerOf } from '../access/access.ts';
import { auditedIn, shownAuthor } from '../access/audit.ts';
import type { Context, Operation } from '../access/context.ts';
import { openList } from '../access/cursor.ts';
import type { Grant } from '../access/grant.rule.ts';
import { type FoundCheckpoint, listCheckpoints as findCheckpoints } from './checkpoint.sql.ts';
import { authorizeExport, decodeExportToken, type ExportPin, encodeExportToken, pinOf } from './export.ts';
import { type ExportJob, type ExportMint, findExportJob } from './export-job.sql.ts';

const URL_TTL_MS = 15 * 60_000;

export async function mintExport(context: Context, grant: Grant, pin: ExportPin): Promise<ExportMinted> {
  const { store, keys } = context;
  const jobId = await store.write.mintExport(await newExport(context, grant, pin));
  return {
    exportToken: encodeExportToken(keys.exportToken, { repoId: grant.repoId, jobId }),
    atRepoSeq: pin.atRepoSeq,
  };
}

export async function newExport(
  { principal, limits, store }: Context,
  grant: Grant,
  pin: ExportPin,
): Promise<ExportMint> {
  const { sinceRepoSeq, atRepoSeq } = pin;
  assert('accountId' in principal, 'only accounts can export');
  return {
    grant,
    accountId: principal.accountId,
    owner: ownerOf(principal),
    formatVersion: EXPORT_FORMAT_VERSION,
    sinceRepoSeq,
    atRepoSeq,
    waitingMax: limits.exportJobsWaiting,
    now: await store.database.now(),
  };
}

export const getExportStatus: Operation<'export.status'> = async (context, { exportToken, ...address }) => {
  return await redeemExport(context, await authorizeExport(context, address), exportToken);
};

/** Any caller who may export the repository can redeem any token of it. */
export async function redeemExport(context: Context, grant: Grant, token: string): Promise<ExportStatus> {
  const { store, keys } = context;
  const name = decodeExportToken(keys.exportToken, token);
  if (name?.repoId !== grant.repoId) {
    throw fail('export-token-unknown', {
      message: 'No export job of this repository has this token. Mint one with prefer=async.',
    });
  }
  const { jobId } = name;
  const job = await findExportJob(store.database, grant, jobId, await store.database.now());
  if (job === undefined) throw expired();
  const message = `The export could not be built. ${job.reason}`;
  if (job.state === 'failed') throw fail('export-job-failed', { message });
  if (job.state !== 'complete') return { state: job.state, atRepoSeq: job.atRepoSeq };
  return await signed(context, grant, { jobId, job });
}

async function signed(
  { store, blobs }: Context,
  grant: Grant,
  { jobId, job }: { jobId: string; job: ExportJob },
): Promise<ExportStatus> {
  const { atRepoSeq, recordCount, sha256 } = job;
  assert(recordCount !== null && sha256 !== null, 'a complete export has its figures');
  // Storages count in whole seconds.
  const until = Math.floor(Date.now() / 1_000) * 1_000 + URL_TTL_MS;
  // Before the link is signed, so that the file stays as long as the link works.
  const key = await store.write.signExport({ grant, jobId, until });
  if (key === undefined) throw expired();
  const url = await blobs.sign({ key, fileName: fileNameOf(grant, job), sha256, until });
  return { state: 'complete', url, expiresAt: until, atRepoSeq, recordCount, contentSha256: sha256 };
}

function fileNameOf({ repository }: Grant, { sinceRepoSeq, atRepoSeq }: ExportJob): string {
  const range = sinceRepoSeq === 0 ? `${atRepoSeq}` : `${sinceRepoSeq}-${atRepoSeq}`;
  return `${repository.orgName}-${repository.name}-${range}.ndjson`;
}

function expired(): CairnError {
  return fail('export-token-expired', { message: 'The export job has expired. Mint another with prefer=async.' });
}

export const listCheckpoints: Operation<'repo.checkpoints'> = async (context, { limit, cursor, ...address }) => {
  const { store } = context;
  const grant = await authorizeExport(context, address);
  const list = openList<[string]>(context, 'repo.checkpoints', { repoId: grant.repoId }, { cursor, limit });
  const [after] = list.after ?? [''];
  const found = await findCheckpoints(store.database, grant, { after, limit: limit + 1, now: Date.now() });
  const page = list.toPage(found, ({ name }) => [name]);
  return { ...page, items: page.items.map((checkpoint) => toCheckpoint(context, grant, checkpoint)) };
};

export const createCheckpoint: Operation<'repo.createCheckpoint'> = async (
  context,
  { name, description, atRepoSeq, ...address },
) => {
  const grant = await authorizeExport(context, address, 'repo:checkpoint-generate');
  const pin = pinOf(grant, { atRepoSeq });
  const made = await context.store.write.createCheckpoint(
    { ...(await newExport(context, grant, pin)), name, description, createdBy: authorOf(context.principal) },
    auditedIn(context, grant, 'repo.createCheckpoint', { name, atRepoSeq: pin.atRepoSeq }),
  );
  return toCheckpoint(context, grant, made);
};

export const deleteCheckpoint: Operation<'repo.deleteCheckpoint'> = async (context, { name, ...address }) => {
  const grant = await authorizeExport(context, address, 'repo:checkpoint-generate');
  const deleted = await context.store.write.deleteCheckpoint(
    { grant, name, now: Date.now() },
    auditedIn(context, grant, 'repo.deleteCheckpoint', { name }),
  );
  return toCheckpoint(context, grant, deleted);
};

function toCheckpoint({ keys }: Context, grant: Grant, { job, jobId, ...checkpoint }: FoundCheckpoint): Checkpoint {
  const { state, atRepoSeq, recordCount, sha256 } = job;
  return shownAuthor(grant, {
    ...checkpoint,
    state,
    atRepoSeq,
    exportToken: encodeExportToken(keys.exportToken, { repoId: grant.repoId, jobId }),
    ...(recordCount !== null && { recordCount }),
    ...(sha256 !== null && { contentSha256: sha256 }),
  });
}
