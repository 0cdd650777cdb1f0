import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { LiveProvider } from '../../app/live.tsx';
import { type Sight, timeOf, useSight } from '../../app/sight.ts';
import { repository } from '../../data/queries.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { LiveMark } from './live-mark.tsx';
import { TimeBar } from './time-bar.tsx';

/** What stands around every page of a repository: where one is, where else one can go, and at which sequence. */
export function RepositoryFrame() {
  const sight = useSight();
  const { orgName, repoName } = sight;
  const itself = useQuery(repository(sight));
  return (
    <LiveProvider sight={sight}>
      <div className="repository-bar">
        <nav className="path" aria-label="Where you are">
          <Link to="/$orgName" params={{ orgName }}>
            {orgName}
          </Link>
          <span aria-hidden="true">/</span>
          <Link to="/$orgName/$repoName" params={{ orgName, repoName }} search={timeOf(sight)}>
            {repoName}
          </Link>
        </nav>
        {itself.data !== undefined && <LiveMark isPast={sight.at !== undefined} />}
      </div>
      <Pages sight={sight} />
      <Loaded query={itself} what="the repository">
        {({ repoSeq, importedRepoSeq = 1 }) => (
          <>
            <TimeBar sight={sight} first={importedRepoSeq} latest={repoSeq} />
            {isReached(sight, importedRepoSeq, repoSeq) ? (
              <Outlet />
            ) : (
              <OutOfTime first={importedRepoSeq} latest={repoSeq} />
            )}
          </>
        )}
      </Loaded>
    </LiveProvider>
  );
}

const isReached = ({ at }: Sight, first: number, latest: number) => at === undefined || (at >= first && at <= latest);

/** A sequence that cannot be seen here. */
function OutOfTime({ first, latest }: { first: number; latest: number }) {
  const { at = 0 } = useSight();
  return (
    <section className="problem" role="alert">
      <h1>{at > latest ? `There is no sequence ${at} yet` : `Sequence ${at} is not in this copy`}</h1>
      <p>
        {at > latest
          ? `The repository has come to ${latest}.`
          : `It begins with ${first}; what was before can be seen in the original.`}{' '}
        Go back to now, or choose another one above.
      </p>
    </section>
  );
}

const PAGES = [
  { to: '/$orgName/$repoName', label: 'Overview', isExact: true },
  { to: '/$orgName/$repoName/records', label: 'Records', isExact: false },
  { to: '/$orgName/$repoName/shapes', label: 'Shapes', isExact: false },
  { to: '/$orgName/$repoName/graph', label: 'Graph', isExact: false },
  { to: '/$orgName/$repoName/commits', label: 'Commits', isExact: false },
  { to: '/$orgName/$repoName/export', label: 'Export', isExact: false },
] as const;

/** On a phone not all fit: the one that is open must be among those that are seen. */
function useCurrentInView() {
  const nav = useRef<HTMLElement>(null);
  const path = useLocation({ select: ({ pathname }) => pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is open when the path is another.
  useEffect(() => {
    nav.current?.querySelector('[aria-current="page"]')?.scrollIntoView({ inline: 'nearest', block: 'nearest' });
  }, [path]);
  return nav;
}

function Pages({ sight }: { sight: Sight }) {
  const { orgName, repoName } = sight;
  const nav = useCurrentInView();
  const isRecord = useLocation({ select: ({ pathname }) => pathname.startsWith(`/${orgName}/${repoName}/record/`) });
  return (
    <nav className="pages" aria-label="Repository" ref={nav}>
      {PAGES.map(({ to, label, isExact }) => (
        <Link
          key={to}
          to={to}
          params={{ orgName, repoName }}
          search={timeOf(sight)}
          activeOptions={{ exact: isExact, includeSearch: false }}
          {...(label === 'Records' && isRecord && { 'aria-current': 'page' as const })}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
