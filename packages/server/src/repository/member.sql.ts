// Members of organizations and roles for single repositories. An unknown email gets an invitation instead.
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { Member, Person, RepositoryRoleResult } from '@cairn/protocol/organization';
import type { OrganizationRole, RepositoryRole } from '@cairn/protocol/scopes';
import type { Grant, OrganizationGrant } from '../access/grant.rule.ts';
import { type FoundPerson, findPerson, noSuchAccount, refuseDeactivated } from '../account/account.sql.ts';
import type { Reader, Transaction } from '../engine/database.ts';
import {
  alreadyInvited,
  cancelInvitation,
  cancelInvitationsWithin,
  changeInvitation,
  createInvitation,
  findInvitation,
  type Inviter,
  inOrganization,
  inRepository,
  notInvited,
} from './invitation.sql.ts';

interface RoleRow<Role> {
  readonly role: Role;
  readonly createdAt: number;
}

interface Holder<Role> extends RoleRow<Role> {
  readonly handle: string;
  readonly pending: false;
}

export interface MemberPage {
  readonly after: string;
  readonly limit: number;
}

export async function listMembers(
  reader: Reader,
  { orgId }: OrganizationGrant,
  { after, limit }: MemberPage,
): Promise<Holder<OrganizationRole>[]> {
  const rows = await reader.query<Omit<Holder<OrganizationRole>, 'pending'>>(
    `select account.handle, member.role, member.created_at as "createdAt" from member join account on account.id = member.account_id
     where member.organization_id = $1 and account.handle > $2 order by account.handle limit $3`,
    [orgId, after, limit],
  );
  return rows.map((row) => ({ ...row, pending: false }));
}

interface RoleChange<Holder> {
  readonly holder: Holder;
  readonly invited: boolean;
}

interface MemberChange {
  readonly grant: OrganizationGrant;
  readonly person: Person;
  readonly role: OrganizationRole | null;
  readonly expected: 'new' | 'member';
  readonly mayChangeOwners: boolean;
  readonly inviter: Inviter;
  readonly now: number;
}

/** Locks the organization's row, so that concurrent changes cannot remove the last two owners. */
export async function setMember(tx: Transaction, change: MemberChange): Promise<RoleChange<Member>> {
  const { grant, person, expected } = change;
  await tx.query(`select id from organization where id = $1 ${tx.forUpdate}`, [grant.orgId]);
  await requireStillAdmin(tx, change);
  const found = await findPerson(tx, person);
  const before = found && (await memberRole(tx, grant, found.accountId));
  const pending = found === undefined || (before === undefined && expected === 'member');
  if ('email' in person && pending) return await setPendingMember(tx, { ...change, email: person.email });
  if (found === undefined) throw noSuchAccount('handle' in person ? person.handle : person.email);
  return { holder: await setFoundMember(tx, change, { ...found, before }), invited: false };
}

/** The caller may have been removed meanwhile: of two admins who remove each other, the second fails. */
async function requireStillAdmin(tx: Transaction, { grant, inviter, mayChangeOwners }: MemberChange): Promise<void> {
  const now = await memberRole(tx, grant, inviter.accountId);
  if (now?.role === 'owner' || (now?.role === 'admin' && !mayChangeOwners)) return;
  throw fail('CONFLICT', {
    message: 'Your own role has just changed. Check your role, and try again if it still allows this.',
    details: { reason: 'role_changed' },
  });
}

type FoundMember = FoundPerson & { readonly before: RoleRow<OrganizationRole> | undefined };

async function setFoundMember(
  tx: Transaction,
  { grant, role, expected, mayChangeOwners, now }: MemberChange,
  found: FoundMember,
): Promise<Member> {
  const { accountId, handle, email, emailVerified, before } = found;
  if (expected === 'member' && before === undefined)
    throw fail('NOT_FOUND', { message: `${handle} is not a member. List the members.` });
  if (expected === 'new') {
    if (before !== undefined) {
      const message = `${handle} is already a member, as ${before.role}. Change the role instead.`;
      throw fail('ALREADY_EXISTS', { message });
    }
    refuseDeactivated(found);
  }
  if ((role === 'owner' || before?.role === 'owner') && role !== before?.role) {
    if (!mayChangeOwners) throw ownersOnly();
    if (before?.role === 'owner') await refuseLastOwner(tx, grant, accountId);
  }
  if (role === null) await cancelInvitationsWithin(tx, grant, email);
  else if (emailVerified) await cancelInvitation(tx, inOrganization(grant), email);
  const key = [grant.orgId, accountId];
  if (role === null) {
    await tx.query('delete from member where organization_id = $1 and account_id = $2', key);
    await dropRepositoryRoles(tx, grant, accountId);
  } else {
    // A repository role could be lower than owner.
    if (role === 'owner') await dropRepositoryRoles(tx, grant, accountId);
    await tx.query(
      `insert into member (organization_id, account_id, role, created_at) values ($1, $2, $3, $4)
       on conflict (organization_id, account_id) do update set role = excluded.role`,
      [...key, role, now],
    );
  }
  const held = role ?? before?.role ?? 'viewer';
  return { handle, pending: false, role: held, createdAt: before?.createdAt ?? now };
}

async function setPendingMember(
  tx: Transaction,
  { grant, email, role, expected, mayChangeOwners, inviter, now }: MemberChange & { email: string },
): Promise<RoleChange<Member>> {
  const place = inOrganization(grant);
  const before = await findInvitation(tx, place, { email, now });
  // Also when the role stays owner, because the inviter answers for the role on acceptance.
  if ((role === 'owner' || before?.role === 'owner') && !mayChangeOwners) throw ownersOnly();
  if (expected === 'new' && role !== null) {
    if (before !== undefined) throw alreadyInvited(before);
    return { holder: await createInvitation(tx, place, { email, role, inviter, now }), invited: true };
  }
  if (before === undefined) throw notInvited(email);
  if (role !== null) {
    return { holder: await changeInvitation(tx, place, { email, role, inviter, now }), invited: true };
  }
  await cancelInvitation(tx, place, email);
  return { holder: before, invited: false };
}

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
): Promise<RoleRow<OrganizationRole> | undefined> {
  const [row] = await tx.query<RoleRow<OrganizationRole>>(
    'select role, created_at as "createdAt" from member where organization_id = $1 and account_id = $2',
    [orgId, accountId],
  );
  return row;
}

async function refuseLastOwner(
  tx: Transaction,
  { orgId, organization }: OrganizationGrant,
  accountId: number,
): Promise<void> {
  const others = await tx.query(
    `select 1 as one from member join account on account.id = member.account_id
     where member.organization_id = $1 and member.role = 'owner' and member.account_id <> $2
     and account.deactivated_at is null limit 1`,
    [orgId, accountId],
  );
  if (others.length > 0) return;
  throw fail('CONFLICT', {
    message: `${organization.name} needs at least one owner with an active account. Make someone else an owner first.`,
    details: { reason: 'last_owner' },
  });
}

function ownersOnly(): CairnError {
  return fail('FORBIDDEN', {
    message: 'Only owners with the scope org:admin can add and remove owners. Ask an owner.',
    details: { missing: ['org:admin'] },
  });
}

export async function listRepositoryRoles(
  reader: Reader,
  { repoId }: Grant,
  { after, limit }: MemberPage,
): Promise<Holder<RepositoryRole>[]> {
  const rows = await reader.query<Omit<Holder<RepositoryRole>, 'pending'>>(
    `select account.handle, repository_role.role, repository_role.created_at as "createdAt"
     from repository_role join account on account.id = repository_role.account_id
     where repository_role.repo_id = $1 and account.handle > $2 order by account.handle limit $3`,
    [repoId, after, limit],
  );
  return rows.map((row) => ({ ...row, pending: false }));
}

interface RepositoryRoleChange {
  readonly grant: Grant;
  readonly person: Person;
  readonly role: RepositoryRole | null;
  readonly inviter: Inviter;
  readonly now: number;
}

export async function setRepositoryRole(
  tx: Transaction,
  change: RepositoryRoleChange,
): Promise<RoleChange<RepositoryRoleResult>> {
  const { grant, person, role, now } = change;
  const found = await findPerson(tx, person);
  if (found === undefined) {
    if ('handle' in person) throw noSuchAccount(person.handle);
    return await setPendingRole(tx, { ...change, email: person.email });
  }
  const { accountId, handle, email, emailVerified } = found;
  if (role !== null) {
    refuseDeactivated(found);
    await refuseOwner(tx, grant, found);
  }
  if (role === null || emailVerified) await cancelInvitation(tx, inRepository(grant), email);
  const key = [grant.repoId, accountId];
  if (role === null) await tx.query('delete from repository_role where repo_id = $1 and account_id = $2', key);
  else {
    await tx.query(
      `insert into repository_role (repo_id, account_id, role, created_at) values ($1, $2, $3, $4)
       on conflict (repo_id, account_id) do update set role = excluded.role`,
      [...key, role, now],
    );
  }
  return { holder: { handle, pending: false, role }, invited: false };
}

/** Otherwise an admin of one repository could lower the role of the organization's owners. */
async function refuseOwner(
  tx: Transaction,
  { orgId, repository }: Grant,
  { accountId, handle }: FoundPerson,
): Promise<void> {
  const sql = "select 1 as one from member where organization_id = $1 and account_id = $2 and role = 'owner'";
  if ((await tx.query(sql, [orgId, accountId])).length === 0) return;
  throw fail('CONFLICT', {
    message: `${handle} is an owner of ${repository.orgName}, and therefore admin in all its repositories. Change the organization role instead.`,
    details: { reason: 'owner' },
  });
}

async function setPendingRole(
  tx: Transaction,
  { grant, email, role, inviter, now }: RepositoryRoleChange & { email: string },
): Promise<RoleChange<RepositoryRoleResult>> {
  const place = inRepository(grant);
  const before = await findInvitation(tx, place, { email, now });
  if (role !== null && before === undefined) {
    const { createdAt: _, ...holder } = await createInvitation(tx, place, { email, role, inviter, now });
    return { holder, invited: true };
  }
  // Success would mislead: an account with this unverified email may have a role, which stays.
  if (before === undefined) throw notInvited(email);
  if (role === null) {
    await cancelInvitation(tx, place, email);
    return { holder: { email, pending: true, role, expiresAt: before.expiresAt }, invited: false };
  }
  const { expiresAt } = await changeInvitation(tx, place, { email, role, inviter, now });
  return { holder: { email, pending: true, role, expiresAt }, invited: true };
}
