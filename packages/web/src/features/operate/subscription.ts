// Subscriptions as the pages ask for them. Commits fire them, so that what is live asks for them anew.
import type { SubscriptionFilter } from '@cairn/sdk';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { allItems } from '../../app/all-items.ts';
import type { Home } from '../../app/home.ts';
import { paged } from '../../app/paged.ts';
import { homeKey, repositoryKey } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import type { Sight } from '../../app/sight.ts';

export const subscriptionsKey = (home: Home) => [...homeKey(home), 'subscriptions', 'now'] as const;

export const subscriptionList = (home: Home) =>
  paged([...subscriptionsKey(home), 'pages'], (asked) => client.subscription.list(home.orgName, home.repoName, asked));

/** All of them, for choosing one. */
export const allSubscriptions = (home: Home) =>
  queryOptions({
    queryKey: [...subscriptionsKey(home), 'all'],
    queryFn: ({ signal }) => allItems(client.subscription.list(home.orgName, home.repoName, { signal, limit: 500 })),
  });

export const subscriptionNamed = (home: Home, name: string) =>
  queryOptions({
    queryKey: [...subscriptionsKey(home), 'one', name],
    queryFn: ({ signal }) => client.subscription.get(home.orgName, home.repoName, name, { signal }),
  });

interface Tried {
  readonly filter: SubscriptionFilter;
  readonly source: string;
}

/** Why a text does not name another repository; without one there is nothing wrong. */
export const sourceProblem = (source: string): string | undefined =>
  source === '' || /^[^/\s]+\/[^/\s]+$/.test(source) ? undefined : 'Name a repository as org/repo, such as acme/world.';

/** Which of the last operations a filter matches. */
export const filterPreview = (sight: Sight, { filter, source }: Tried) =>
  queryOptions({
    queryKey: [...repositoryKey(sight), 'preview', 'now', JSON.stringify(filter), source],
    queryFn: ({ signal }) =>
      client.subscription
        .preview(sight.orgName, sight.repoName, filter, { signal, ...(source !== '' && { source }) })
        .page(),
    placeholderData: keepPreviousData,
  });
