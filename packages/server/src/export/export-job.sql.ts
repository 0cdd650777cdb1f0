// Export jobs, which export tokens name. Each owner has a job of their own; jobs for the same export share a build.
import { randomUUID } from 'node:crypto';
import { fail } from '@cairn/protocol/errors';
import { type Grant, type SystemGrant, systemGrant } from '../access/grant.rule.ts';
import type { Reader, Transaction } from '../engine/database.ts';
import {
  type ClaimedWork,
  claimWork,
  countWork,
  enqueueWork,
  findHeldWork,
  finishWork,
  releaseWork,
  type WorkWish,
} from '../engine/work.ts';

const KIND = 'export';
const WAIT_SECONDS = 30;

export interface ExportMint {
  readonly grant: Grant;
  readonly accountId: number;
  readonly owner: string;
  readonly formatVersion: number;
  readonly sinceRepoSeq: number;
  readonly atRepoSeq: number;
  readonly waitingMax: number;
  readonly now: number;
}

/** Returns the job's id. The same request again extends the existing job. */
export async function mintExport(tx: Transaction, mint: ExportMint): Promise<string> {
  const { grant, owner, now } = mint;
  const build = (await findBuild(tx, mint)) ?? (await enqueueBuild(tx, mint));
  const expiresAt = build.state === 'complete' ? now + EXPORT_KEPT_MS : null;
  const [job] = await tx.query<{ job_id: string }>(
    `insert into export_job (repo_id, job_id, build_id, owner, created_at, expires_at) values ($1, $2, $3, $4, $5, $6)
     on conflict (repo_id, build_id, owner) do update set expires_at = excluded.expires_at returning job_id`,
    [grant.repoId, randomUUID(), build.build_id, owner, now, expiresAt],
  );
  if (job === undefined) throw new Error('an export job that was just made cannot be found');
  return job.job_id;
}

interface SharedBuild {
  readonly build_id: string;
  readonly state: 'waiting' | 'complete';
}

/** The lock prevents the removal of the build before the job refers to it. */
async function findBuild(tx: Transaction, mint: ExportMint): Promise<SharedBuild | undefined> {
  const { grant, sinceRepoSeq, atRepoSeq, formatVersion } = mint;
  const [row] = await tx.query<SharedBuild>(
    `select build_id, state from export_build
     where repo_id = $1 and since_seq = $2 and at_seq = $3 and format_version = $4
       and state in ('waiting', 'complete') ${tx.forUpdate}`,
    [grant.repoId, sinceRepoSeq, atRepoSeq, formatVersion],
  );
  return row;
}

async function enqueueBuild(tx: Transaction, mint: ExportMint): Promise<SharedBuild> {
  const { grant, owner, sinceRepoSeq, atRepoSeq, formatVersion, now } = mint;
  const { repoId } = grant;
  await refuseTooMany(tx, mint);
  const buildId = randomUUID();
  await tx.query(
    `insert into export_build (repo_id, build_id, format_version, since_seq, at_seq, state, claims, tries, created_at,
       signed_until) values ($1, $2, $3, $4, $5, 'waiting', 0, 0, $6, 0)`,
    [repoId, buildId, formatVersion, sinceRepoSeq, atRepoSeq, now],
  );
  await enqueueWork(tx, { repoId, kind: KIND, key: buildId, owner, dueAt: now });
  return { build_id: buildId, state: 'waiting' };
}

/** Locks the account, so that concurrent requests count each other. */
async function refuseTooMany(tx: Transaction, { accountId, owner, waitingMax }: ExportMint): Promise<void> {
  await tx.query(`select id from account where id = $1 ${tx.forUpdate}`, [accountId]);
  if ((await countWork(tx, { kind: KIND, owner })) < waitingMax) return;
  throw fail('RATE_LIMITED', {
    message: `You already have ${waitingMax} exports that are waiting or being built. Redeem those first, then mint more.`,
    retryAfter: WAIT_SECONDS,
  });
}

export interface ExportJob {
  readonly state: 'pending' | 'running' | 'complete' | 'failed';
  readonly sinceRepoSeq: number;
  readonly atRepoSeq: number;
  readonly recordCount: number | null;
  readonly sha256: string | null;
  readonly reason: string | null;
}

type JobRow = Omit<ExportJob, 'state'> & {
  readonly buildId: string;
  readonly state: 'waiting' | 'complete' | 'failed';
};

export const JOB_COLUMNS = `export_build.build_id as "buildId", export_build.state, since_seq as "sinceRepoSeq",
  at_seq as "atRepoSeq", record_count as "recordCount", sha256, export_build.reason`;

/** Expired jobs count as missing, unless a checkpoint keeps them. */
export async function findExportJob(
  reader: Reader,
  { repoId }: Grant,
  jobId: string,
  now: number,
): Promise<ExportJob | undefined> {
  const [row] = await reader.query<JobRow>(
    `select ${JOB_COLUMNS} from export_job
     join export_build on export_build.repo_id = export_job.repo_id and export_build.build_id = export_job.build_id
     where export_job.repo_id = $1 and export_job.job_id = $2 and ${isKept('$3', '$1')}`,
    [repoId, jobId, now],
  );
  return row && toJob(row, await findHeldWork(reader, { repoId, kind: KIND, now }));
}

export const isKept = (now: string, repo: string) => `(export_job.expires_at is null or export_job.expires_at > ${now}
  or exists (select 1 from checkpoint where checkpoint.repo_id = ${repo} and checkpoint.job_id = export_job.job_id))`;

export function toJob({ buildId, state, ...row }: JobRow, running: ReadonlySet<string>): ExportJob {
  const waiting = running.has(buildId) ? 'running' : 'pending';
  return { ...row, state: state === 'waiting' ? waiting : state };
}

export async function signExport(
  tx: Transaction,
  { grant, jobId, until }: { grant: Grant; jobId: string; until: number },
): Promise<string | undefined> {
  const [row] = await tx.query<{ blob_key: string }>(
    `update export_build set signed_until = case when signed_until > $3 then signed_until else $3 end
     where repo_id = $1 and state = 'complete'
       and build_id = (select build_id from export_job where repo_id = $1 and job_id = $2)
     returning blob_key`,
    [grant.repoId, jobId, until],
  );
  return row?.blob_key;
}

export const EXPORT_TRIES_MAX = 3;
/** A token works for this long after its build has ended. */
const EXPORT_KEPT_MS = 24 * 3_600_000;
const RETRY_AFTER_MS = 5_000;

export interface ClaimedExport {
  readonly work: ClaimedWork;
  readonly grant: SystemGrant;
  readonly repo: string;
  readonly sinceRepoSeq: number;
  readonly atRepoSeq: number;
  readonly claims: number;
  readonly tries: number;
}

/** Each claim writes to its own key, so two claims never overwrite each other. */
export function exportBlobKey({ repoId, buildId, claim }: { repoId: number; buildId: string; claim: number }): string {
  return `export-${repoId}-${buildId}-${claim}`;
}

export async function claimExport(tx: Transaction, wish: Omit<WorkWish, 'kind'>): Promise<ClaimedExport | undefined> {
  const work = await claimWork(tx, { ...wish, kind: 'export' });
  if (work === undefined) return undefined;
  const { repoId, key: buildId } = work;
  // The attempt counts from the start, so that a build that crashes the process is not repeated forever.
  const [row] = await tx.query<Omit<ClaimedExport, 'work' | 'grant' | 'repo'>>(
    `update export_build set claims = claims + 1, tries = tries + 1 where repo_id = $1 and build_id = $2
     returning since_seq as "sinceRepoSeq", at_seq as "atRepoSeq", claims, tries`,
    [repoId, buildId],
  );
  const [names] = await tx.query<{ repo: string }>(
    `select organization.name || '/' || repository.name as repo
     from repository join organization on organization.id = repository.organization_id where repository.id = $1`,
    [repoId],
  );
  if (row === undefined || names === undefined) {
    await finishWork(tx, work);
    return undefined;
  }
  return { work, grant: systemGrant(repoId, 'export build'), ...names, ...row };
}

export interface BuiltExport {
  readonly work: ClaimedWork;
  readonly blobKey: string;
  readonly recordCount: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly now: number;
}

/** Returns false if the claim was lost; then nobody owns the file. */
export async function completeExport(tx: Transaction, built: BuiltExport): Promise<boolean> {
  const { work, blobKey, recordCount, bytes, sha256, now } = built;
  if (!(await finishWork(tx, work))) return false;
  await tx.query(
    `update export_build set state = 'complete', blob_key = $3, record_count = $4, bytes = $5, sha256 = $6,
       completed_at = $7 where repo_id = $1 and build_id = $2`,
    [work.repoId, work.key, blobKey, recordCount, bytes, sha256, now],
  );
  await setExpiry(tx, work, now);
  return true;
}

export async function failExport(
  tx: Transaction,
  { work, tries, reason, now }: Pick<ClaimedExport, 'work' | 'tries'> & { reason: string; now: number },
): Promise<void> {
  if (tries < EXPORT_TRIES_MAX) {
    await releaseWork(tx, { ...work, dueAt: now + tries * RETRY_AFTER_MS });
    return;
  }
  if (!(await finishWork(tx, work))) return;
  await tx.query(
    `update export_build set state = 'failed', reason = $3, completed_at = $4 where repo_id = $1 and build_id = $2`,
    [work.repoId, work.key, reason, now],
  );
  await setExpiry(tx, work, now);
}

export async function releaseExport(
  tx: Transaction,
  { work, now }: Pick<ClaimedExport, 'work'> & { now: number },
): Promise<void> {
  if (!(await releaseWork(tx, { ...work, dueAt: now }))) return;
  await tx.query('update export_build set tries = tries - 1 where repo_id = $1 and build_id = $2', [
    work.repoId,
    work.key,
  ]);
}

async function setExpiry(tx: Transaction, { repoId, key }: ClaimedWork, now: number): Promise<void> {
  await tx.query('update export_job set expires_at = $3 where repo_id = $1 and build_id = $2', [
    repoId,
    key,
    now + EXPORT_KEPT_MS,
  ]);
}
