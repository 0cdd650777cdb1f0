// Members of organizations, and roles for single repositories: who has which, and how they change.
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { Member, RepositoryRoleHolder } from '@cairn/protocol/member';
import type { OrganizationRole, RepositoryRole } from '@cairn/protocol/roles';
import type { Reader, Transaction } from './database.ts';
import type { Grant, OrganizationGrant } from './grant.ts';

interface MemberRow {
  readonly handle: string;
  readonly role: OrganizationRole;
  readonly created_at: number;
}

export interface MemberPage {
  /** The handle after which the page begins. */
  readonly after: string;
  readonly limit: number;
}

export async function listMembers(
  reader: Reader,
  { orgId }: OrganizationGrant,
  { after, limit }: MemberPage,
): Promise<Member[]> {
  const rows = await reader.query<MemberRow>(
    `select account.handle, member.role, member.created_at from member join account on account.id = member.account_id
     where member.organization_id = $1 and account.handle > $2 order by account.handle limit $3`,
    [orgId, after, limit],
  );
  return rows.map(({ handle, role, created_at }) => ({ handle, role, createdAt: created_at }));
}

export interface MemberChange {
  readonly grant: OrganizationGrant;
  readonly handle: string;
  /** `null` ends the membership. */
  readonly role: OrganizationRole | null;
  /** Whether the account must be a member already, or must not be. */
  readonly expected: 'new' | 'member';
  /** Whether who asks may make and unmake owners. */
  readonly mayChangeOwners: boolean;
  readonly now: number;
}

/** Adds, changes or removes a member. The organization's row is held, so that of two last owners one stays. */
export async function setMember(tx: Transaction, change: MemberChange): Promise<Member> {
  const { grant, handle, role, expected, mayChangeOwners, now } = change;
  await tx.query(`select id from organization where id = $1 ${tx.forUpdate}`, [grant.orgId]);
  const accountId = await accountIdOf(tx, handle);
  const before = await memberRole(tx, grant, accountId);
  if (expected === 'member' && before === undefined) throw notAMember(handle);
  if (expected === 'new' && before !== undefined) throw alreadyMember(handle, before.role);
  if ((role === 'owner' || before?.role === 'owner') && role !== before?.role) {
    if (!mayChangeOwners) throw ownersOnly();
    if (before?.role === 'owner') await refuseLastOwner(tx, grant);
  }
  const key = [grant.orgId, accountId];
  if (role === null) {
    await tx.query('delete from member where organization_id = $1 and account_id = $2', key);
    await dropRepositoryRoles(tx, grant, accountId);
  } else {
    await tx.query(
      `insert into member (organization_id, account_id, role, created_at) values ($1, $2, $3, $4)
       on conflict (organization_id, account_id) do update set role = excluded.role`,
      [...key, role, now],
    );
  }
  return { handle, role: role ?? before?.role ?? 'viewer', createdAt: before?.created_at ?? now };
}

/** Who leaves an organization keeps nothing in it. */
async function dropRepositoryRoles(tx: Transaction, { orgId }: OrganizationGrant, accountId: number): Promise<void> {
  await tx.query(
    `delete from repository_role where account_id = $2
     and repo_id in (select id from repository where organization_id = $1)`,
    [orgId, accountId],
  );
}

async function memberRole(
  tx: Transaction,
  { orgId }: OrganizationGrant,
  accountId: number,
): Promise<Omit<MemberRow, 'handle'> | undefined> {
  const [row] = await tx.query<Omit<MemberRow, 'handle'>>(
    'select role, created_at from member where organization_id = $1 and account_id = $2',
    [orgId, accountId],
  );
  return row;
}

async function refuseLastOwner(tx: Transaction, { orgId, organization }: OrganizationGrant): Promise<void> {
  const owners = await tx.query("select 1 as one from member where organization_id = $1 and role = 'owner' limit 2", [
    orgId,
  ]);
  if (owners.length > 1) return;
  throw fail('CONFLICT', {
    message: `${organization.name} keeps at least one owner. Make somebody else an owner first.`,
    details: { reason: 'last_owner' },
  });
}

async function accountIdOf(tx: Transaction, handle: string): Promise<number> {
  const [row] = await tx.query<{ id: number }>('select id from account where handle = $1 and deactivated_at is null', [
    handle,
  ]);
  if (row === undefined)
    throw fail('NOT_FOUND', { message: `There is no account ${handle}. Ask for the right handle.` });
  return row.id;
}

function notAMember(handle: string): CairnError {
  return fail('NOT_FOUND', { message: `${handle} is not a member. List the members to see who is.` });
}

function alreadyMember(handle: string, role: OrganizationRole): CairnError {
  return fail('ALREADY_EXISTS', { message: `${handle} is a member already, as ${role}. Change the role instead.` });
}

function ownersOnly(): CairnError {
  return fail('FORBIDDEN', {
    message: 'Only owners make and unmake owners, with the scope org:admin. Ask one to.',
    details: { missing: ['org:admin'] },
  });
}

export async function listRepositoryRoles(
  reader: Reader,
  { repoId }: Grant,
  { after, limit }: MemberPage,
): Promise<RepositoryRoleHolder[]> {
  const rows = await reader.query<{ handle: string; role: RepositoryRole; created_at: number }>(
    `select account.handle, repository_role.role, repository_role.created_at
     from repository_role join account on account.id = repository_role.account_id
     where repository_role.repo_id = $1 and account.handle > $2 order by account.handle limit $3`,
    [repoId, after, limit],
  );
  return rows.map(({ handle, role, created_at }) => ({ handle, role, createdAt: created_at }));
}

export interface RepositoryRoleChange {
  readonly grant: Grant;
  readonly handle: string;
  /** `null` takes it away: what the organization role gives holds again. */
  readonly role: RepositoryRole | null;
  readonly now: number;
}

export async function setRepositoryRole(
  tx: Transaction,
  { grant, handle, role, now }: RepositoryRoleChange,
): Promise<{ handle: string; role: RepositoryRole | null }> {
  const key = [grant.repoId, await accountIdOf(tx, handle)];
  if (role === null) await tx.query('delete from repository_role where repo_id = $1 and account_id = $2', key);
  else {
    await tx.query(
      `insert into repository_role (repo_id, account_id, role, created_at) values ($1, $2, $3, $4)
       on conflict (repo_id, account_id) do update set role = excluded.role`,
      [...key, role, now],
    );
  }
  return { handle, role };
}
