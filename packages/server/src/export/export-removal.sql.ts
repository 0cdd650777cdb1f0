// Removes built exports that no job, checkpoint or signed link needs. The build is retired first, then its files and
// finally its row go, so a crash or concurrent job does no harm.
import { type SystemGrant, systemGrant } from '../access/grant.rule.ts';
import type { Reader, Transaction } from '../engine/database.ts';
import { exportBlobKey, isKept } from './export-job.sql.ts';

export interface ExportAddress {
  readonly grant: SystemGrant;
  readonly buildId: string;
  readonly claims: number;
}

type BuildRow = Omit<ExportAddress, 'grant'> & { readonly repoId: number };

const BUILD_COLUMNS = 'repo_id as "repoId", build_id as "buildId", claims';

const hasJobs = (build: string, { now, repo }: { now: string; repo: string }) => `exists (select 1 from export_job
  where export_job.repo_id = ${repo} and export_job.build_id = ${build}.build_id and ${isKept(now, repo)})`;

export async function findUnneededExports(
  reader: Reader,
  { now, limit }: { now: number; limit: number },
): Promise<ExportAddress[]> {
  const rows = await reader.query<BuildRow>(
    `select ${BUILD_COLUMNS} from export_build b
     where state <> 'waiting' and signed_until <= $1 and not ${hasJobs('b', { now: '$1', repo: 'b.repo_id' })} order by repo_id, build_id limit $2`,
    [now, limit],
  );
  return rows.map(toAddress);
}

export async function findExportsOf(reader: Reader, { repoId }: SystemGrant): Promise<ExportAddress[]> {
  const sql = `select ${BUILD_COLUMNS} from export_build where repo_id = $1`;
  return (await reader.query<BuildRow>(sql, [repoId])).map(toAddress);
}

function toAddress({ repoId, ...build }: BuildRow): ExportAddress {
  return { grant: systemGrant(repoId, 'export removal'), ...build };
}

export function blobKeysOf({ grant: { repoId }, buildId, claims }: ExportAddress): string[] {
  return Array.from({ length: claims }, (_, index) => exportBlobKey({ repoId, buildId, claim: index + 1 }));
}

export async function retireExport(
  tx: Transaction,
  { grant: { repoId }, buildId, now }: ExportAddress & { now: number },
): Promise<boolean> {
  const address = [repoId, buildId];
  await tx.query(`select build_id from export_build where repo_id = $1 and build_id = $2 ${tx.forUpdate}`, address);
  // A separate statement, so that it sees the changes of the previous lock holder.
  const retired = await tx.query(
    `update export_build set state = 'removing' where repo_id = $1 and build_id = $2 and state <> 'waiting'
       and signed_until <= $3 and not ${hasJobs('export_build', { now: '$3', repo: '$1' })} returning build_id`,
    [...address, now],
  );
  if (retired.length === 0) return false;
  await tx.query('delete from export_job where repo_id = $1 and build_id = $2', address);
  return true;
}

export async function rebuildExports(
  tx: Transaction,
  { grant: { repoId }, now }: { grant: SystemGrant; now: number },
): Promise<ExportAddress[]> {
  const builds = await tx.query<BuildRow>(
    `update export_build set state = 'waiting', tries = 0, blob_key = null
     where repo_id = $1 and state in ('waiting', 'complete') returning ${BUILD_COLUMNS}`,
    [repoId],
  );
  for (const { buildId } of builds) {
    await tx.query(
      `insert into work (repo_id, kind, work_key, owner, due_at) values ($1, 'export', $2, '', $3)
       on conflict (repo_id, kind, work_key) do update set claim = null, due_at = excluded.due_at`,
      [repoId, buildId, now],
    );
  }
  return builds.map(toAddress);
}

export async function forgetExport(tx: Transaction, { grant: { repoId }, buildId }: ExportAddress): Promise<void> {
  await tx.query(`delete from export_build where repo_id = $1 and build_id = $2 and state = 'removing'`, [
    repoId,
    buildId,
  ]);
}
