import { fail } from '@cairn/protocol/errors';
import type { Grant } from '../access/grant.rule.ts';
import type { Reader, Transaction } from '../engine/database.ts';
import { findHeldWork } from '../engine/work.ts';
import { type ExportJob, type ExportMint, JOB_COLUMNS, mintExport, toJob } from './export-job.sql.ts';

export interface FoundCheckpoint {
  readonly name: string;
  readonly description: string;
  readonly jobId: string;
  readonly job: ExportJob;
  readonly createdBy: string;
  readonly createdAt: number;
}

const SELECT = `select checkpoint.name, checkpoint.description, checkpoint.job_id as "jobId",
    checkpoint.created_at as "createdAt", checkpoint.created_by as "createdBy", ${JOB_COLUMNS}
  from checkpoint
  join export_job on export_job.repo_id = checkpoint.repo_id and export_job.job_id = checkpoint.job_id
  join export_build on export_build.repo_id = checkpoint.repo_id and export_build.build_id = export_job.build_id`;

export async function listCheckpoints(
  reader: Reader,
  { repoId }: Grant,
  { after, limit, now }: { after: string; limit: number; now: number },
): Promise<FoundCheckpoint[]> {
  return await findWhere(reader, {
    sql: `${SELECT} where checkpoint.repo_id = $1 and checkpoint.name > $2 order by checkpoint.name limit $3`,
    values: [repoId, after, limit],
    now,
  });
}

async function findCheckpoint(
  reader: Reader,
  { repoId, name, now }: { repoId: number; name: string; now: number },
): Promise<FoundCheckpoint> {
  const [found] = await findWhere(reader, {
    sql: `${SELECT} where checkpoint.repo_id = $1 and checkpoint.name = $2`,
    values: [repoId, name],
    now,
  });
  if (found !== undefined) return found;
  throw fail('NOT_FOUND', { message: `There is no checkpoint ${name}. repo.checkpoints lists all checkpoints.` });
}

async function findWhere(
  reader: Reader,
  { sql, values, now }: { sql: string; values: readonly [repoId: number, ...(string | number)[]]; now: number },
): Promise<FoundCheckpoint[]> {
  const rows = await reader.query<Omit<FoundCheckpoint, 'job'> & Parameters<typeof toJob>[0]>(sql, values);
  const running = await findHeldWork(reader, { repoId: values[0], kind: 'export', now });
  return rows.map(({ name, description, jobId, createdBy, createdAt, ...job }) => {
    return { name, description, jobId, job: toJob(job, running), createdBy, createdAt };
  });
}

interface NewCheckpoint extends ExportMint {
  readonly name: string;
  readonly description: string;
  readonly createdBy: string;
}

export async function createCheckpoint(tx: Transaction, checkpoint: NewCheckpoint): Promise<FoundCheckpoint> {
  const { grant, name, description, createdBy, now } = checkpoint;
  const { repoId } = grant;
  await refuseTakenName(tx, { repoId, name });
  const jobId = await mintExport(tx, checkpoint);
  await tx.query(
    `insert into checkpoint (repo_id, name, job_id, description, created_at, created_by) values ($1, $2, $3, $4, $5, $6)`,
    [repoId, name, jobId, description, now, createdBy],
  );
  return await findCheckpoint(tx, { repoId, name, now });
}

async function refuseTakenName(tx: Transaction, { repoId, name }: { repoId: number; name: string }): Promise<void> {
  const taken = await tx.query('select name from checkpoint where repo_id = $1 and name = $2', [repoId, name]);
  if (taken.length === 0) return;
  throw fail('ALREADY_EXISTS', {
    message: `The checkpoint ${name} exists already. Choose another name, or delete that checkpoint first.`,
  });
}

export async function deleteCheckpoint(
  tx: Transaction,
  { grant: { repoId }, name, now }: { grant: Grant; name: string; now: number },
): Promise<FoundCheckpoint> {
  const found = await findCheckpoint(tx, { repoId, name, now });
  await tx.query('delete from checkpoint where repo_id = $1 and name = $2', [repoId, name]);
  return found;
}
