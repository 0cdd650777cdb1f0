import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { countFailures, tellsOfPause } from '../app/failure.ts';
import type { Home } from '../app/home.ts';
import { useSeenUntil } from '../app/seen.ts';
import { notificationList } from '../features/operate/run.ts';
import { allSubscriptions } from '../features/operate/subscription.ts';

/** It is asked on every page that has the way: less often than where failures are looked at. */
const REFETCH_MS = 10_000;

/** Beside the way to what has failed: how much of it nobody has looked at here. It follows by itself. */
export function FailureMark({ home }: { home: Home }) {
  const { data } = useInfiniteQuery({ ...notificationList(home), refetchInterval: REFETCH_MS });
  const seenUntil = useSeenUntil(home);
  const all = data?.pages.flatMap(({ items }) => items) ?? [];
  const told = all.filter(({ createdAt }) => createdAt > seenUntil);
  const enabled = told.some(tellsOfPause);
  const { data: subscriptions = [] } = useQuery({ ...allSubscriptions(home), enabled, refetchInterval: REFETCH_MS });
  const count = countFailures(told, subscriptions);
  if (count === 0) return null;
  const isMore = told.length === all.length && data?.pages.at(-1)?.nextCursor !== undefined;
  return (
    <span className="failures">
      {' '}
      {count.toLocaleString('en')}
      {isMore && '+'} failed
    </span>
  );
}
