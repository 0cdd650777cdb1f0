// No live stream reports deliveries, so runs are polled, faster while something moves.
import type { ActionRun, RunStatus, SubscriptionTest } from '@cairn/sdk';
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { homeKey, paged } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import type { Home } from '../../app/sight.ts';

const A_PAGE = 50;
const SOON_MS = 1_000;
const LATER_MS = 5_000;

export const canBeGivenUp = ({ status }: Pick<ActionRun, 'status'>) =>
  status === 'pending' || status === 'retry_wait' || status === 'processing';

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

export const runList = (home: Home, choice: RunChoice, limit = A_PAGE) =>
  infiniteQueryOptions({
    ...paged(
      [...runsKey(home), 'pages', chosen(choice), limit],
      (asked) => client.action.runs(home.orgName, home.repoName, { ...asked, ...chosen(choice) }),
      limit,
    ),
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

const FAILED: readonly RunStatus[] = ['failed_terminal', 'dead_letter'];
const OVER: readonly RunStatus[] = ['succeeded', 'suppressed', ...FAILED];
const FRESH_MS = 60_000;
const NEAR_MS = 10_000;
type Pace = Pick<ActionRun, 'status' | 'updatedAt' | 'nextAttemptAt'>;

export const hasFailed = ({ status }: Pick<ActionRun, 'status'>): boolean => FAILED.includes(status);

export function isMoving({ status, updatedAt, nextAttemptAt }: Pace, now: number): boolean {
  if (OVER.includes(status)) return false;
  return now - updatedAt < FRESH_MS || (nextAttemptAt !== undefined && nextAttemptAt - now < NEAR_MS);
}

const UNSENT = /^(CREDENTIALS_|TARGET_REFUSED$)/;

export function deliveryText({ outcome, httpStatus, errorCode = '' }: SubscriptionTest): string {
  if (outcome === 'succeeded' || outcome === 'accepted') return 'The receiver accepted the delivery.';
  if (httpStatus !== undefined) return `The receiver rejected the delivery with HTTP status ${httpStatus}.`;
  if (UNSENT.test(errorCode)) return 'Nothing was sent.';
  return errorCode === 'TIMEOUT' ? 'The receiver did not respond in time.' : 'The receiver could not be reached.';
}
