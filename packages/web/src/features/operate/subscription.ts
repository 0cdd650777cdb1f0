import type { Subscription, SubscriptionFilter } from '@cairn/sdk';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { allItems, homeKey, paged, repositoryKey } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import type { Home, Sight } from '../../app/sight.ts';

export const subscriptionsKey = (home: Home) => [...homeKey(home), 'subscriptions', 'now'] as const;

export const subscriptionList = (home: Home) =>
  paged([...subscriptionsKey(home), 'pages'], (asked) => client.subscription.list(home.orgName, home.repoName, asked));

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

export const sourceProblem = (source: string): string | undefined =>
  source === '' || /^[^/\s]+\/[^/\s]+$/.test(source)
    ? undefined
    : 'Enter a repository as org/repo, such as acme/world.';

export const filterPreview = (sight: Sight, { filter, source }: { filter: SubscriptionFilter; source: string }) =>
  queryOptions({
    queryKey: [...repositoryKey(sight), 'preview', 'now', JSON.stringify(filter), source],
    queryFn: ({ signal }) =>
      client.subscription
        .preview(sight.orgName, sight.repoName, filter, { signal, ...(source !== '' && { source }) })
        .page(),
    placeholderData: keepPreviousData,
  });

/** Leaves the current request batch, so that a slow count does not delay quick reads. */
export const byItself = () => new Promise((turn) => setTimeout(turn));

const PREDICATES = ['operation', 'kind', 'shape', 'name', 'match'] as const;
export type Predicate = (typeof PREDICATES)[number];

export interface FilterDraft extends Readonly<Record<Predicate, readonly string[]>> {
  readonly all: readonly FilterDraft[];
  readonly any: readonly FilterDraft[];
  readonly not: FilterDraft | undefined;
}

export const EMPTY_DRAFT: FilterDraft = {
  operation: [],
  kind: [],
  shape: [],
  name: [],
  match: [],
  all: [],
  any: [],
  not: undefined,
};

export function draftOf(filter: SubscriptionFilter): FilterDraft {
  const { all = [], any = [], not } = filter;
  const said = Object.fromEntries(PREDICATES.map((name) => [name, [filter[name] ?? []].flat()]));
  return {
    ...EMPTY_DRAFT,
    ...said,
    all: all.map(draftOf),
    any: any.map(draftOf),
    not: not === undefined ? undefined : draftOf(not),
  };
}

export function filterOf({ all, any, not, ...draft }: FilterDraft): SubscriptionFilter {
  const said = PREDICATES.flatMap((name) => (draft[name].length === 0 ? [] : [[name, oneOrMore(draft[name])]]));
  return {
    ...(Object.fromEntries(said) as SubscriptionFilter),
    ...(all.length > 0 && { all: all.map(filterOf) }),
    ...(any.length > 0 && { any: any.map(filterOf) }),
    ...(not !== undefined && { not: filterOf(not) }),
  };
}

const oneOrMore = (values: readonly string[]) => (values.length === 1 ? values[0] : values);

export function filterText(filter: SubscriptionFilter): string {
  const draft = draftOf(filter);
  const { operation, kind, shape, name, match, all, any, not } = draft;
  const parts = [
    operation.join(' or '),
    kind.length > 0 && `on ${kind.map((one) => `${one}s`).join(' or ')}`,
    shape.length > 0 && `of shape ${shape.join(' or ')}`,
    name.length > 0 && `named ${name.join(' or ')}`,
    match.length > 0 && `with names like ${match.join(' or ')}`,
    ...all.map((part) => `(${filterText(filterOf(part))})`),
    any.length > 0 && any.map((part) => `(${filterText(filterOf(part))})`).join(' or '),
    not !== undefined && `not (${filterText(filterOf(not))})`,
  ].filter((part) => part !== false && part !== '');
  return parts.length === 0 ? 'every operation' : parts.join(', ');
}

export function subjectText({ filter, event, source }: Pick<Subscription, 'filter' | 'event' | 'source'>): string {
  const subject = event ?? operationsText(filter ?? {});
  return source === undefined ? subject : `${subject}, in ${source}`;
}

const operationsText = (filter: SubscriptionFilter): string =>
  filter.operation === undefined && Object.keys(filter).length > 0
    ? `operations ${filterText(filter)}`
    : filterText(filter);

export function parsedFilter(text: string): SubscriptionFilter | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFilter(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isFilter(value: unknown): value is SubscriptionFilter {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(([name, said]) => {
    if (name === 'all' || name === 'any') return Array.isArray(said) && said.every(isFilter);
    if (name === 'not') return isFilter(said);
    return PREDICATES.some((one) => one === name) && [said].flat().every((one) => typeof one === 'string');
  });
}
