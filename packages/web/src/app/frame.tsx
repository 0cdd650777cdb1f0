import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { SignInLink } from '../ui/sign-in-link.tsx';
import { AddressNote } from './address-note.tsx';
import { NoticeProvider } from './notice.tsx';
import { whoami } from './queries.ts';
import { useSession } from './session.ts';
import { SignedOut } from './signed-out.tsx';
import { summaryOfWorks, useWorks } from './work.ts';

/** What stands around every page. */
export function Frame() {
  const content = useFocusOnNewPage();
  return (
    <NoticeProvider>
      <a className="skip" href="#content">
        Skip to the content
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

/** Who goes on by the keyboard, or hears the page, begins each one at its content. */
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

/** Only where there is some. */
function WorkLink() {
  const works = useWorks();
  if (works.length === 0) return null;
  return <Link to="/-/work">{`Work: ${summaryOfWorks(works)}`}</Link>;
}
