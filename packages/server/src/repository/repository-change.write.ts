// Changes existing repositories. Each operation re-checks the state in its transaction, because authorization happened
// before it.
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { Repository, RepositoryDeletion } from '@cairn/protocol/organization';
import type { OrganizationEvent } from '@cairn/protocol/vocabulary';
import { type Grant, homeIdOf, type OrganizationGrant } from '../access/grant.rule.ts';
import { joinedTrace } from '../action/firing.sql.ts';
import { beginRuns } from '../action/run.write.ts';
import type { Transaction, Value } from '../engine/database.ts';
import { organizationArchived, organizationNotFound } from './organization.sql.ts';
import {
  RESTORABLE_MS,
  type RepositoryRow,
  readRepositoryRow,
  refuseTakenName,
  repositoryNotFound,
  toFound,
} from './repository.sql.ts';

export async function updateRepository(
  tx: Transaction,
  update: { grant: Grant; displayName?: string | undefined; description?: string | undefined },
): Promise<Repository> {
  const { grant, displayName = null, description = null } = update;
  await lockWritable(tx, grant);
  return await change(tx, 'display_name = coalesce($2, display_name), description = coalesce($3, description)', [
    grant.repoId,
    displayName,
    description,
  ]);
}

export async function renameRepository(
  tx: Transaction,
  { grant, newName }: { grant: Grant; newName: string },
): Promise<Repository> {
  const row = await lockWritable(tx, grant);
  if (row.name === newName) return toFound(row).repository;
  const place = { organizationId: row.organization_id, orgName: row.org_name, name: newName, exceptId: row.id };
  await refuseTakenName(tx, place);
  const renamed = await change(
    tx,
    'name = $2, display_name = case when display_name = name then $2 else display_name end',
    [grant.repoId, newName],
  );
  const data = { from: `${row.org_name}/${row.name}`, to: `${row.org_name}/${newName}` };
  await tellOfRepository(tx, { event: 'repo.renamed', repoId: row.id, orgId: row.organization_id, data });
  return renamed;
}

export async function setRepositoryVisibility(
  tx: Transaction,
  { grant, visibility }: { grant: Grant; visibility: Repository['visibility'] },
): Promise<Repository> {
  await lockWritable(tx, grant);
  return await change(tx, 'visibility = $2', [grant.repoId, visibility]);
}

export async function configureRepository(
  tx: Transaction,
  { grant, streamSubmissions }: { grant: Grant; streamSubmissions?: boolean | undefined },
): Promise<Repository> {
  await lockWritable(tx, grant);
  const streams = streamSubmissions === undefined ? null : Number(streamSubmissions);
  return await change(tx, 'stream_submissions = coalesce($2, stream_submissions)', [grant.repoId, streams]);
}

/** The repository keeps its id, so all records, versions and wrefs stay valid. */
export async function transferRepository(
  tx: Transaction,
  { grant, newOrganization }: { grant: Grant; newOrganization: OrganizationGrant },
): Promise<Repository> {
  const { orgId } = newOrganization;
  const row = await lockWritable(tx, grant);
  if (row.organization_id === orgId) return toFound(row).repository;
  const [organization] = await tx.query<{ name: string; archived_at: number | null }>(
    'select name, archived_at from organization where id = $1',
    [orgId],
  );
  if (organization === undefined) throw organizationNotFound();
  if (organization.archived_at !== null) throw organizationArchived(organization.name);
  await refuseTakenName(tx, { organizationId: orgId, orgName: organization.name, name: row.name });
  return await change(tx, 'organization_id = $2', [grant.repoId, orgId]);
}

export async function setRepositoryArchived(
  tx: Transaction,
  { grant, archived, now }: { grant: Grant; archived: boolean; now: number },
): Promise<Repository> {
  const row = await lock(tx, grant);
  if (!archived) return await change(tx, 'archived_at = null', [grant.repoId]);
  if (row.archived_at === null) await tellOfRepository(tx, eventOf('repo.archived', row));
  return await change(tx, 'archived_at = coalesce(archived_at, $2)', [grant.repoId, now]);
}

interface RepositoryMoment {
  readonly grant: Grant;
  readonly now: number;
}

export async function deleteRepository(tx: Transaction, { grant, now }: RepositoryMoment): Promise<RepositoryDeletion> {
  await tellOfRepository(tx, eventOf('repo.deleted', await lock(tx, grant)));
  const { orgName, name } = await change(tx, 'deleted_at = $2', [grant.repoId, now]);
  return { orgName, name, deletedAt: now, finalAt: now + RESTORABLE_MS };
}

export async function restoreRepository(tx: Transaction, { grant, now }: RepositoryMoment): Promise<Repository> {
  const { deleted_at: deletedAt } = await lockAny(tx, grant);
  if (deletedAt !== null && deletedAt <= now - RESTORABLE_MS) throw repositoryNotFound();
  const waiting = `update work set due_at = $2 where repo_id = $1 and kind = 'delivery' and claim is null and due_at > $2`;
  await tx.query(waiting, [grant.repoId, now]);
  return await change(tx, 'deleted_at = null', [grant.repoId]);
}

/** For commits, which hold the sequence lock. Archiving, deleting and importing take that lock first. */
export async function requireWritable(tx: Transaction, grant: Grant): Promise<void> {
  const row = await requirePresent(tx, grant);
  if (row.importing !== null) throw repositoryImporting(row);
}

export async function requirePresent(tx: Transaction, { repoId }: Grant): Promise<RepositoryRow> {
  const row = await readRepositoryRow(tx, repoId);
  if (row === undefined || row.deleted_at !== null) throw repositoryNotFound();
  if (row.org_archived_at !== null) throw organizationArchived(row.org_name);
  if (row.archived_at !== null) throw repositoryArchived(row);
  return row;
}

function repositoryImporting({ org_name, name }: RepositoryRow): CairnError {
  return fail('CONFLICT', {
    message: `An import into ${org_name}/${name} is in progress, and the repository takes no writes until it is complete. Finish the import, or abort it.`,
    details: { reason: 'importing' },
  });
}

/** Locks the rows, on PostgreSQL too, so that the check still holds when they change. */
async function lockAny(tx: Transaction, { repoId }: Grant): Promise<RepositoryRow> {
  await tx.query(`select repo_seq from repo_sequence where repo_id = $1 ${tx.forUpdate}`, [repoId]);
  await tx.query(`select id from repository where id = $1 ${tx.forUpdate}`, [repoId]);
  const row = await readRepositoryRow(tx, repoId);
  if (row === undefined) throw repositoryNotFound();
  return row;
}

async function lock(tx: Transaction, grant: Grant): Promise<RepositoryRow> {
  const row = await lockAny(tx, grant);
  if (row.deleted_at !== null) throw repositoryNotFound();
  return row;
}

async function lockWritable(tx: Transaction, grant: Grant): Promise<RepositoryRow> {
  const row = await lock(tx, grant);
  if (row.org_archived_at !== null) throw organizationArchived(row.org_name);
  if (row.archived_at !== null) throw repositoryArchived(row);
  return row;
}

function repositoryArchived({ org_name, name }: RepositoryRow): CairnError {
  return fail('ARCHIVED', { message: `The repository ${org_name}/${name} is archived. Unarchive it first.` });
}

async function change(
  tx: Transaction,
  assignments: string,
  values: readonly [number, ...Value[]],
): Promise<Repository> {
  await tx.query(`update repository set ${assignments} where id = $1`, values);
  const row = await readRepositoryRow(tx, values[0]);
  if (row === undefined) throw repositoryNotFound();
  return toFound(row).repository;
}

interface ToldEvent {
  readonly event: OrganizationEvent;
  readonly repoId: number;
  readonly orgId: number;
  readonly data: Readonly<Record<string, string>>;
}

export function eventOf(
  event: OrganizationEvent,
  row: { id: number; organization_id: number; org_name: string; name: string },
): ToldEvent {
  const data = { orgName: row.org_name, repoName: row.name };
  return { event, repoId: row.id, orgId: row.organization_id, data };
}

export async function tellOfRepository(tx: Transaction, { event, repoId, orgId, data }: ToldEvent): Promise<void> {
  // Subscriptions of other repositories get no lifecycle events; those concern the organization alone.
  const homes = [repoId, homeIdOf({ orgId })];
  const watches = await tx.query<{ home_id: number; subscription_id: string }>(
    'select home_id, subscription_id from watch where repo_id in ($1, $2) and home_id = repo_id and event = $3',
    [...homes, event],
  );
  const trace = joinedTrace(undefined);
  const now = Date.now();
  const run = { event: `cairn.${event}`, ...trace, originRepoId: null, repoSeq: null, matched: '[]' };
  for (const homeId of homes) {
    const told = watches.filter(({ home_id }) => home_id === homeId);
    const runs = told.map(({ subscription_id }) => ({
      subscriptionId: subscription_id,
      ...run,
      data: JSON.stringify(data),
    }));
    await beginRuns(tx, { homeId, runs, now });
  }
}
