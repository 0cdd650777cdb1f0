// What who looks may do here. The server decides each time; this is so that pages do not offer what it would refuse.
import type { Scope } from '@cairn/protocol/scopes';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { repository } from './queries.ts';
import { client } from './session.ts';
import type { Sight } from './sight.ts';

/** An organization, or one of its repositories. */
export interface Place {
  readonly orgName: string;
  readonly repoName?: string | undefined;
}

export const permission = ({ orgName, repoName }: Place, scope: Scope) =>
  queryOptions({
    queryKey: ['permission', orgName, repoName ?? '', scope],
    queryFn: ({ signal }) =>
      repoName === undefined
        ? client.access.checkOrgPermission(orgName, scope, { signal })
        : client.access.checkRepoPermission(orgName, repoName, scope, { signal }),
  });

/** Undefined until it is known. */
export function useMay(place: Place, scope: Scope): boolean | undefined {
  return useQuery(permission(place, scope)).data?.allowed;
}

/** Whether a page of a repository offers to write: not without the right, not in the past, not where it takes no writes. */
export function useWritable(sight: Sight): boolean {
  const may = useMay(sight, 'repo:write');
  const { data } = useQuery(repository(sight));
  return may === true && sight.at === undefined && data?.archived === false;
}

/** Whether a draft cannot be committed here any more, as far as that is known. */
export function useStranded(sight: Sight): boolean {
  const may = useMay(sight, 'repo:write');
  const { data } = useQuery(repository(sight));
  return may === false || data?.archived === true;
}
