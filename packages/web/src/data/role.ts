// What roles mean, in plain words. What they give exactly is in the protocol, and shown beside.
import {
  ORGANIZATION_ROLES,
  type OrganizationRole,
  REPOSITORY_ROLES,
  type RepositoryRole,
} from '@cairn/protocol/roles';
import { isScope, SCOPE_WORDS, type Scope } from '@cairn/protocol/scopes';

export const ORGANIZATION_ROLE_WORDS: Readonly<Record<OrganizationRole, string>> = {
  viewer: 'Reads and exports every repository of the organization, and sees who its members are.',
  editor: 'Also writes: records, shapes, readmes.',
  admin: 'Also makes, sets up and deletes repositories, invites people, and reads the audit log.',
  owner: 'Also renames and archives the organization, and makes owners.',
};

export const REPOSITORY_ROLE_WORDS: Readonly<Record<RepositoryRole, string>> = {
  read: 'Reads and exports this repository.',
  write: 'Also writes: records, shapes, the readme.',
  maintain: 'Also sets it up: its description, subscriptions, credentials, components.',
  admin: 'Also decides who sees it, gives roles, archives, moves and deletes it.',
};

/** What a scope allows, with its name: `change settings of the repository (repo:configure)`. */
export const rightText = (scope: string): string => (isScope(scope) ? `${SCOPE_WORDS[scope]} (${scope})` : scope);

export const ORGANIZATION_ROLE_NAMES = Object.keys(ORGANIZATION_ROLE_WORDS) as OrganizationRole[];
export const REPOSITORY_ROLE_NAMES = Object.keys(REPOSITORY_ROLE_WORDS) as RepositoryRole[];

/** What a role of the organization is in each of its repositories: the highest one there of which it gives all. */
export function roleInRepositories(role: OrganizationRole): RepositoryRole | undefined {
  const given: readonly Scope[] = ORGANIZATION_ROLES[role];
  return REPOSITORY_ROLE_NAMES.findLast((name) => REPOSITORY_ROLES[name].every((scope) => given.includes(scope)));
}

/** Whether somebody who had the other role loses something by this one. */
export const isLessThan = (role: RepositoryRole, other: RepositoryRole): boolean =>
  REPOSITORY_ROLES[other].some((scope: Scope) => !(REPOSITORY_ROLES[role] as readonly Scope[]).includes(scope));
