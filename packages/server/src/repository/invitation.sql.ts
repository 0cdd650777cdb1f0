// Invitations that wait: to an organization, or to one repository. How they are accepted stands in
// invitation-acceptance.sql.ts.
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { OrganizationRole, RepositoryRole } from '@cairn/protocol/roles';
import type { Grant, OrganizationGrant } from '../access/grant.rule.ts';
import type { Reader, Transaction } from '../engine/database.ts';

const LIFETIME_MS = 14 * 86_400_000;

/** What an invitation is to. */
export interface Place<Role extends string> {
  readonly column: 'organization_id' | 'repo_id';
  readonly id: number;
  /** Never there: it says to the compiler which roles can be given in the place. */
  readonly role?: Role;
}

export function inOrganization({ orgId }: OrganizationGrant): Place<OrganizationRole> {
  return { column: 'organization_id', id: orgId };
}

export function inRepository({ repoId }: Grant): Place<RepositoryRole> {
  return { column: 'repo_id', id: repoId };
}

/** Who asks, and the code of the invitation, should it come to one. */
export interface Inviter {
  readonly accountId: number;
  readonly codeHash: string;
}

export interface Invitation<Role extends string> {
  readonly pending: true;
  readonly email: string;
  readonly role: Role;
  readonly createdAt: number;
  readonly expiresAt: number;
}

interface InvitationRow<Role extends string> {
  readonly email: string;
  readonly role: Role;
  readonly created_at: number;
  readonly expires_at: number;
}

const COLUMNS = 'email, role, created_at, expires_at';

function toInvitation<Role extends string>(row: InvitationRow<Role>): Invitation<Role> {
  return { pending: true, email: row.email, role: row.role, createdAt: row.created_at, expiresAt: row.expires_at };
}

export interface InvitationPage {
  /** The email after which the page begins. */
  readonly after: string;
  readonly limit: number;
  readonly now: number;
}

export async function listInvitations<Role extends string>(
  reader: Reader,
  { column, id }: Place<Role>,
  { after, limit, now }: InvitationPage,
): Promise<Invitation<Role>[]> {
  const rows = await reader.query<InvitationRow<Role>>(
    `select ${COLUMNS} from invitation where ${column} = $1 and email > $2 and expires_at > $3 order by email limit $4`,
    [id, after, now, limit],
  );
  return rows.map(toInvitation);
}

export interface InvitedEmail {
  readonly email: string;
  readonly now: number;
}

export async function findInvitation<Role extends string>(
  reader: Reader,
  { column, id }: Place<Role>,
  { email, now }: InvitedEmail,
): Promise<Invitation<Role> | undefined> {
  const [row] = await reader.query<InvitationRow<Role>>(
    `select ${COLUMNS} from invitation where ${column} = $1 and email = $2 and expires_at > $3`,
    [id, email, now],
  );
  return row && toInvitation(row);
}

export interface RoleOffer<Role extends string> extends InvitedEmail {
  readonly role: Role;
  readonly inviter: Inviter;
}

export async function createInvitation<Role extends string>(
  tx: Transaction,
  { column, id }: Place<Role>,
  { email, role, inviter, now }: RoleOffer<Role>,
): Promise<Invitation<Role>> {
  // Nobody sees those that ran out, and one of them may stand in the way.
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
 * Who set the role last is who invites: they must be able to give it when it is accepted. The link of before ends, or who
 * was shown it could take a role that was never meant for them.
 */
export async function changeInvitation<Role extends string>(
  tx: Transaction,
  { column, id }: Place<Role>,
  { email, role, inviter, now }: RoleOffer<Role>,
): Promise<Invitation<Role>> {
  const [row] = await tx.query<InvitationRow<Role>>(
    `update invitation set role = $4, invited_by = $5, code_hash = $6, expires_at = $7
     where ${column} = $1 and email = $2 and expires_at > $3 returning ${COLUMNS}`,
    [id, email, now, role, inviter.accountId, inviter.codeHash, now + LIFETIME_MS],
  );
  if (row === undefined) throw notInvited(email);
  return toInvitation(row);
}

export async function cancelInvitation<Role extends string>(
  tx: Transaction,
  { column, id }: Place<Role>,
  email: string,
): Promise<void> {
  await tx.query(`delete from invitation where ${column} = $1 and email = $2`, [id, email]);
}

/** Those to an organization and to its repositories: a link that is left over must not bring back who was removed. */
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
    message: `There is no pending invitation to ${email}, nor a role of an account with this verified email. List who has a role, and use the handle.`,
  });
}

export function alreadyInvited({ email, role, expiresAt }: Invitation<string>): CairnError {
  const until = new Date(expiresAt).toISOString();
  return fail('ALREADY_EXISTS', {
    message: `${email} is invited already, as ${role}, until ${until}. Change the role instead; for another link, remove the invitation and invite anew.`,
  });
}
