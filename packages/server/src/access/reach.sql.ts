// What a caller's role and token reach together, as a condition in SQL. Lists filter with it, so that a page is full and
// its cursor right however much of the table is hidden.
import type { OrganizationRole, RepositoryRole } from '@cairn/protocol/roles';
import type { Value } from '../engine/database.ts';
import { organizationRole, repositoryRole } from './role.sql.ts';

/** Where the entries of one token allow something. The narrowest that matches decides. */
export interface Level {
  readonly repositories: ReadonlyMap<number, boolean>;
  readonly organizations: ReadonlyMap<number, boolean>;
  readonly elsewhere: boolean;
}

/** One scope that suffices: the roles that give it, as far as the token, and each that it descends from, allows it. */
interface Way {
  readonly organizationRoles: readonly OrganizationRole[];
  /** Given for single repositories. */
  readonly repositoryRoles: readonly RepositoryRole[];
  readonly levels: readonly Level[];
}

export interface Reach {
  readonly accountId: number;
  readonly ways: readonly Way[];
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
  return either(reach, (way) => {
    const role = isOneOf(() => organizationRole(account()), way.organizationRoles);
    return [role, ...way.levels.map((level) => allows(level, parameters, 'organization'))];
  });
}

/** Over rows of `repository` joined to its `organization`. A role for one repository takes the other's place there. */
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
