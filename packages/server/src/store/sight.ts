// What an account sees, and by what: what is public, or what one of its roles is for.
import type { OrganizationRole, RepositoryRole } from '@cairn/protocol/roles';
import type { Reader } from './database.ts';
import { organizationRole, repositoryRole } from './role.ts';

const PUBLIC = "repository.visibility = 'public' and repository.deleted_at is null";

interface SightRow {
  readonly open: number | boolean;
  readonly role: string | null;
}

/** `undefined` where the account sees nothing. */
export async function seesPlace(
  reader: Reader,
  accountId: number,
  { orgId = 0, repoId }: { readonly orgId?: number | undefined; readonly repoId?: number | undefined },
): Promise<'public' | 'role' | undefined> {
  const [row] = await (repoId === undefined
    ? reader.query<SightRow>(
        `select exists (select 1 from repository where organization_id = organization.id and ${PUBLIC}) as open,
           ${organizationRole('$2')} as role from organization where id = $1`,
        [orgId, accountId],
      )
    : reader.query<SightRow>(
        `select (${PUBLIC}) as open, coalesce(${repositoryRole('$2')}, ${organizationRole('$2')}) as role
         from repository join organization on organization.id = repository.organization_id where repository.id = $1`,
        [repoId, accountId],
      ));
  if (row === undefined) return undefined;
  if (row.open) return 'public';
  return row.role === null ? undefined : 'role';
}

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
