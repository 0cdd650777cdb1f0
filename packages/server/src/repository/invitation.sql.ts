// Pending invitations to an organization or a repository, and their acceptance.
import { type CairnError, fail } from '@cairn/protocol/errors';
import {
  ORGANIZATION_ROLES,
  type OrganizationRole,
  REPOSITORY_ROLES,
  type RepositoryRole,
  type Scope,
} from '@cairn/protocol/scopes';
import type { Grant, OrganizationGrant } from '../access/grant.rule.ts';
import { type Roles, roleColumns } from '../access/role.sql.ts';
import { createAccount, type NewAccount } from '../account/account.sql.ts';
import { createIdentity, type NewIdentity } from '../account/external/external-identity.sql.ts';
import { signInRefused } from '../account/password.sql.ts';
import type { Reader, Transaction } from '../engine/database.ts';

const LIFETIME_MS = 14 * 86_400_000;

interface InvitationTarget<Role extends string> {
  readonly column: 'organization_id' | 'repo_id';
  readonly id: number;
  /** Never set: a phantom type that ties the place to its roles. */
  readonly role?: Role;
}

export function inOrganization({ orgId }: OrganizationGrant): InvitationTarget<OrganizationRole> {
  return { column: 'organization_id', id: orgId };
}

export function inRepository({ repoId }: Grant): InvitationTarget<RepositoryRole> {
  return { column: 'repo_id', id: repoId };
}

export interface Inviter {
  readonly accountId: number;
  readonly codeHash: string;
}

interface Invitation<Role extends string> {
  readonly pending: true;
  readonly email: string;
  readonly role: Role;
  readonly createdAt: number;
  readonly expiresAt: number;
}

type InvitationRow<Role extends string> = Omit<Invitation<Role>, 'pending'>;

const INVITATION_COLUMNS = 'email, role, created_at as "createdAt", expires_at as "expiresAt"';

export async function listInvitations<Role extends string>(
  reader: Reader,
  { column, id }: InvitationTarget<Role>,
  { after, limit, now }: { after: string; limit: number; now: number },
): Promise<Invitation<Role>[]> {
  const rows = await reader.query<InvitationRow<Role>>(
    `select ${INVITATION_COLUMNS} from invitation where ${column} = $1 and email > $2 and expires_at > $3 order by email limit $4`,
    [id, after, now, limit],
  );
  return rows.map((row) => ({ pending: true, ...row }));
}

interface InvitedEmail {
  readonly email: string;
  readonly now: number;
}

export async function findInvitation<Role extends string>(
  reader: Reader,
  { column, id }: InvitationTarget<Role>,
  { email, now }: InvitedEmail,
): Promise<Invitation<Role> | undefined> {
  const [row] = await reader.query<InvitationRow<Role>>(
    `select ${INVITATION_COLUMNS} from invitation where ${column} = $1 and email = $2 and expires_at > $3`,
    [id, email, now],
  );
  return row && { pending: true, ...row };
}

interface RoleOffer<Role extends string> extends InvitedEmail {
  readonly role: Role;
  readonly inviter: Inviter;
}

export async function createInvitation<Role extends string>(
  tx: Transaction,
  { column, id }: InvitationTarget<Role>,
  { email, role, inviter, now }: RoleOffer<Role>,
): Promise<Invitation<Role>> {
  // Expired invitations are invisible but would still violate the unique key.
  await tx.query(`delete from invitation where ${column} = $1 and expires_at <= $2`, [id, now]);
  const expiresAt = now + LIFETIME_MS;
  await tx.query(
    `insert into invitation (code_hash, ${column}, email, role, invited_by, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [inviter.codeHash, id, email, role, inviter.accountId, now, expiresAt],
  );
  return { pending: true, email, role, createdAt: now, expiresAt };
}

/**
 * The last to set the role becomes the inviter. The old link ends, or its holder could take a role never meant for
 * them.
 */
export async function changeInvitation<Role extends string>(
  tx: Transaction,
  { column, id }: InvitationTarget<Role>,
  { email, role, inviter, now }: RoleOffer<Role>,
): Promise<Invitation<Role>> {
  const [row] = await tx.query<InvitationRow<Role>>(
    `update invitation set role = $4, invited_by = $5, code_hash = $6, expires_at = $7
     where ${column} = $1 and email = $2 and expires_at > $3 returning ${INVITATION_COLUMNS}`,
    [id, email, now, role, inviter.accountId, inviter.codeHash, now + LIFETIME_MS],
  );
  if (row === undefined) throw notInvited(email);
  return { pending: true, ...row };
}

export async function cancelInvitation<Role extends string>(
  tx: Transaction,
  { column, id }: InvitationTarget<Role>,
  email: string,
): Promise<void> {
  await tx.query(`delete from invitation where ${column} = $1 and email = $2`, [id, email]);
}

/** A leftover link must not bring back a removed member. */
export async function cancelInvitationsWithin(
  tx: Transaction,
  { orgId }: OrganizationGrant,
  email: string,
): Promise<void> {
  await tx.query(
    `delete from invitation where email = $2 and (organization_id = $1
       or repo_id in (select id from repository where organization_id = $1))`,
    [orgId, email],
  );
}

export function notInvited(email: string): CairnError {
  return fail('NOT_FOUND', {
    message: `No pending invitation and no role belongs to the email ${email}. List the roles, and use the handle.`,
  });
}

export function alreadyInvited({ email, role, expiresAt }: Invitation<string>): CairnError {
  const until = new Date(expiresAt).toISOString();
  return fail('ALREADY_EXISTS', {
    message: `${email} is already invited as ${role} until ${until}. Change the role instead. For another link, remove the invitation and invite again.`,
  });
}

export interface RedeemableInvitation {
  readonly email: string;
  readonly orgName: string;
  readonly repoName: string | undefined;
  readonly role: string;
  readonly invitedBy: string;
}

interface AcceptedInvitationRow {
  readonly organization_id: number | null;
  readonly repo_id: number | null;
  readonly email: string;
  readonly offered_role: string;
  readonly org_name: string;
  readonly repo_name: string | null;
  readonly handle: string;
  readonly deactivated_at: number | null;
  readonly organization_role: OrganizationRole | null;
  readonly repository_role: RepositoryRole | null;
}

interface InvitationCode {
  readonly codeHash: string;
  readonly now: number;
}

export async function findRedeemable(reader: Reader, code: InvitationCode): Promise<RedeemableInvitation> {
  const row = await findRow(reader, code);
  return {
    email: row.email,
    orgName: row.org_name,
    repoName: row.repo_name ?? undefined,
    role: row.offered_role,
    invitedBy: row.handle,
  };
}

async function findRow(reader: Reader, { codeHash, now }: InvitationCode): Promise<AcceptedInvitationRow> {
  const [row] = await reader.query<AcceptedInvitationRow>(
    `select invitation.organization_id, invitation.repo_id, invitation.email, invitation.role as offered_role,
       organization.name as org_name, repository.name as repo_name, account.handle, account.deactivated_at,
       ${roleColumns('invitation.invited_by')}
     from invitation left join repository on repository.id = invitation.repo_id
     join organization on organization.id = coalesce(invitation.organization_id, repository.organization_id)
     join account on account.id = invitation.invited_by
     where invitation.code_hash = $1 and invitation.expires_at > $2 and repository.deleted_at is null`,
    [codeHash, now],
  );
  if (row === undefined) throw invitationRefused();
  if (!mayStillGive(row)) throw invitationVoid(row);
  return row;
}

/** An inviter who was removed or demoted since can no longer give the role, so their old invitations fail. */
function mayStillGive({ repo_id, offered_role, deactivated_at, ...roles }: AcceptedInvitationRow): boolean {
  if (deactivated_at !== null) return false;
  const held = scopesOf({ organization: roles.organization_role, repository: roles.repository_role });
  if (repo_id !== null) return held.includes('repo:admin');
  return held.includes(offered_role === 'owner' ? 'org:admin' : 'org:configure');
}

function scopesOf({ organization, repository }: Roles): readonly Scope[] {
  if (repository !== null) return REPOSITORY_ROLES[repository];
  return organization === null ? [] : ORGANIZATION_ROLES[organization];
}

export interface Acceptance extends InvitationCode {
  readonly account: NewAccount | { readonly accountId: number; readonly passwordHash: string };
  readonly identity?: NewIdentity | undefined;
}

export interface AcceptedInvitation {
  readonly handle: string;
  readonly orgName: string;
  readonly repoName?: string;
  readonly role: string;
  /** An existing role is kept, but the invitation is used up. */
  readonly before: boolean;
}

/** The code does not prove ownership of the mailbox, so only the invitation of that code is redeemed. */
export async function acceptInvitation(
  tx: Transaction,
  { account, identity, codeHash, now }: Acceptance,
): Promise<AcceptedInvitation> {
  await lockOrganization(tx, codeHash);
  const row = await findRow(tx, { codeHash, now });
  // Among concurrent callers with the same code, only the one that deletes the row continues.
  const used = await tx.query('delete from invitation where code_hash = $1 returning code_hash', [codeHash]);
  if (used.length === 0) throw invitationRefused();
  const { id, handle } = 'accountId' in account ? await findJoining(tx, account) : await createAccount(tx, account);
  if (identity !== undefined) await createIdentity(tx, { ...identity, accountId: id });
  const before = !(await giveRole(tx, { row, accountId: id, now }));
  const { org_name: orgName, repo_name: repoName, offered_role: role } = row;
  return { handle, orgName, ...(repoName !== null && { repoName }), role, before };
}

/** Same lock order as member changes, which prevents deadlocks and keeps the roles fixed. */
async function lockOrganization(tx: Transaction, codeHash: string): Promise<void> {
  await tx.query(
    `select id from organization where id = (
       select coalesce(invitation.organization_id, repository.organization_id)
       from invitation left join repository on repository.id = invitation.repo_id where invitation.code_hash = $1
     ) ${tx.forUpdate}`,
    [codeHash],
  );
}

async function findJoining(
  tx: Transaction,
  { accountId, passwordHash }: { accountId: number; passwordHash: string },
): Promise<{ id: number; handle: string }> {
  const [row] = await tx.query<{ id: number; handle: string }>(
    'select id, handle from account where id = $1 and password_hash = $2 and deactivated_at is null',
    [accountId, passwordHash],
  );
  if (row === undefined) throw signInRefused();
  return row;
}

/** Returns whether the role was given. An existing role stays, or an old link could take rights away. */
async function giveRole(
  tx: Transaction,
  { row, accountId, now }: { row: AcceptedInvitationRow; accountId: number; now: number },
): Promise<boolean> {
  const { organization_id: orgId, repo_id: repoId, offered_role: role } = row;
  if (repoId === null) {
    const given = await tx.query(
      `insert into member (organization_id, account_id, role, created_at) values ($1, $2, $3, $4)
       on conflict (organization_id, account_id) do nothing returning account_id`,
      [orgId, accountId, role, now],
    );
    return given.length > 0;
  }
  // An organization role counts too: a repository role would override it, also with fewer rights.
  const given = await tx.query(
    `insert into repository_role (repo_id, account_id, role, created_at)
     select $1, $2, $3, $4 where not exists (
       select 1 from repository join member on member.organization_id = repository.organization_id
       where repository.id = $1 and member.account_id = $2)
     on conflict (repo_id, account_id) do nothing returning account_id`,
    [repoId, accountId, role, now],
  );
  return given.length > 0;
}

/** Unknown, used, cancelled and expired invitations are indistinguishable. */
function invitationRefused(): CairnError {
  return fail('UNAUTHENTICATED', {
    message: 'The invitation is unknown, used, cancelled or expired. Ask its sender for another link.',
  });
}

function invitationVoid({ handle, org_name, repo_name, offered_role }: AcceptedInvitationRow): CairnError {
  const place = repo_name === null ? org_name : `${org_name}/${repo_name}`;
  return fail('CONFLICT', {
    message: `The invitation is void, because ${handle} can no longer give the role ${offered_role} in ${place}. Ask an admin there to invite you.`,
    details: { reason: 'void_invitation' },
  });
}
