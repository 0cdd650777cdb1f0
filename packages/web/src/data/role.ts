// What roles mean, in plain words. What they give exactly is in the protocol, and shown beside.
import {
  isScope,
  ORGANIZATION_ROLES,
  type OrganizationRole,
  REPOSITORY_ROLES,
  type RepositoryRole,
  SCOPE_WORDS,
  type Scope,
} from '@cairn/protocol/scopes';

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

interface TakenAway {
  readonly orgName: string;
  readonly name: string;
  /** In the repository. */
  readonly role: RepositoryRole;
  /** Undefined of who is no member. */
  readonly memberRole: OrganizationRole | undefined;
}

/** What holds for somebody whose own role in a repository is taken away: it stood in place of the one in the organization. */
export function afterTakingAway({ orgName, name, role, memberRole }: TakenAway): string {
  const present = memberRole && roleInRepositories(memberRole);
  if (present === undefined)
    return `${name} is no member of ${orgName}: they see this repository no more, unless it is public.`;
  const amount = isLessThan(role, present) ? 'more than' : isLessThan(present, role) ? 'less than' : 'as much as';
  return `As ${memberRole} of ${orgName}, ${name} may do here what the role ${present} gives, ${amount} now. ${REPOSITORY_ROLE_WORDS[present]}`;
}

/** Whether somebody who had the other role loses something by this one. */
export const isLessThan = (role: RepositoryRole, other: RepositoryRole): boolean =>
  REPOSITORY_ROLES[other].some((scope: Scope) => !(REPOSITORY_ROLES[role] as readonly Scope[]).includes(scope));
