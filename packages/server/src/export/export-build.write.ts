// The files that exports are built into, from the claim to the end: complete, or failed after three tries. Only who still
// holds the work may say how it ended.

import { type SystemGrant, systemGrant } from '../access/grant.rule.ts';
import type { Transaction } from '../engine/database.ts';
import { type ClaimedWork, claimWork, finishWork, releaseWork, type WorkWish } from '../engine/work.ts';

export const EXPORT_TRIES_MAX = 3;
/** How long a token can be redeemed once its build has ended. */
export const EXPORT_KEPT_MS = 24 * 3_600_000;
const RETRY_AFTER_MS = 5_000;

export interface ClaimedExport {
  readonly work: ClaimedWork;
  readonly grant: SystemGrant;
  /** org/name, as it is called now. */
  readonly repo: string;
  readonly sinceRepoSeq: number;
  readonly atRepoSeq: number;
  /** How often it was taken up, this time included. */
  readonly claims: number;
  /** How often it failed or was cut off, if this time does too. */
  readonly tries: number;
}

/** Where one claim of a build writes to: no two ever write to the same place. */
export function exportBlobKey({ repoId, buildId, claim }: { repoId: number; buildId: string; claim: number }): string {
  return `export-${repoId}-${buildId}-${claim}`;
}

interface BuildRow {
  readonly since_seq: number;
  readonly at_seq: number;
  readonly claims: number;
  readonly tries: number;
}

export async function claimExport(tx: Transaction, wish: Omit<WorkWish, 'kind'>): Promise<ClaimedExport | undefined> {
  const work = await claimWork(tx, { ...wish, kind: 'export' });
  if (work === undefined) return undefined;
  const { repoId, key: buildId } = work;
  // It counts as a try from the beginning: one that brings the process down must not do so for ever.
  const [row] = await tx.query<BuildRow>(
    `update export_build set claims = claims + 1, tries = tries + 1 where repo_id = $1 and build_id = $2
     returning since_seq, at_seq, claims, tries`,
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
  const { since_seq: sinceRepoSeq, at_seq: atRepoSeq, claims, tries } = row;
  const grant = systemGrant(repoId, 'export build');
  return { work, grant, ...names, sinceRepoSeq, atRepoSeq, claims, tries };
}

export interface BuiltExport {
  readonly work: ClaimedWork;
  readonly blobKey: string;
  readonly recordCount: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly now: number;
}

/** Answers whether the work was still held; if not, the file is nobody's. */
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

/** After a try that failed: it is tried again a little later, or it has failed for good, for this reason. */
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

/** For a node that stops: another goes on at once, and it was no try. */
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
