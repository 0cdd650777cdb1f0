// Subscriptions as the pages ask for them. Commits fire them, so that what is live asks for them anew.
import type { SubscriptionFilter } from '@cairn/sdk';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from '../app/session.ts';
import type { Sight } from '../app/sight.ts';
import { allItems } from './all-items.ts';
import { paged } from './paged.ts';
import { repositoryKey } from './queries.ts';

export const subscriptionsKey = (sight: Sight) => [...repositoryKey(sight), 'subscriptions', 'now'] as const;

export const subscriptionList = (sight: Sight) =>
  paged([...subscriptionsKey(sight), 'pages'], (asked) =>
    client.subscription.list(sight.orgName, sight.repoName, asked),
  );

/** All of them, for choosing one. */
export const allSubscriptions = (sight: Sight) =>
  queryOptions({
    queryKey: [...subscriptionsKey(sight), 'all'],
    queryFn: ({ signal }) => allItems(client.subscription.list(sight.orgName, sight.repoName, { signal, limit: 500 })),
  });

export const subscriptionNamed = (sight: Sight, name: string) =>
  queryOptions({
    queryKey: [...subscriptionsKey(sight), 'one', name],
    queryFn: ({ signal }) => client.subscription.get(sight.orgName, sight.repoName, name, { signal }),
  });

interface Tried {
  readonly filter: SubscriptionFilter;
  readonly source: string;
}

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
