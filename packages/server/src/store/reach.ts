// What a caller's role and token reach together, as a condition in SQL. Lists filter with it, so that a page is full and
// its cursor right however much of the table is hidden.
import type { OrganizationRole, RepositoryRole } from '@cairn/protocol/roles';
import type { Value } from './database.ts';
import { organizationRole, repositoryRole } from './role.ts';

/** The roles that suffice, as far as the token lets them. */
export interface Sufficient {
  readonly organizationRoles: readonly OrganizationRole[];
  /** Given for single repositories. */
  readonly repositoryRoles: readonly RepositoryRole[];
}

export interface Reach {
  readonly accountId: number;
  /** Where no entry of the token names the organization or the repository. */
  readonly everywhere: Sufficient;
  /** `org` or `org/repo`. The narrowest that matches decides. */
  readonly resources: ReadonlyMap<string, Sufficient>;
}

/** The values of a statement while its text is put together. */
export class Parameters {
  readonly values: Value[] = [];

  add(value: Value): string {
    return `$${this.values.push(value)}`;
  }
}

/** Over rows of `organization`. */
export function reachesOrganization(reach: Reach, parameters: Parameters): string {
  const account = accountIn(reach, parameters);
  const holds = ({ organizationRoles }: Sufficient) => isOneOf(() => organizationRole(account()), organizationRoles);
  return decide(reach, holds, [['organization.name', 1, parameters]]);
}

/** Over rows of `repository` joined to its `organization`. A role for one repository takes the other's place there. */
export function reachesRepository(reach: Reach, parameters: Parameters): string {
  const account = accountIn(reach, parameters);
  const [inOrganization, inRepository] = [() => organizationRole(account()), () => repositoryRole(account())];
  const holds = ({ organizationRoles, repositoryRoles }: Sufficient) =>
    organizationRoles.length === 0 && repositoryRoles.length === 0
      ? 'false'
      : `case when ${inRepository()} is null then ${isOneOf(inOrganization, organizationRoles)}
          else ${isOneOf(inRepository, repositoryRoles)} end`;
  return decide(reach, holds, [
    ["organization.name || '/' || repository.name", 2, parameters],
    ['organization.name', 1, parameters],
  ]);
}

/** The place of the account, once something asks for it: PostgreSQL refuses a parameter that nothing uses. */
function accountIn({ accountId }: Reach, parameters: Parameters): () => string {
  let place: string | undefined;
  return () => {
    place ??= parameters.add(accountId);
    return place;
  };
}

/** Roles are words of ours: nothing of a caller's is in the text. */
function isOneOf(role: () => string, roles: readonly string[]): string {
  return roles.length === 0
    ? 'false'
    : `coalesce(${role()} in (${roles.map((name) => `'${name}'`).join(', ')}), false)`;
}

/** A column, and how many names make up the resources that it is compared with. */
type Column = readonly [column: string, depth: number, parameters: Parameters];

function decide(
  { everywhere, resources }: Reach,
  holds: (sufficient: Sufficient) => string,
  columns: readonly Column[],
): string {
  const cases = columns.flatMap(([column, depth, parameters]) =>
    [...resources]
      .filter(([name]) => name.split('/').length === depth)
      .map(([name, sufficient]) => `when ${column} = ${parameters.add(name)} then ${holds(sufficient)}`),
  );
  return cases.length === 0 ? holds(everywhere) : `case ${cases.join(' ')} else ${holds(everywhere)} end`;
}
