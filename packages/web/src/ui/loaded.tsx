import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { leaveBegun } from '../app/begun.ts';
import { useLive } from '../app/live.tsx';
import { isHidden, isMissing, isWorthRetrying, problemOf } from '../app/problem.ts';
import { whoami } from '../app/queries.ts';

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

interface ProblemPageProps {
  readonly error: unknown;
  readonly reset?: () => void;
  /** Whether the rest of the page is there: then it has a heading of its own. */
  readonly isPart?: boolean;
}

export function ProblemPage({ error, reset, isPart = false }: ProblemPageProps) {
  const { title, advice } = problemOf(error);
  // Said above the whole page, where it is the repository that is closed.
  const isTold = useLive().state === 'closed';
  if (isTold && isPart && isHidden(error)) return <p className="quiet">It was not loaded before.</p>;
  const Heading = isPart ? 'h2' : 'h1';
  return (
    <section className="problem" role="alert">
      <Heading>{title}</Heading>
      <p>{advice}</p>
      {isHidden(error) && !isTold && <PerhapsPrivate />}
      {reset !== undefined && isWorthRetrying(error) && (
        <button type="button" onClick={reset}>
          Try again
        </button>
      )}
    </section>
  );
}

/** Something that is not there: which, in one sentence, and where to go on. */
export function Missing({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="missing" role="alert">
      <h1>{title}</h1>
      {children}
    </section>
  );
}

/** What is private looks to strangers as if it were not there. */
export function PerhapsPrivate() {
  const { data: person } = useQuery(whoami);
  if (person?.kind !== 'anonymous') return null;
  return (
    <p>
      It may be private: <SignInLink>sign in</SignInLink> if it is yours.
    </p>
  );
}

/** Comes back to this page. */
export function SignInLink({ children = 'Sign in' }: { children?: string }) {
  const address = useLocation({ select: ({ href }) => href });
  return (
    <a href={`/auth/sign-in?next=${encodeURIComponent(address)}`} onClick={leaveBegun}>
      {children}
    </a>
  );
}

/** Instead of a form, to who is not signed in. */
export function SignInFirst({ what }: { what: string }) {
  return (
    <p>
      <SignInLink /> to {what}.
    </p>
  );
}
