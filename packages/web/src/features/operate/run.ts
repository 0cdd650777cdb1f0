// Runs, their attempts and what failed for good, as the pages ask for them. What changes them is deliveries, which no live
// stream tells of: they are asked for again and again, more often while something is under way.
import type { ActionRun, RunStatus } from '@cairn/sdk';
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Home } from '../../app/home.ts';
import { paged } from '../../app/paged.ts';
import { homeKey } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import { isMoving } from './run-pace.ts';

const A_PAGE = 50;
const SOON_MS = 1_000;
const LATER_MS = 5_000;

/** What waits: to be sent, to be sent again, or for its receiver. */
export const canBeGivenUp = ({ status }: Pick<ActionRun, 'status'>) =>
  status === 'pending' || status === 'retry_wait' || status === 'processing';

/** How soon what is shown of runs may be another. */
const pollingMs = (runs: readonly ActionRun[]) => (runs.some((run) => isMoving(run, Date.now())) ? SOON_MS : LATER_MS);

export const runsKey = (home: Home) => [...homeKey(home), 'runs', 'now'] as const;

export interface RunChoice {
  readonly subscription?: string | undefined;
  readonly status?: RunStatus | undefined;
}

const chosen = ({ subscription, status }: RunChoice) => ({
  ...(subscription !== undefined && { subscription }),
  ...(status !== undefined && { status }),
});

/** Newest first. */
export const runList = (home: Home, choice: RunChoice, limit = A_PAGE) =>
  infiniteQueryOptions({
    queryKey: [...runsKey(home), 'pages', chosen(choice), limit],
    queryFn: ({ signal, pageParam }) =>
      client.action
        .runs(home.orgName, home.repoName, {
          signal,
          limit,
          ...chosen(choice),
          ...(pageParam !== '' && { cursor: pageParam }),
        })
        .page(),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => pollingMs(data?.pages.flatMap(({ items }) => items) ?? []),
  });

export const runOf = (home: Home, runId: string) =>
  queryOptions({
    queryKey: [...runsKey(home), 'one', runId],
    queryFn: async ({ signal }) => {
      const { orgName, repoName } = home;
      const [{ items }, attempts] = await Promise.all([
        client.action.runs(orgName, repoName, { signal, runId }).page(),
        client.action.attempts(orgName, repoName, runId, { signal }).page(),
      ]);
      return { run: items[0], attempts: attempts.items };
    },
    refetchInterval: ({ state: { data } }) => pollingMs(data?.run === undefined ? [] : [data.run]),
  });

export const notificationList = (home: Home) => ({
  ...paged([...runsKey(home), 'notifications'], (asked) =>
    client.action.notifications(home.orgName, home.repoName, asked),
  ),
  refetchInterval: LATER_MS,
});
