import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useMatches, useRouteContext } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { SmallButton } from '../ui/button.tsx';
import { SignInLink } from '../ui/page.tsx';
import { Text } from '../ui/text.tsx';
import { useHasBegun } from './begun.ts';
import { NoticeProvider } from './notice.tsx';
import { whoami } from './queries.ts';
import { leftOutOf } from './search.ts';
import { lookAgain, useSession } from './session.ts';
import { summaryOfWorks, useWorks } from './work.ts';

export function Frame() {
  const content = useFocusOnNewPage();
  return (
    <NoticeProvider>
      <a className="skip" href="#content">
        Skip to content
      </a>
      <header className="frame">
        <Link to="/" className="brand">
          <img src="/assets/cairn.svg" alt="" width="20" height="20" /> Cairn
        </Link>
        <nav aria-label="Server">
          <WorkLink />
          <a href="/docs">Docs</a>
          <Person />
        </nav>
      </header>
      <main id="content" tabIndex={-1} ref={content}>
        <SignedOut />
        <AddressNote />
        <Outlet />
      </main>
    </NoticeProvider>
  );
}

/** Moves the focus to the content of each new page, for keyboards and screen readers. */
function useFocusOnNewPage() {
  const content = useRef<HTMLElement>(null);
  const path = useLocation({ select: ({ pathname }) => pathname });
  const before = useRef(path);
  useEffect(() => {
    if (before.current !== path) content.current?.focus({ preventScroll: true });
    before.current = path;
  }, [path]);
  return content;
}

function Person() {
  const { data } = useQuery(whoami);
  const { isEnded } = useSession();
  if (data === undefined) return null;
  if (isEnded || data.kind === 'anonymous') return <SignInLink />;
  return (
    <>
      <Link to="/-/tokens">Tokens</Link>
      <a href="/auth/account">{'handle' in data ? data.handle : data.kind}</a>
    </>
  );
}

function WorkLink() {
  const works = useWorks();
  if (works.length === 0) return null;
  return <Link to="/-/work">{`Tasks: ${summaryOfWorks(works)}`}</Link>;
}

/** Reports ignored search parameters, which usually come from a truncated or mistyped link. */
function AddressNote() {
  const { opened } = useRouteContext({ from: '__root__' });
  // The outermost match has the raw address, the innermost what the page understood.
  const matches = useMatches();
  const understood = matches.at(-1)?.search ?? {};
  const here = `${matches.at(-1)?.pathname} ${JSON.stringify(understood)}`;
  const [first] = useState(here);
  const leftOut = leftOutOf(here === first ? opened : (matches.at(0)?.search ?? {}), understood);
  if (leftOut.length === 0) return null;
  return (
    <p className="quiet" role="status">
      Invalid in the address:{' '}
      {leftOut.map(({ said, instead }, index) => (
        <span key={said}>
          {index > 0 && ', '}
          <Text>{said}</Text> ({instead})
        </span>
      ))}
      .
    </p>
  );
}

function SignedOut() {
  const queries = useQueryClient();
  const { isEnded, turn } = useSession();
  const hasBegun = useHasBegun();
  useEffect(() => {
    if (turn > 0) void queries.invalidateQueries();
  }, [queries, turn]);
  useEffect(() => {
    const look = () => void lookAgain();
    document.addEventListener('visibilitychange', look);
    window.addEventListener('focus', look);
    return () => {
      document.removeEventListener('visibilitychange', look);
      window.removeEventListener('focus', look);
    };
  }, []);
  if (!isEnded) return null;
  return (
    <p className="signed-out" role="alert">
      You are signed out. <SignInLink /> to continue{hasBegun && '; your changes are kept'}.{' '}
      <SmallButton onClick={() => window.location.reload()}>Continue without signing in</SmallButton>
    </p>
  );
}
