// Who belongs to an organization, and who has a role in one repository.
import type { Member } from '@cairn/sdk';
import { queryOptions } from '@tanstack/react-query';
import { client } from '../app/session.ts';
import { allItems } from './all-items.ts';
import { paged } from './paged.ts';
import { repositoryKey } from './queries.ts';

export const members = (orgName: string) =>
  paged(['organization', orgName, 'members'], (asked) => client.org.listMembers(orgName, asked));

/** All of them at once, to look somebody up. */
export const everyMember = (orgName: string) =>
  queryOptions({
    queryKey: ['organization', orgName, 'every-member'],
    queryFn: ({ signal }) => allItems(client.org.listMembers(orgName, { signal })),
  });

export const roleHolders = (orgName: string, repoName: string) =>
  paged([...repositoryKey({ orgName, repoName }), 'roles'], (asked) => client.repo.listRoles(orgName, repoName, asked));

/** What somebody is called: an account by its handle, an invitation by its address. */
export const nameOf = ({ handle, email }: Pick<Member, 'handle' | 'email'>): string => handle ?? email ?? '';
