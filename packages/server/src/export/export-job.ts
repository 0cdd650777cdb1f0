// Export jobs (spec 2.2 to 2.4, 3): minted, built in the background (export/export-build.job.ts), and redeemed by their token.
import assert from 'node:assert';
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { ExportMinted, ExportStatus } from '@cairn/protocol/export';
import type { ProcedureArguments } from '@cairn/protocol/procedures';
import { EXPORT_FORMAT_VERSION } from '@cairn/protocol/version';
import { ownerOf } from '../access/audit.ts';
import type { Context } from '../access/context.ts';
import type { Grant } from '../access/grant.rule.ts';
import type { ExportPin } from './export.ts';
import { authorizeExport, decodeExportToken, encodeExportToken } from './export-access.ts';
import { type ExportJob, type ExportMint, findExportJob } from './export-job.sql.ts';

const URL_TTL_MS = 15 * 60_000;

export async function mintExport(context: Context, grant: Grant, pin: ExportPin): Promise<ExportMinted> {
  const { store, keys } = context;
  const jobId = await store.write('mintExport', await newExport(context, grant, pin));
  return {
    exportToken: encodeExportToken(keys.exportToken, { repoId: grant.repoId, jobId }),
    atRepoSeq: pin.atRepoSeq,
  };
}

/** What the store is to know of an export that a caller asks for. */
export async function newExport(
  { principal, limits, store }: Context,
  grant: Grant,
  pin: ExportPin,
): Promise<ExportMint> {
  const { sinceRepoSeq, atRepoSeq } = pin;
  assert('accountId' in principal, 'only accounts export');
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

export async function getExportStatus(
  context: Context,
  { exportToken, ...address }: ProcedureArguments<'export.status'>,
): Promise<ExportStatus> {
  return await redeemExport(context, await authorizeExport(context, address), exportToken);
}

/** Whoever may export the repository may redeem, whoever minted. */
export async function redeemExport(context: Context, grant: Grant, token: string): Promise<ExportStatus> {
  const { store, keys } = context;
  const name = decodeExportToken(keys.exportToken, token);
  if (name?.repoId !== grant.repoId) {
    throw fail('export-token-unknown', {
      message: 'No export job of this repository has this token. Mint one with prefer=async.',
    });
  }
  const { jobId } = name;
  const job = await findExportJob(store.database, grant, { jobId, now: await store.database.now() });
  if (job === undefined) throw expired();
  if (job.state === 'failed') throw fail('export-job-failed', { message: failureOf(job) });
  if (job.state !== 'complete') return { state: job.state, atRepoSeq: job.atRepoSeq };
  return await signed(context, grant, { jobId, job });
}

async function signed(
  { store, blobs }: Context,
  grant: Grant,
  { jobId, job }: { jobId: string; job: ExportJob },
): Promise<ExportStatus> {
  const { atRepoSeq, recordCount, sha256 } = job;
  assert(recordCount !== undefined && sha256 !== undefined, 'a complete export has its figures');
  // Whole seconds, which is what storages count in.
  const until = Math.floor(Date.now() / 1_000) * 1_000 + URL_TTL_MS;
  // Noted before the link is given: the file stays for as long as the link works.
  const key = await store.write('signExport', { grant, jobId, until });
  if (key === undefined) throw expired();
  const url = await blobs.sign({ key, fileName: fileNameOf(grant, job), sha256, until });
  return { state: 'complete', url, expiresAt: until, atRepoSeq, recordCount, contentSha256: sha256 };
}

function fileNameOf({ repository }: Grant, { sinceRepoSeq, atRepoSeq }: ExportJob): string {
  const range = sinceRepoSeq === 0 ? `${atRepoSeq}` : `${sinceRepoSeq}-${atRepoSeq}`;
  return `${repository.orgName}-${repository.name}-${range}.ndjson`;
}

function failureOf({ reason }: ExportJob): string {
  return `The export could not be built. ${reason}`;
}

function expired(): CairnError {
  return fail('export-token-expired', { message: 'The export job has expired. Mint another with prefer=async.' });
}
