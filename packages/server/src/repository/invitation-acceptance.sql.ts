// How an invitation is accepted. The link proves that somebody has its code, not that the mailbox is theirs: only the
// invitation of that code is redeemed, never another one to the same address.
import { type CairnError, fail } from '@cairn/protocol/errors';
import {
  ORGANIZATION_ROLES,
  type OrganizationRole,
  REPOSITORY_ROLES,
  type RepositoryRole,
} from '@cairn/protocol/roles';
import type { Scope } from '@cairn/protocol/scopes';
import { type Roles, roleColumns } from '../access/role.sql.ts';
import { createAccount, type NewAccount } from '../account/account.sql.ts';
import { createIdentity, type NewIdentity } from '../account/external/external-identity.sql.ts';
import { signInRefused } from '../account/password.sql.ts';
import type { Reader, Transaction } from '../engine/database.ts';

export interface RedeemableInvitation {
  readonly email: string;
  readonly orgName: string;
  /** Where it is to one repository. */
  readonly repoName: string | undefined;
  readonly role: string;
  /** The handle of who invites. */
  readonly invitedBy: string;
}

interface InvitationRow {
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

export interface InvitationCode {
  readonly codeHash: string;
  readonly now: number;
}

/** Refuses what cannot be accepted any more. */
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

async function findRow(reader: Reader, { codeHash, now }: InvitationCode): Promise<InvitationRow> {
  const [row] = await reader.query<InvitationRow>(
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

/** Authority lasts no longer than it holds: who was removed or demoted since cannot leave a door open behind them. */
function mayStillGive({ repo_id, offered_role, deactivated_at, ...roles }: InvitationRow): boolean {
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
  /** An account to make, or the one that has the email, with the hash that its password was held against. */
  readonly account: NewAccount | { readonly accountId: number; readonly passwordHash: string };
  /** What the account that is made signs in with. */
  readonly identity?: NewIdentity | undefined;
}

export interface AcceptedInvitation {
  readonly handle: string;
  readonly orgName: string;
  readonly repoName?: string;
  readonly role: string;
  /** Whether the account had a role there before, which it keeps. The invitation is used up all the same. */
  readonly before: boolean;
}

export async function acceptInvitation(
  tx: Transaction,
  { account, identity, codeHash, now }: Acceptance,
): Promise<AcceptedInvitation> {
  await lockOrganization(tx, codeHash);
  const row = await findRow(tx, { codeHash, now });
  // Of callers with the same code, the one that deletes the row goes on, and the others find none.
  const used = await tx.query('delete from invitation where code_hash = $1 returning code_hash', [codeHash]);
  if (used.length === 0) throw invitationRefused();
  const { id, handle } = 'accountId' in account ? await findJoining(tx, account) : await createAccount(tx, account);
  if (identity !== undefined) await createIdentity(tx, { ...identity, accountId: id });
  const before = !(await giveRole(tx, { row, accountId: id, now }));
  const { org_name: orgName, repo_name: repoName, offered_role: role } = row;
  return { handle, orgName, ...(repoName !== null && { repoName }), role, before };
}

/** First, as who changes members does: roles stay as they are until this is done, and nobody waits in a circle. */
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

interface Gift {
  readonly row: InvitationRow;
  readonly accountId: number;
  readonly now: number;
}

/** Whether it was given: a role that is held already stays as it is, or an old link could take rights away. */
async function giveRole(tx: Transaction, { row, accountId, now }: Gift): Promise<boolean> {
  const { organization_id: orgId, repo_id: repoId, offered_role: role } = row;
  if (repoId === null) {
    const given = await tx.query(
      `insert into member (organization_id, account_id, role, created_at) values ($1, $2, $3, $4)
       on conflict (organization_id, account_id) do nothing returning account_id`,
      [orgId, accountId, role, now],
    );
    return given.length > 0;
  }
  // A role in the organization counts too: the one for the repository would take its place, down as well as up.
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

/** Unknown, used, cancelled and expired are one and the same answer. */
function invitationRefused(): CairnError {
  return fail('UNAUTHENTICATED', {
    message: 'The invitation is unknown, used, cancelled or expired. Ask whoever sent you the link for another.',
  });
}

function invitationVoid({ handle, org_name, repo_name, offered_role }: InvitationRow): CairnError {
  const place = repo_name === null ? org_name : `${org_name}/${repo_name}`;
  return fail('CONFLICT', {
    message: `The invitation is void: ${handle} can no longer make anybody ${offered_role} of ${place}. Ask somebody there who can to invite you.`,
    details: { reason: 'void_invitation' },
  });
}
