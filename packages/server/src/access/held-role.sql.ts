// The roles that an account holds.
import type { OrganizationRole, RepositoryRole } from '@cairn/protocol/roles';
import type { Reader } from '../engine/database.ts';

export interface HeldRole {
  readonly orgId: number;
  readonly repoId: number | undefined;
  /** As `org` or `org/repo`. */
  readonly resource: string;
  readonly role: OrganizationRole | RepositoryRole;
}

interface HeldRoleRow {
  readonly organization_id: number;
  readonly repo_id: number | null;
  readonly resource: string;
  readonly role: OrganizationRole | RepositoryRole;
}

/** The roles of an account, by the name of what they are for. */
export async function listHeldRoles(reader: Reader, accountId: number, limit: number): Promise<HeldRole[]> {
  const rows = await reader.query<HeldRoleRow>(
    `select organization.id as organization_id, null as repo_id, organization.name as resource, member.role
     from member join organization on organization.id = member.organization_id where member.account_id = $1
     union all select organization.id, repository.id, organization.name || '/' || repository.name, repository_role.role
     from repository_role join repository on repository.id = repository_role.repo_id
     join organization on organization.id = repository.organization_id
     where repository_role.account_id = $1 and repository.deleted_at is null
     order by resource limit $2`,
    [accountId, limit],
  );
  return rows.map(({ organization_id, repo_id, resource, role }) => ({
    orgId: organization_id,
    repoId: repo_id ?? undefined,
    resource,
    role,
  }));
}
