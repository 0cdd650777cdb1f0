// A released organization name is reserved for a while, so that old addresses do not lead to strangers.
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { Organization } from '@cairn/protocol/organization';
import type { OrganizationRole } from '@cairn/protocol/scopes';
import type { OrganizationGrant } from '../access/grant.rule.ts';
import { NOBODY, organizationRole, Parameters, type Reach, reachesOrganization } from '../access/role.sql.ts';
import type { Database, Reader, Transaction } from '../engine/database.ts';
import { lockSequences } from './repository-sequence.sql.ts';

const HELD_MS = 90 * 86_400_000;

export interface FoundOrganization {
  readonly orgId: number;
  readonly organization: Organization;
  readonly role: OrganizationRole | null;
}

interface OrganizationRow extends Omit<Organization, 'archived'> {
  readonly id: number;
  readonly personal_account_id: number | null;
  readonly archived_at: number | null;
  readonly role?: OrganizationRole | null;
}

const ORGANIZATION_COLUMNS = `organization.id, organization.name, organization.display_name as "displayName",
  organization.description, organization.personal_account_id, organization.archived_at,
  organization.created_at as "createdAt"`;

const HAS_PUBLIC_REPOSITORY = `exists (select 1 from repository where repository.organization_id = organization.id
  and repository.visibility = 'public' and repository.deleted_at is null)`;

export async function findOrganization(
  reader: Reader,
  name: string,
  accountId = NOBODY,
): Promise<FoundOrganization | undefined> {
  const [row] = await reader.query<OrganizationRow>(
    `select ${ORGANIZATION_COLUMNS}, ${organizationRole('$2')} as role from organization where name = $1`,
    [name, accountId],
  );
  return row && toFound(row);
}

export async function findOrganizationName(reader: Reader, orgId: number): Promise<string | undefined> {
  const [row] = await reader.query<{ name: string }>('select name from organization where id = $1', [orgId]);
  return row?.name;
}

export async function hasPublicRepository(reader: Reader, { orgId }: FoundOrganization): Promise<boolean> {
  const sql = `select 1 as one from organization where id = $1 and ${HAS_PUBLIC_REPOSITORY}`;
  return (await reader.query(sql, [orgId])).length > 0;
}

export async function listOrganizations(
  database: Database,
  { reach, after, limit, beginning = '' }: { reach: Reach; after: string; limit: number; beginning?: string },
): Promise<Organization[]> {
  const parameters = new Parameters();
  const begun = beginning === '' ? '' : `and ${beginsWith('name', beginning, parameters)}`;
  const sql = `select ${ORGANIZATION_COLUMNS} from organization where name > ${parameters.add(after)} ${begun}
    and (${reachesOrganization(reach, parameters)} or ${HAS_PUBLIC_REPOSITORY})
    order by name limit ${parameters.add(limit)}`;
  // The query runs on a worker thread, because it may skip any number of hidden organizations.
  const rows = await database.beside.query<OrganizationRow>(sql, parameters.values);
  return rows.map((row) => toFound(row).organization);
}

function toFound({ id, role = null, ...row }: OrganizationRow): FoundOrganization {
  const { name, displayName, description, createdAt } = row;
  const archived = row.archived_at !== null;
  return { orgId: id, role, organization: { name, displayName, description, archived, createdAt } };
}

/** Missing and hidden organizations get the same answer, so that it reveals nothing. */
export function organizationNotFound(): CairnError {
  return fail('NOT_FOUND', {
    message: 'The organization does not exist, or you may not see it. Check the name, or create it first.',
  });
}

export function organizationArchived(name: string): CairnError {
  return fail('ARCHIVED', { message: `The organization ${name} is archived. Unarchive it first.` });
}

interface NewOrganization {
  readonly name: string;
  readonly displayName?: string | undefined;
  readonly description: string;
  readonly ownerId: number;
  readonly personal?: boolean | undefined;
  readonly now: number;
}

export async function createOrganization(tx: Transaction, organization: NewOrganization): Promise<Organization> {
  const { name, displayName = name, description, ownerId, personal = false, now } = organization;
  const [row] = await tx.query<OrganizationRow>(
    `insert into organization (name, display_name, description, personal_account_id, created_at)
     values ($1, $2, $3, $4, $5) on conflict (name) do nothing returning ${ORGANIZATION_COLUMNS}`,
    [name, displayName, description, personal ? ownerId : null, now],
  );
  if (row === undefined) throw nameTaken(name);
  await releaseHeldName(tx, name, row.id, now);
  await tx.query('insert into member (organization_id, account_id, role, created_at) values ($1, $2, $3, $4)', [
    row.id,
    ownerId,
    'owner',
    now,
  ]);
  return toFound(row).organization;
}

function nameTaken(name: string): CairnError {
  return fail('ALREADY_EXISTS', { message: `The organization ${name} exists already. Choose another name.` });
}

// Taking the name waits for a concurrent rename, whose reservation is then visible. The error undoes the taking.
async function releaseHeldName(tx: Transaction, name: string, orgId: number, now: number): Promise<void> {
  const [held] = await tx.query<{ organization_id: number; held_until: number }>(
    'select organization_id, held_until from held_name where name = $1',
    [name],
  );
  if (held === undefined) return;
  if (held.organization_id !== orgId && held.held_until > now) {
    const until = new Date(held.held_until).toISOString();
    throw fail('ALREADY_EXISTS', {
      message: `The name ${name} is reserved until ${until} for the organization that had it. Choose another name.`,
      details: { heldUntil: held.held_until },
    });
  }
  await tx.query('delete from held_name where name = $1', [name]);
}

interface OrganizationUpdate {
  readonly grant: OrganizationGrant;
  readonly displayName?: string | undefined;
  readonly description?: string | undefined;
}

export async function updateOrganization(tx: Transaction, update: OrganizationUpdate): Promise<Organization> {
  const { grant, displayName = null, description = null } = update;
  await lockWritable(tx, grant);
  return await change(tx, 'display_name = coalesce($2, display_name), description = coalesce($3, description)', [
    grant.orgId,
    displayName,
    description,
  ]);
}

export async function renameOrganization(
  tx: Transaction,
  { grant, newName, now }: { grant: OrganizationGrant; newName: string; now: number },
): Promise<Organization> {
  const { orgId } = grant;
  const row = await lockWritable(tx, grant);
  if (row.name === newName) return toFound(row).organization;
  if (row.personal_account_id !== null) {
    throw fail('CONFLICT', {
      message: `${row.name} is a personal organization. Its name is the handle of its account and cannot change.`,
      details: { reason: 'personal_organization' },
    });
  }
  if ((await findOrganization(tx, newName)) !== undefined) throw nameTaken(newName);
  // A display name equal to the name was not chosen, so it follows the rename.
  const renamed = await change(
    tx,
    'name = $2, display_name = case when display_name = name then $2 else display_name end',
    [orgId, newName],
  );
  await releaseHeldName(tx, newName, orgId, now);
  await tx.query('insert into held_name (name, organization_id, held_until) values ($1, $2, $3)', [
    row.name,
    orgId,
    now + HELD_MS,
  ]);
  await renameComponents(tx, { oldName: row.name, newName });
  return renamed;
}

const NAMES_COMPONENT = ['component_token', 'credential_set', 'subscription', 'watch'] as const;

/** `0` is the character after `/`. */
async function renameComponents(
  tx: Transaction,
  { oldName, newName }: { oldName: string; newName: string },
): Promise<void> {
  for (const table of NAMES_COMPONENT) {
    await tx.query(
      `update ${table} set component = cast($3 as text) || substr(component, $4)
       where component >= $1 and component < $2`,
      [`${oldName}/`, `${oldName}0`, `${newName}/`, oldName.length + 2],
    );
  }
}

export async function setOrganizationArchived(
  tx: Transaction,
  { grant, archived, now }: { grant: OrganizationGrant; archived: boolean; now: number },
): Promise<Organization> {
  if (archived) {
    // Commits lock their repository's sequence. Locking all lets running commits finish before the archiving.
    const sql = 'select id from repository where organization_id = $1';
    const repositories = await tx.query<{ id: number }>(sql, [grant.orgId]);
    await lockSequences(
      tx,
      repositories.map(({ id }) => id),
    );
    return await change(tx, 'archived_at = coalesce(archived_at, $2)', [grant.orgId, now]);
  }
  return await change(tx, 'archived_at = null', [grant.orgId]);
}

/** Locks the row, on PostgreSQL too, so that the check still holds when the row changes. */
export async function lockWritable(tx: Transaction, { orgId }: OrganizationGrant): Promise<OrganizationRow> {
  const sql = `select ${ORGANIZATION_COLUMNS} from organization where id = $1 ${tx.forUpdate}`;
  const [row] = await tx.query<OrganizationRow>(sql, [orgId]);
  if (row === undefined) throw organizationNotFound();
  if (row.archived_at !== null) throw organizationArchived(row.name);
  return row;
}

async function change(
  tx: Transaction,
  assignments: string,
  values: readonly (string | number | null)[],
): Promise<Organization> {
  const sql = `update organization set ${assignments} where id = $1 returning ${ORGANIZATION_COLUMNS}`;
  const [row] = await tx.query<OrganizationRow>(sql, values);
  if (row === undefined) throw organizationNotFound();
  return toFound(row).organization;
}

interface PageStart {
  readonly orgName: string | undefined;
  readonly after: { readonly orgName: string; readonly name: string };
  readonly limit: number;
}

export type PositionCondition = (parameters: Parameters) => string;

export async function listByOrganization<Item>(
  { orgName, after, limit }: PageStart,
  column: string,
  list: (place: PositionCondition, limit: number) => Promise<Item[]>,
): Promise<Item[]> {
  const here = await list((parameters) => {
    const organization = parameters.add(orgName ?? after.orgName);
    return `organization.name = ${organization} and ${column} > ${parameters.add(after.name)}`;
  }, limit);
  if (orgName !== undefined || here.length === limit) return here;
  const beyond = await list(
    (parameters) => `organization.name > ${parameters.add(after.orgName)}`,
    limit - here.length,
  );
  return [...here, ...beyond];
}

/** Sorts after every character that names of organizations and repositories can contain. */
const AFTER_ALL = '~';

/** A prefix condition as a range, which an index on the name answers: names compare by bytes on both engines. */
export function beginsWith(column: string, beginning: string, parameters: Parameters): string {
  return `${column} >= ${parameters.add(beginning)} and ${column} < ${parameters.add(beginning + AFTER_ALL)}`;
}
