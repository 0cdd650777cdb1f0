// Runs, their attempts and what failed for good, as the pages ask for them. What changes them is deliveries, which no live
// stream tells of: they are asked for again and again, more often while something is under way.
import type { ActionRun, RunStatus, SubscriptionTest } from '@cairn/sdk';
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { homeKey, paged } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import type { Home } from '../../app/sight.ts';

const A_PAGE = 50;
const SOON_MS = 1_000;
const LATER_MS = 5_000;

/** What waits: to be sent, to be sent again, or for its receiver. */
export const canBeGivenUp = ({ status }: Pick<ActionRun, 'status'>) =>
  status === 'pending' || status === 'retry_wait' || status === 'processing';

/** How soon what is shown of runs may be another. */
const pollingMs = (runs: readonly ActionRun[]) => (runs.some((run) => isMoving(run, Date.now())) ? SOON_MS : LATER_MS);

export const runsKey = (home: Home) => [...homeKey(home), 'runs', 'now'] as const;

interface RunChoice {
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

// Runs may wait for hours, for their next attempt or for their receiver: only what moves now is asked for every second.

const FAILED: readonly RunStatus[] = ['failed_terminal', 'dead_letter'];
const OVER: readonly RunStatus[] = ['succeeded', 'suppressed', ...FAILED];
const FRESH_MS = 60_000;
const NEAR_MS = 10_000;

type Pace = Pick<ActionRun, 'status' | 'updatedAt' | 'nextAttemptAt'>;

/** For good: it is tried no more by itself. */
export const hasFailed = ({ status }: Pick<ActionRun, 'status'>): boolean => FAILED.includes(status);

/** Whether something may come of it any moment: it is not over, and changed lately or is about to be tried. */
export function isMoving({ status, updatedAt, nextAttemptAt }: Pace, now: number): boolean {
  if (OVER.includes(status)) return false;
  return now - updatedAt < FRESH_MS || (nextAttemptAt !== undefined && nextAttemptAt - now < NEAR_MS);
}

// How a test delivery went, in one sentence: whether anything was sent, whether it was reached, and what was answered.

/** What the server refuses to send itself. */
const UNSENT = /^(CREDENTIALS_|TARGET_REFUSED$)/;

export function deliveryText({ outcome, httpStatus, errorCode = '' }: SubscriptionTest): string {
  if (outcome === 'succeeded' || outcome === 'accepted') return 'The receiver took it.';
  if (httpStatus !== undefined) return `The receiver answered ${httpStatus}: it did not take it.`;
  if (UNSENT.test(errorCode)) return 'Nothing was sent.';
  return errorCode === 'TIMEOUT' ? 'The receiver did not answer in time.' : 'The receiver could not be reached.';
}
