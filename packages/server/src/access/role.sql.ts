// Roles: what an account may do in an organization, and in a single repository, where that takes the other's place.
import type { OrganizationRole, RepositoryRole } from '@cairn/protocol/roles';

/** An id that no account has: who is not signed in. */
export const NOBODY = 0;

export interface Roles {
  readonly organization: OrganizationRole | null;
  /** Given for this repository alone. */
  readonly repository: RepositoryRole | null;
}

/** Of the account that a parameter names, over rows of `organization` and `repository`. */
export const roleColumns = (account: string) => `${organizationRole(account)} as organization_role,
  ${repositoryRole(account)} as repository_role`;

export const organizationRole = (account: string) =>
  `(select role from member where member.organization_id = organization.id and member.account_id = ${account})`;

/** Owners of the organization are admin everywhere in it, whatever was given to them before, or moved to them. */
export const repositoryRole = (account: string) => `(select role from repository_role
  where repository_role.repo_id = repository.id and repository_role.account_id = ${account}
  and not exists (select 1 from member where member.organization_id = repository.organization_id
    and member.account_id = ${account} and member.role = 'owner'))`;
