import { type InfiniteData, type UseInfiniteQueryResult, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { leaveBegun } from '../app/begun.ts';
import { useLive } from '../app/live.tsx';
import { isHidden, isMissing, isWorthRetrying, OFFLINE, problemOf, useOnline } from '../app/problem.ts';
import { whoami } from '../app/queries.ts';
import { useSight } from '../app/sight.ts';
import { Button, SmallButton } from './button.tsx';
import { Alert } from './text.tsx';

interface LoadedProps<Data> {
  readonly query: UseQueryResult<Data>;
  readonly what: string;
  readonly isPart?: boolean;
  /** Waits for fresh data, so that a form does not start with stale values. */
  readonly isForm?: boolean;
  readonly missing?: ReactNode;
  readonly children: (data: Data) => ReactNode;
}

export function Loaded<Data>({ query, what, isPart = false, isForm = false, missing, children }: LoadedProps<Data>) {
  const [hasBegun, setHasBegun] = useState(!isForm);
  const isReady = hasBegun || !(query.isStale && query.isFetching);
  if (query.data !== undefined && isReady && !hasBegun) setHasBegun(true);
  if (query.data !== undefined && isReady) return children(query.data);
  if (missing !== undefined && isMissing(query.error)) return missing;
  if (query.isError) return <ProblemPage error={query.error} reset={() => void query.refetch()} isPart={isPart} />;
  return <Waiting>Loading {what}…</Waiting>;
}

export const Failure = ({ error }: { error: unknown }) =>
  error === null || error === undefined ? null : <Alert>{problemOf(error).advice}</Alert>;

interface PagedListProps<Item> {
  readonly query: UseInfiniteQueryResult<InfiniteData<{ readonly items: readonly Item[] }>>;
  readonly what: string;
  readonly more?: string;
  readonly none?: ReactNode;
  readonly children: (items: readonly Item[]) => ReactNode;
}

export function PagedList<Item>({ query, what, more = what, none, children }: PagedListProps<Item>) {
  return (
    <>
      <Loaded query={query} what={what} isPart>
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items);
          return items.length === 0 && none !== undefined ? none : children(items);
        }}
      </Loaded>
      <MorePages query={query} what={more} />
    </>
  );
}

interface PagedQuery {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly isFetchNextPageError: boolean;
  readonly fetchNextPage: () => Promise<unknown>;
}

export function MorePages({ query, what }: { query: PagedQuery; what: string }) {
  if (!query.hasNextPage) return null;
  return (
    <p>
      <SmallButton disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        {query.isFetchingNextPage ? `Loading ${what}…` : `Show more ${what}`}
      </SmallButton>
      {query.isFetchNextPageError && <span className="problem"> Loading failed. Try again.</span>}
    </p>
  );
}

interface ProblemPageProps {
  readonly error: unknown;
  readonly reset?: () => void;
  readonly isPart?: boolean;
}

export function ProblemPage({ error, reset, isPart = false }: ProblemPageProps) {
  const { title, advice } = problemOf(error);
  const isTold = useLive().state === 'closed';
  if (isTold && isPart && isHidden(error)) return <p className="quiet">You lost access before this was loaded.</p>;
  const Heading = isPart ? 'h2' : 'h1';
  return (
    <section className="problem" role="alert">
      <Heading>{title}</Heading>
      <p>{advice}</p>
      {isHidden(error) && !isTold && <PerhapsPrivate />}
      {reset !== undefined && isWorthRetrying(error) && <Button onClick={reset}>Try again</Button>}
    </section>
  );
}

interface PageProps {
  readonly title: string;
  readonly within?: string;
  readonly beside?: ReactNode;
  readonly children: ReactNode;
}

export function Page({ title, within, beside, children }: PageProps) {
  useTitle(title, ...(within === undefined ? [] : [within]));
  const heading = <h1>{title}</h1>;
  return (
    <>
      {beside === undefined ? (
        heading
      ) : (
        <div className="heading-row">
          {heading} {beside}
        </div>
      )}
      {children}
    </>
  );
}

export const Missing = (props: PageProps) => (
  <section className="missing" role="alert">
    <Page {...props} />
  </section>
);

/** Loading goes on once the browser is online again. */
export const Waiting = ({ children }: { children: ReactNode }) => (
  <p className="waiting" role="status">
    {useOnline() ? children : OFFLINE}
  </p>
);

/** Private objects look missing to strangers. */
export function PerhapsPrivate() {
  const { data: person } = useQuery(whoami);
  if (person?.kind !== 'anonymous') return null;
  return (
    <p>
      It may be private. <SignInLink /> if you have access.
    </p>
  );
}

export function SignInLink({ children = 'Sign in' }: { children?: string }) {
  const address = useLocation({ select: ({ href }) => href });
  return (
    <a href={`/auth/sign-in?next=${encodeURIComponent(address)}`} onClick={leaveBegun}>
      {children}
    </a>
  );
}

export const SignInFirst = ({ what }: { what: string }) => (
  <p>
    <SignInLink /> to {what}.
  </p>
);

export function PresentOnly({ children }: { children: ReactNode }) {
  const { at } = useSight();
  if (at === undefined) return children;
  return (
    <p>
      You are viewing sequence {at}, which is read-only. To make changes,{' '}
      <Link to="." search={({ at: _past, ...rest }) => rest}>
        go back to now
      </Link>
      .
    </p>
  );
}

export function useTitle(...parts: readonly string[]): void {
  const title = [...parts, 'Cairn'].join(' · ');
  useEffect(() => {
    document.title = title;
  }, [title]);
}

/** The navigation scrolls on phones, so the current link must be moved into view. */
export function useCurrentInView(count: number): RefObject<HTMLElement | null> {
  const nav = useRef<HTMLElement>(null);
  const path = useLocation({ select: ({ pathname }) => pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is open when the path is another, and some links come late.
  useEffect(() => {
    nav.current?.querySelector('[aria-current="page"]')?.scrollIntoView({ inline: 'nearest', block: 'nearest' });
  }, [path, count]);
  return nav;
}

export function focusContent(): void {
  document.getElementById('content')?.focus({ preventScroll: true });
}

const SETTLED_MS = 200;

export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

export function useTold(problem: string | undefined, value: string): string | undefined {
  const [told, setTold] = useState({ problem, value });
  if (told.problem !== problem) setTold({ problem, value });
  return told.value === value ? problem : undefined;
}
