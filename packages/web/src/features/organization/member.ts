// Who belongs to an organization, and who has a role in one repository.
import type { Member } from '@cairn/sdk';
import { queryOptions } from '@tanstack/react-query';
import { allItems } from '../../app/all-items.ts';
import { paged } from '../../app/paged.ts';
import { repositoryKey } from '../../app/queries.ts';
import { client } from '../../app/session.ts';

/** How soon somebody who is invited may have accepted. */
const INVITED_MS = 5_000;

/** Those who are invited accept elsewhere: it is asked for again now and then while there are such, and when the page is seen again. */
const followed = {
  refetchOnWindowFocus: 'always',
  refetchInterval: ({ state: { data } }: Asked) =>
    data?.pages.some(({ items }) => items.some(({ pending }) => pending)) ? INVITED_MS : false,
} as const;

interface Asked {
  readonly state: {
    readonly data: { readonly pages: readonly { readonly items: readonly Pick<Member, 'pending'>[] }[] } | undefined;
  };
}

export const members = (orgName: string) => ({
  ...paged(['organization', orgName, 'members'], (asked) => client.org.listMembers(orgName, asked)),
  ...followed,
});

/** All of them at once, to look somebody up. */
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

/** What somebody is called: an account by its handle, an invitation by its address. */
export const nameOf = ({ handle, email }: Pick<Member, 'handle' | 'email'>): string => handle ?? email ?? '';
