// Roles for single repositories, which take the place of what the organization role gives there: who has which, and how
// that changes. Who is not known by the email that is given is invited instead.
import { fail } from '@cairn/protocol/errors';
import type { Person, RepositoryRoleResult } from '@cairn/protocol/member';
import type { RepositoryRole } from '@cairn/protocol/roles';
import type { Grant } from '../access/grant.rule.ts';
import { type FoundPerson, findPerson, noSuchAccount, refuseDeactivated } from '../account/person.sql.ts';
import type { Reader, Transaction } from '../engine/database.ts';
import {
  cancelInvitation,
  changeInvitation,
  createInvitation,
  findInvitation,
  type Inviter,
  inRepository,
  notInvited,
} from './invitation.sql.ts';
import { type Holder, type HolderRow, type MemberPage, type RoleChange, toHolder } from './member.sql.ts';

export async function listRepositoryRoles(
  reader: Reader,
  { repoId }: Grant,
  { after, limit }: MemberPage,
): Promise<Holder<RepositoryRole>[]> {
  const rows = await reader.query<HolderRow<RepositoryRole>>(
    `select account.handle, repository_role.role, repository_role.created_at
     from repository_role join account on account.id = repository_role.account_id
     where repository_role.repo_id = $1 and account.handle > $2 order by account.handle limit $3`,
    [repoId, after, limit],
  );
  return rows.map(toHolder);
}

export interface RepositoryRoleChange {
  readonly grant: Grant;
  readonly person: Person;
  /** `null` takes it away: what the organization role gives holds again. */
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
  // A link that is left over must not bring back what was taken away.
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

/** Or an admin of one repository could take it from those who own all of them. */
async function refuseOwner(
  tx: Transaction,
  { orgId, repository }: Grant,
  { accountId, handle }: FoundPerson,
): Promise<void> {
  const sql = "select 1 as one from member where organization_id = $1 and account_id = $2 and role = 'owner'";
  if ((await tx.query(sql, [orgId, accountId])).length === 0) return;
  throw fail('CONFLICT', {
    message: `${handle} is an owner of ${repository.orgName}, and is admin in all its repositories.`,
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
  // Not as if it were done: who has this unverified email may have a role here, which stays.
  if (before === undefined) throw notInvited(email);
  if (role === null) {
    await cancelInvitation(tx, place, email);
    return { holder: { email, pending: true, role, expiresAt: before.expiresAt }, invited: false };
  }
  const { expiresAt } = await changeInvitation(tx, place, { email, role, inviter, now });
  return { holder: { email, pending: true, role, expiresAt }, invited: true };
}
