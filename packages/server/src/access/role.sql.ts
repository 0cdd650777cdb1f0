// Roles in SQL: an account's role in an organization, and in a single repository, where it takes precedence.
import type { OrganizationRole, RepositoryRole } from '@cairn/protocol/scopes';
import type { Reader, Value } from '../engine/database.ts';

/** An id that no account has, for callers without an account. */
export const NOBODY = 0;

export interface Roles {
  readonly organization: OrganizationRole | null;
  readonly repository: RepositoryRole | null;
}

export const roleColumns = (account: string) => `${organizationRole(account)} as organization_role,
  ${repositoryRole(account)} as repository_role`;

export const organizationRole = (account: string) =>
  `(select role from member where member.organization_id = organization.id and member.account_id = ${account})`;

/** Owners are admins in the whole organization, so an earlier or transferred repository role must not lower them. */
export const repositoryRole = (account: string) => `(select role from repository_role
  where repository_role.repo_id = repository.id and repository_role.account_id = ${account}
  and not exists (select 1 from member where member.organization_id = repository.organization_id
    and member.account_id = ${account} and member.role = 'owner'))`;

export interface HeldRole {
  readonly orgId: number;
  readonly repoId: number | undefined;
  readonly resource: string;
  readonly role: OrganizationRole | RepositoryRole;
}

export async function listHeldRoles(reader: Reader, accountId: number, limit: number): Promise<HeldRole[]> {
  const rows = await reader.query<Omit<HeldRole, 'repoId'> & { readonly repoId: number | null }>(
    `select organization.id as "orgId", null as "repoId", organization.name as resource, member.role
     from member join organization on organization.id = member.organization_id where member.account_id = $1
     union all select organization.id, repository.id, organization.name || '/' || repository.name, repository_role.role
     from repository_role join repository on repository.id = repository_role.repo_id
     join organization on organization.id = repository.organization_id
     where repository_role.account_id = $1 and repository.deleted_at is null
     order by resource limit $2`,
    [accountId, limit],
  );
  return rows.map((row) => ({ ...row, repoId: row.repoId ?? undefined }));
}

export interface Level {
  readonly repositories: ReadonlyMap<number, boolean>;
  readonly organizations: ReadonlyMap<number, boolean>;
  readonly elsewhere: boolean;
}

interface Way {
  readonly organizationRoles: readonly OrganizationRole[];
  readonly repositoryRoles: readonly RepositoryRole[];
  readonly levels: readonly Level[];
}

/** A caller's role and token as an SQL condition, so that list pages are full although rows are hidden. */
export interface Reach {
  readonly accountId: number;
  readonly ways: readonly Way[];
}

export class Parameters {
  readonly values: Value[] = [];

  add(value: Value): string {
    return `$${this.values.push(value)}`;
  }
}

export function reachesOrganization(reach: Reach, parameters: Parameters): string {
  const account = accountIn(reach, parameters);
  return either(reach, (way) => {
    const role = isOneOf(() => organizationRole(account()), way.organizationRoles);
    return [role, ...way.levels.map((level) => allows(level, parameters, 'organization'))];
  });
}

export function reachesRepository(reach: Reach, parameters: Parameters): string {
  const account = accountIn(reach, parameters);
  return either(reach, ({ organizationRoles, repositoryRoles, levels }) => {
    const inOrganization = isOneOf(() => organizationRole(account()), organizationRoles);
    const inRepository = isOneOf(() => repositoryRole(account()), repositoryRoles);
    const role =
      inOrganization === FALSE && inRepository === FALSE
        ? FALSE
        : `case when ${repositoryRole(account())} is null then ${inOrganization} else ${inRepository} end`;
    return [role, ...levels.map((level) => allows(level, parameters, 'repository'))];
  });
}

const FALSE = 'false';

function either({ ways }: Reach, conditionsOf: (way: Way) => string[]): string {
  const alternatives = ways.map((way) => `(${conditionsOf(way).join(' and ')})`);
  return alternatives.length === 0 ? FALSE : `(${alternatives.join(' or ')})`;
}

/** Adds the account on first use, because PostgreSQL refuses unused parameters. */
function accountIn({ accountId }: Reach, parameters: Parameters): () => string {
  let place: string | undefined;
  return () => {
    place ??= parameters.add(accountId);
    return place;
  };
}

/** Role names are constants, so inlining them is safe. */
function isOneOf(role: () => string, roles: readonly string[]): string {
  return roles.length === 0 ? FALSE : `coalesce(${role()} in (${roles.map((name) => `'${name}'`).join(', ')}), false)`;
}

function allows(
  { repositories, organizations, elsewhere }: Level,
  parameters: Parameters,
  rows: 'organization' | 'repository',
): string {
  const cases = (column: string, places: ReadonlyMap<number, boolean>) =>
    [...places].map(([id, allowed]) => `when ${column} = ${parameters.add(id)} then ${allowed}`);
  const all = [
    ...(rows === 'repository' ? cases('repository.id', repositories) : []),
    ...cases('organization.id', organizations),
  ];
  return all.length === 0 ? String(elsewhere) : `case ${all.join(' ')} else ${elsewhere} end`;
}
