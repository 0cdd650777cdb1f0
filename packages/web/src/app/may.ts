// Permissions of the viewer, so that pages offer only what the server allows.
import type { Scope } from '@cairn/protocol/scopes';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { repository } from './queries.ts';
import { client } from './session.ts';
import type { Sight } from './sight.ts';

export interface Resource {
  readonly orgName: string;
  readonly repoName?: string | undefined;
}

export const permission = ({ orgName, repoName }: Resource, scope: Scope) =>
  queryOptions({
    queryKey: ['permission', orgName, repoName ?? '', scope],
    queryFn: ({ signal }) =>
      repoName === undefined
        ? client.access.checkOrgPermission(orgName, scope, { signal })
        : client.access.checkRepoPermission(orgName, repoName, scope, { signal }),
  });

export const useMay = (place: Resource, scope: Scope): boolean | undefined =>
  useQuery(permission(place, scope)).data?.allowed;

/** False without the permission, in the past, and in an archive. */
export function useWritable(sight: Sight): boolean {
  const may = useMay(sight, 'repo:write');
  const { data } = useQuery(repository(sight));
  return may === true && sight.at === undefined && data?.archived === false;
}

export function useStranded(sight: Sight): boolean {
  const may = useMay(sight, 'repo:write');
  const { data } = useQuery(repository(sight));
  return may === false || data?.archived === true;
}
