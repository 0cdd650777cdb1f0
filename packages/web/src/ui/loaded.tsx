import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { isMissing } from '../app/problem.ts';
import { ProblemPage } from './problem-page.tsx';

interface LoadedProps<Data> {
  readonly query: UseQueryResult<Data>;
  /** Said while it is waited for. */
  readonly what: string;
  /** Whether it is a part of a page, which has a heading of its own. */
  readonly isPart?: boolean;
  /** Whether a form begins with it: not with what was read some time ago, while that is asked for again. */
  readonly isForm?: boolean;
  /** Where there is no such thing: what is said instead. */
  readonly missing?: ReactNode;
  readonly children: (data: Data) => ReactNode;
}

/** What a query gives, or that it is waited for, or why it cannot be had. */
export function Loaded<Data>({ query, what, isPart = false, isForm = false, missing, children }: LoadedProps<Data>) {
  const [hasBegun, setHasBegun] = useState(!isForm);
  const isReady = hasBegun || !(query.isStale && query.isFetching);
  if (query.data !== undefined && isReady && !hasBegun) setHasBegun(true);
  if (query.data !== undefined && isReady) return children(query.data);
  if (missing !== undefined && isMissing(query.error)) return missing;
  if (query.isError) return <ProblemPage error={query.error} reset={() => void query.refetch()} isPart={isPart} />;
  return (
    <p className="waiting" role="status">
      {query.fetchStatus === 'paused' ? 'You are offline. This goes on when you are back.' : `Loading ${what}…`}
    </p>
  );
}
