import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { toRun } from '../../app/links.ts';
import { countFailures, tellsOfPause } from '../../app/problem.ts';
import { useSeenUntil } from '../../app/seen.ts';
import type { Home } from '../../app/sight.ts';
import { type Detail, detailsOf } from '../../ui/amount.ts';
import { Text } from '../../ui/text.tsx';
import { notificationList } from './run.ts';
import { allSubscriptions } from './subscription.ts';

export function Details({ details, home }: { details: Readonly<Record<string, unknown>>; home?: Home }) {
  const all = detailsOf(details);
  if (all.length === 0) return null;
  return (
    <p className="quiet">
      {all.map((detail, index) => (
        <span key={detail.label}>
          {index > 0 && '; '}
          <OneDetail detail={detail} home={home} />
        </span>
      ))}
    </p>
  );
}

function OneDetail({ detail: { name, label, text }, home }: { detail: Detail; home: Home | undefined }) {
  if (name === 'runId' && home !== undefined) {
    return (
      <>
        run:{' '}
        <Link {...toRun(home, text)}>
          <Text>{text}</Text>
        </Link>
      </>
    );
  }
  return (
    <>
      <Text>{label}</Text>: <Text most={2_000}>{text}</Text>
    </>
  );
}

/** Polled on every page, and therefore less often than on the runs page. */
const REFETCH_MS = 10_000;

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
