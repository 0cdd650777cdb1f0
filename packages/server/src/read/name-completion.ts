// Names that begin with what somebody has typed: those that they may see, as in the lists, however many there are.

import type { Context } from '../access/context.ts';
import { ORGANIZATION_LISTED_BY, REPOSITORY_LISTED_BY, reachOf } from '../access/organization-access.ts';
import { listOrganizations } from '../repository/organization.sql.ts';
import { listRepositories } from '../repository/repository.sql.ts';

export interface Typed {
  readonly beginning: string;
  readonly limit: number;
}

/** No name holds anything else. */
const NAME_CHARACTERS = /^[\w.-]*$/;

export async function completeOrganization(
  { principal, store }: Context,
  { beginning, limit }: Typed,
): Promise<string[]> {
  if (!NAME_CHARACTERS.test(beginning)) return [];
  const reach = reachOf(principal, ORGANIZATION_LISTED_BY);
  const found = await listOrganizations(store.database, { reach, after: '', beginning, limit });
  return found.map(({ name }) => name);
}

export async function completeRepository(
  { principal, store }: Context,
  { orgName, beginning, limit }: Typed & { readonly orgName: string },
): Promise<string[]> {
  if (!NAME_CHARACTERS.test(beginning) || !NAME_CHARACTERS.test(orgName)) return [];
  const found = await listRepositories(store.database, {
    reach: reachOf(principal, REPOSITORY_LISTED_BY),
    ...{ orgName, deletedAfter: undefined, after: { orgName: '', repoName: '' } },
    ...{ beginning, limit },
  });
  return found.map(({ name }) => name);
}
