import {
  isScope,
  ORGANIZATION_ROLES,
  type OrganizationRole,
  REPOSITORY_ROLES,
  type RepositoryRole,
  SCOPE_WORDS,
  type Scope,
} from '@cairn/protocol/scopes';
import type { Member } from '@cairn/sdk';
import { queryOptions } from '@tanstack/react-query';
import { allItems, paged, repositoryKey } from '../../app/queries.ts';
import { client } from '../../app/session.ts';

export const ORGANIZATION_ROLE_WORDS: Readonly<Record<OrganizationRole, string>> = {
  viewer: 'Reads and exports every repository, and sees the members.',
  editor: 'Also writes records, shapes and readmes.',
  admin: 'Also creates, configures and deletes repositories, invites people, and reads the audit log.',
  owner: 'Also renames and archives the organization, and appoints owners.',
};

export const REPOSITORY_ROLE_WORDS: Readonly<Record<RepositoryRole, string>> = {
  read: 'Reads and exports this repository.',
  write: 'Also writes records, shapes and the readme.',
  maintain: 'Also configures the description, subscriptions, credentials and components.',
  admin: 'Also sets the visibility, assigns roles, and archives, moves or deletes the repository.',
};

export const rightText = (scope: string): string => (isScope(scope) ? `${SCOPE_WORDS[scope]} (${scope})` : scope);
export const ORGANIZATION_ROLE_NAMES = Object.keys(ORGANIZATION_ROLE_WORDS) as OrganizationRole[];
export const REPOSITORY_ROLE_NAMES = Object.keys(REPOSITORY_ROLE_WORDS) as RepositoryRole[];

export function roleInRepositories(role: OrganizationRole): RepositoryRole | undefined {
  const given: readonly Scope[] = ORGANIZATION_ROLES[role];
  return REPOSITORY_ROLE_NAMES.findLast((name) => REPOSITORY_ROLES[name].every((scope) => given.includes(scope)));
}

interface TakenAway {
  readonly orgName: string;
  readonly name: string;
  readonly role: RepositoryRole;
  readonly memberRole: OrganizationRole | undefined;
}

/** A repository role replaces the one from the organization, so taking it away may add rights. */
export function afterTakingAway({ orgName, name, role, memberRole }: TakenAway): string {
  const present = memberRole && roleInRepositories(memberRole);
  if (present === undefined)
    return `${name} is not a member of ${orgName}, and loses access to this repository unless it is public.`;
  const amount = isLessThan(role, present) ? 'more than' : isLessThan(present, role) ? 'less than' : 'the same as';
  return `As ${memberRole} of ${orgName}, ${name} gets the role ${present} here, which allows ${amount} now. ${REPOSITORY_ROLE_WORDS[present]}`;
}

export const isLessThan = (role: RepositoryRole, other: RepositoryRole): boolean =>
  REPOSITORY_ROLES[other].some((scope: Scope) => !(REPOSITORY_ROLES[role] as readonly Scope[]).includes(scope));

const INVITED_MS = 5_000;

/** Polls while invitations are pending, since they are accepted elsewhere. */
const followed = {
  refetchOnWindowFocus: 'always',
  refetchInterval: ({ state: { data } }: MemberQuery) =>
    data?.pages.some(({ items }) => items.some(({ pending }) => pending)) ? INVITED_MS : false,
} as const;

interface MemberQuery {
  readonly state: {
    readonly data: { readonly pages: readonly { readonly items: readonly Pick<Member, 'pending'>[] }[] } | undefined;
  };
}

export const memberList = (orgName: string) => ({
  ...paged(['organization', orgName, 'members'], (asked) => client.org.listMembers(orgName, asked)),
  ...followed,
});

export const everyMember = (orgName: string) =>
  queryOptions({
    queryKey: ['organization', orgName, 'every-member'],
    queryFn: ({ signal }) => allItems(client.org.listMembers(orgName, { signal })),
  });

export const roleHolders = (orgName: string, repoName: string) => ({
  ...paged([...repositoryKey({ orgName, repoName }), 'roles'], (asked) =>
    client.repo.listRoles(orgName, repoName, asked),
  ),
  ...followed,
});

export const memberName = ({ handle, email }: Pick<Member, 'handle' | 'email'>): string => handle ?? email ?? '';
