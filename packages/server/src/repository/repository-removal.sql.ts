// Removes the rows of a deleted repository permanently, in steps that block other writes only briefly.
import { type SystemGrant, systemGrant } from '../access/grant.rule.ts';
import { removeWatchesBy } from '../action/firing.sql.ts';
import type { BulkStatement, Reader, Transaction } from '../engine/database.ts';

export interface RepositoryTable {
  readonly name: string;
  readonly owner: string;
  readonly key: readonly string[];
  readonly where?: string;
}

/** A test compares this list with the schema. References are removed with either end. */
export const REPOSITORY_TABLES: readonly RepositoryTable[] = [
  {
    name: 'ref',
    owner: 'target_repo_id',
    key: ['target_id', 'role', 'repo_id', 'record_id', 'path', 'from_seq'],
  },
  {
    name: 'ref',
    owner: 'repo_id',
    key: ['target_repo_id', 'target_id', 'role', 'record_id', 'path', 'from_seq'],
    where: 'repo_id <> target_repo_id',
  },
  { name: 'rename', owner: 'repo_id', key: ['record_id', 'repo_seq', 'op_index'] },
  { name: 'field_index', owner: 'repo_id', key: ['shape_id', 'field_id', 'value', 'record_id', 'from_seq'] },
  { name: 'shape_field', owner: 'repo_id', key: ['shape_id', 'field_id'] },
  { name: 'stream_refusal', owner: 'repo_id', key: ['owner', 'stream_id', 'line'] },
  { name: 'stream_token', owner: 'repo_id', key: ['owner', 'stream_id', 'label'] },
  { name: 'stream', owner: 'repo_id', key: ['owner', 'stream_id'] },
  { name: 'receipt', owner: 'repo_id', key: ['owner', 'submission_id'] },
  { name: '"commit"', owner: 'repo_id', key: ['repo_seq'] },
  { name: 'name', owner: 'repo_id', key: ['shape_id', 'name', 'from_seq'] },
  { name: 'version', owner: 'repo_id', key: ['record_id', 'version'] },
  { name: 'record', owner: 'repo_id', key: ['record_id'] },
  { name: 'import_line', owner: 'repo_id', key: ['line'] },
  { name: 'import_entry', owner: 'repo_id', key: ['repo_seq', 'record_id', 'version', 'renamed'] },
  { name: 'import', owner: 'repo_id', key: ['import_id'] },
  { name: 'repository_role', owner: 'repo_id', key: ['account_id'] },
  { name: 'token_scope', owner: 'repo_id', key: ['token_id', 'entry'] },
  { name: 'component_token', owner: 'repo_id', key: ['id'] },
  { name: 'component_shape', owner: 'repo_id', key: ['shape_id'] },
  { name: 'component_install', owner: 'repo_id', key: ['install_id'] },
  { name: 'invitation', owner: 'repo_id', key: ['email'], where: 'repo_id is not null' },
  { name: 'checkpoint', owner: 'repo_id', key: ['name'] },
  { name: 'export_job', owner: 'repo_id', key: ['job_id'] },
  { name: 'export_build', owner: 'repo_id', key: ['build_id'] },
  { name: 'work', owner: 'repo_id', key: ['kind', 'work_key'] },
  { name: 'notification', owner: 'repo_id', key: ['created_at', 'notification_id'] },
  { name: 'attempt', owner: 'repo_id', key: ['run_id', 'attempt', 'target'] },
  { name: 'run', owner: 'repo_id', key: ['run_id'] },
  { name: 'outbox', owner: 'repo_id', key: ['repo_seq', 'home_id', 'subscription_id'] },
  { name: 'watch', owner: 'repo_id', key: ['home_id', 'subscription_id'] },
  { name: 'watch', owner: 'home_id', key: ['subscription_id'] },
  { name: 'subscription', owner: 'repo_id', key: ['subscription_id'] },
  { name: 'credential_event', owner: 'repo_id', key: ['credential_set_id', 'at', 'event_id'] },
  { name: 'credential_key', owner: 'repo_id', key: ['credential_set_id', 'key'] },
  { name: 'credential_set', owner: 'repo_id', key: ['credential_set_id'] },
  { name: 'repo_sequence', owner: 'repo_id', key: [] },
];

export async function findRemovable(
  reader: Reader,
  { deletedUntil, limit }: { deletedUntil: number; limit: number },
): Promise<SystemGrant[]> {
  const rows = await reader.query<{ id: number }>(
    'select id from repository where deleted_at <= $1 order by deleted_at limit $2',
    [deletedUntil, limit],
  );
  return rows.map(({ id }) => systemGrant(id, 'final deletion'));
}

export async function removeRepository(
  tx: Transaction,
  { grant, deletedUntil, rowsMax }: { grant: SystemGrant; deletedUntil: number; rowsMax: number },
): Promise<boolean> {
  const { repoId } = grant;
  // A node with a slow clock must not restore a half-removed repository.
  const begun = await tx.query('update repository set deleted_at = 0 where id = $1 and deleted_at <= $2 returning id', [
    repoId,
    deletedUntil,
  ]);
  if (begun.length === 0) return true;
  await forgetSource(tx, repoId);
  await removeWatchesBy(tx, repoId);
  let rowsLeft = rowsMax;
  for (const table of REPOSITORY_TABLES) {
    rowsLeft -= await removeRows(tx, table, { repoId, rowsMax: rowsLeft });
    if (rowsLeft <= 0) return false;
  }
  await tx.query('delete from repository where id = $1', [repoId]);
  return true;
}

async function forgetSource(tx: Transaction, repoId: number): Promise<void> {
  const watches = await tx.query<{ home_id: number; subscription_id: string }>(
    'select home_id, subscription_id from watch where repo_id = $1 and home_id <> $1',
    [repoId],
  );
  await tx.bulk(PAUSE, { common: [], rows: watches.map((watch) => [watch.home_id, watch.subscription_id]) });
}

const PAUSED = `active = 0, paused_reason = 'The source repository was deleted.'`;
const pauseSet = (home: string) => `update subscription s set ${PAUSED}
  from unnest($1::bigint[], $2::text[]) as k (home_id, subscription_id)
  where s.repo_id = ${home} and s.subscription_id = k.subscription_id collate "C"`;

const PAUSE: BulkStatement = {
  each: `update subscription set ${PAUSED} where repo_id = $1 and subscription_id = $2`,
  set: pauseSet('k.home_id'),
  shard: { column: 0, set: pauseSet('$3') },
};

/** Deletes by key, because the engines share no `delete ... limit`. */
export async function removeRows(
  tx: Transaction,
  { name, owner, key, where = 'true' }: RepositoryTable,
  { repoId, rowsMax }: { repoId: number; rowsMax: number },
): Promise<number> {
  const columns = key.join(', ');
  const owned = `${owner} = $1 and ${where}`;
  const [end] =
    key.length === 0
      ? []
      : await tx.query(`select ${columns} from ${name} where ${owned} order by ${columns} limit 1 offset $2`, [
          repoId,
          rowsMax,
        ]);
  if (end === undefined) {
    return (await tx.query(`delete from ${name} where ${owned} returning ${owner}`, [repoId])).length;
  }
  const places = key.map((_, index) => `$${index + 2}`).join(', ');
  await tx.query(`delete from ${name} where ${owned} and (${columns}) < (${places})`, [
    repoId,
    ...key.map((column) => end[column] ?? null),
  ]);
  return rowsMax;
}
