// Queries shared by pages. Live changes find them by their keys.
import type { Repository, Whoami } from '@cairn/sdk';
import {
  type InvalidateOptions,
  type InvalidateQueryFilters,
  infiniteQueryOptions,
  keepPreviousData,
  QueryClient,
  type QueryKey,
  queryOptions,
} from '@tanstack/react-query';
import { fateOf } from '../features/repository/repository-text.ts';
import { openBegun } from './begun.ts';
import { isWorthRetrying, waitMsOf } from './problem.ts';
import { client } from './session.ts';
import { atOf, type Home, type RepositoryName, type Sight } from './sight.ts';

/** Parts four and five of a key are the query and the sequence: `'now'` or a number. */
export const repositoryKey = ({ orgName, repoName }: RepositoryName) => ['repository', orgName, repoName] as const;

export const homeKey = ({ orgName, repoName }: Home) =>
  repoName === null ? (['organization', orgName, 'own'] as const) : repositoryKey({ orgName, repoName });

export const whoami = queryOptions({
  queryKey: ['whoami'],
  queryFn: async ({ signal }) => {
    const person = await client.auth.whoami({ signal });
    // Drafts must be open before a form starts.
    openBegun(handleOf(person) ?? '');
    return person;
  },
  staleTime: Number.POSITIVE_INFINITY,
});

export const handleOf = (person: Whoami | undefined): string | undefined =>
  person !== undefined && 'handle' in person ? person.handle : undefined;

export const organizations = queryOptions({
  queryKey: ['organizations'],
  queryFn: ({ signal }) => client.org.list({ signal, limit: 200 }),
});

/** The key lies under the organizations, so that a new one refreshes it. */
export const ownOrganizations = queryOptions({
  queryKey: [...organizations.queryKey, 'own'],
  queryFn: async ({ signal }) => {
    const person = await client.auth.whoami({ signal });
    const access = 'access' in person ? person.access : [];
    return access.filter(({ resource }) => !resource.includes('/'));
  },
});

export const organizationsToMakeIn = queryOptions({
  ...ownOrganizations,
  select: (own) => own.filter(({ allowed }) => allowed.includes('org:configure')).map(({ resource }) => resource),
});

export const organization = (orgName: string) =>
  queryOptions({ queryKey: ['organization', orgName], queryFn: ({ signal }) => client.org.get(orgName, { signal }) });

const LIST_AGAIN_MS = 60_000;

export const repositories = (orgName?: string) =>
  queryOptions({
    queryKey: ['repositories', orgName ?? ''],
    queryFn: ({ signal }) => client.repo.list({ signal, limit: 200, ...(orgName !== undefined && { orgName }) }),
    refetchInterval: LIST_AGAIN_MS,
    refetchOnWindowFocus: 'always',
  });

export const deletedRepositories = (orgName: string) =>
  paged(['repositories', orgName, 'deleted'], (asked) => client.repo.list({ ...asked, orgName, deleted: true }));

/** The search covers at most this many repositories. */
const LOOKED_MOST = 2_000;

export const repositoryFate = (createdAt: number) =>
  queryOptions({
    queryKey: ['repositories', '', 'fate', createdAt],
    queryFn: async ({ signal }) => {
      const seen: Repository[] = [];
      for (const deleted of [false, true]) {
        for await (const found of client.repo.list({ signal, limit: 200, deleted })) {
          if (seen.push(found) >= LOOKED_MOST) break;
        }
      }
      return fateOf(createdAt, seen);
    },
  });

export const repository = (sight: Sight) =>
  queryOptions({
    queryKey: [...repositoryKey(sight), 'itself'],
    queryFn: ({ signal }) => client.repo.get(sight.orgName, sight.repoName, { signal }),
  });

interface AskedAt {
  readonly signal: AbortSignal;
  readonly atRepoSeq?: number;
}

/** A read at the sequence that is shown. */
export const readAt = <Data>(
  sight: Sight,
  [what, ...parts]: readonly unknown[],
  read: (asked: AskedAt, names: readonly [orgName: string, repoName: string]) => Promise<Data>,
) =>
  queryOptions({
    queryKey: [...repositoryKey(sight), what, sight.at ?? 'now', ...parts],
    queryFn: ({ signal }) => read({ signal, ...atOf(sight) }, [sight.orgName, sight.repoName]),
  });

export const description = (sight: Sight) => ({
  ...readAt(sight, ['description'], (asked, names) => client.repo.describe(...names, asked)),
  placeholderData: keepPreviousData,
});

export type TextName = 'readme' | 'agents';

/** Empty at version 0 until written. */
export const repositoryText = (sight: Sight, name: TextName) =>
  readAt(sight, [name], (asked, names) => client.repo.getContent(...names, name, asked));

export const latestCommits = (sight: Sight, limit: number) => ({
  ...readAt(sight, ['commits', limit], (asked, names) => client.commit.log(...names, { ...asked, limit }).page()),
  placeholderData: keepPreviousData,
});

export const commitAt = (sight: Sight, at: number) =>
  queryOptions({
    queryKey: [...repositoryKey(sight), 'commit-at', at],
    queryFn: ({ signal }) => client.commit.log(sight.orgName, sight.repoName, { signal, limit: 1, atRepoSeq: at }),
    placeholderData: keepPreviousData,
  });

// A query that is in flight during a write may return old data, so it is refetched afterwards. React Query itself
// cancels it, or does nothing for a first fetch.
class Queries extends QueryClient {
  override async invalidateQueries<Tagged extends QueryKey = QueryKey>(
    filters?: InvalidateQueryFilters<Tagged>,
    options: InvalidateOptions = {},
  ): Promise<void> {
    const underWay = this.getQueryCache()
      .findAll({ ...filters, fetchStatus: 'fetching' })
      .filter(({ state }) => state.data === undefined || options.cancelRefetch === false);
    const afterwards = underWay.map(async (query) => {
      await query.promise?.catch(() => undefined);
      await super.invalidateQueries({ predicate: (other) => other === query }, { ...options, cancelRefetch: false });
    });
    await Promise.all([super.invalidateQueries(filters, options), ...afterwards]);
  }
}

export const createQueryClient = (): QueryClient =>
  new Queries({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        retry: (count, error) => count < 2 && isWorthRetrying(error),
        retryDelay: (count, error) => waitMsOf(error) ?? 1_000 * 2 ** count,
      },
    },
  });

/** For optional data: the SDK has retried already. */
export const OPTIONAL = { retry: false } as const;

const ITEMS_A_PAGE = 50;

export const paged = <Page extends { readonly nextCursor?: string | undefined }>(
  queryKey: readonly unknown[],
  list: (asked: { signal: AbortSignal; limit: number; cursor?: string }) => { readonly page: () => Promise<Page> },
  limit = ITEMS_A_PAGE,
) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ signal, pageParam }) => list({ signal, limit, ...(pageParam !== '' && { cursor: pageParam }) }).page(),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

export async function allItems<Item>(list: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of list) items.push(item);
  return items;
}
