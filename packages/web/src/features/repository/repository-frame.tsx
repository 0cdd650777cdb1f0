import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { toDraft, toOrganization, toOrganizationSettings, toRepository } from '../../app/links.ts';
import { LiveProvider, type LiveState, useLive, useLiveState } from '../../app/live.tsx';
import { useMay, useStranded } from '../../app/may.ts';
import { isMissing } from '../../app/problem.ts';
import { organization, repository, repositoryFate, whoami } from '../../app/queries.ts';
import { useSession } from '../../app/session.ts';
import { homeName, type Sight, timeOf, useSight } from '../../app/sight.ts';
import { SmallButton } from '../../ui/button.tsx';
import { Moment } from '../../ui/byline.tsx';
import { Loaded, Missing, PerhapsPrivate, useCurrentInView } from '../../ui/page.tsx';
import { Text } from '../../ui/text.tsx';
import { amountOf } from '../change/change.ts';
import { useDraft, useDraftOrigin } from '../change/kept-draft.ts';
import { FailureMark } from '../operate/details.tsx';
import { DraftMoved, LostDraft } from './lost-draft.tsx';
import { TimeBar } from './time-bar.tsx';

const TIMELESS = /^\/((new|edit|new-shape|edit-shape|edit-text|draft|import|settings|operate)(\/|$)|commits\/)/;

export function RepositoryFrame() {
  const sight = useSight();
  const { orgName, repoName } = sight;
  const itself = useQuery(repository(sight));
  const isShown = useLocation({
    select: ({ pathname }) => !TIMELESS.test(pathname.slice(`/${orgName}/${repoName}`.length)),
  });
  return (
    <LiveProvider sight={sight}>
      {(itself.data !== undefined || !isMissing(itself.error)) && (
        <div className="repository-bar">
          <nav className="path" aria-label="Location">
            <Link {...toOrganization(orgName)}>{orgName}</Link>
            <span aria-hidden="true">/</span>
            <Link {...toRepository({ orgName, repoName })}>{repoName}</Link>
            {itself.data?.archived && <span className="label">archived: read-only</span>}
          </nav>
          {itself.data !== undefined && <LiveMark isPast={sight.at !== undefined} />}
        </div>
      )}
      {!itself.isLoadingError && <Pages sight={sight} />}
      <Loaded query={itself} what="the repository" missing={<NoRepository sight={sight} />}>
        {({ repoSeq, importedRepoSeq = 1, createdAt }) => (
          <>
            <ClosedNote sight={sight} createdAt={createdAt} />
            <DraftBar sight={sight} />
            {(isShown || sight.at !== undefined) && <TimeBar sight={sight} first={importedRepoSeq} latest={repoSeq} />}
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

function OutOfTime({ first, latest }: { first: number; latest: number }) {
  const { at = 0 } = useSight();
  return (
    <section className="problem" role="alert">
      <h1>{at > latest ? `Sequence ${at} does not exist yet` : `Sequence ${at} is not in this copy`}</h1>
      <p>
        {at > latest
          ? `The latest sequence is ${latest}.`
          : `This copy starts at sequence ${first}. Earlier ones are only in the original repository.`}{' '}
        Go back to now, or choose another sequence above.
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

const OPERATE = { to: '/$orgName/$repoName/operate', label: 'Operate', isExact: false } as const;
const COMPONENTS = { to: '/$orgName/$repoName/operate/components', label: 'Components', isExact: false } as const;
const SETTINGS = { to: '/$orgName/$repoName/settings', label: 'Settings', isExact: false } as const;

function pageOfRecord(path: string): string | undefined {
  const [, name] = /^\/record\/(.+)$/.exec(path) ?? [];
  if (name === undefined) return undefined;
  return name.includes('/') ? 'Records' : 'Shapes';
}

function Pages({ sight }: { sight: Sight }) {
  const { orgName, repoName } = sight;
  const mayWrite = useMay(sight, 'repo:write') === true;
  const mayConfigure = useMay(sight, 'repo:configure') === true;
  const pages = [...PAGES, ...(mayConfigure ? [OPERATE, SETTINGS] : mayWrite ? [COMPONENTS] : [])];
  const nav = useCurrentInView(pages.length);
  const ofRecord = useLocation({
    select: ({ pathname }) => pageOfRecord(pathname.slice(`/${orgName}/${repoName}`.length)),
  });
  return (
    <nav className="pages" aria-label="Repository" ref={nav}>
      {pages.map(({ to, label, isExact }) => (
        <Link
          key={to}
          to={to}
          params={{ orgName, repoName }}
          search={timeOf(sight)}
          activeOptions={{ exact: isExact, includeSearch: false }}
          {...(label === ofRecord && { 'aria-current': 'page' as const })}
        >
          {label}
          {label === 'Operate' && <FailureMark home={sight} />}
        </Link>
      ))}
    </nav>
  );
}

function NoRepository({ sight }: { sight: Sight }) {
  const { orgName, repoName } = sight;
  const { data: around } = useQuery(organization(orgName));
  return (
    <>
      <Missing title="Repository not found" within={homeName(sight)}>
        <p>
          The repository <Text>{`${orgName}/${repoName}`}</Text> does not exist, or you do not have access.
        </p>
        <PerhapsPrivate />
        <p>
          View{' '}
          {around !== undefined && (
            <>
              <Link {...toOrganization(orgName)}>the repositories of {orgName}</Link> or{' '}
            </>
          )}
          <Link to="/">all repositories</Link>.
        </p>
      </Missing>
      <LostDraft sight={sight} />
    </>
  );
}

function DraftBar({ sight }: { sight: Sight }) {
  const { changes } = useDraft(sight);
  const { data } = useQuery(repository(sight));
  const origin = useDraftOrigin(sight, data?.createdAt);
  const isStranded = useStranded(sight);
  const { orgName, repoName } = sight;
  const isDraft = useLocation({ select: ({ pathname }) => pathname === `/${orgName}/${repoName}/draft` });
  if (changes.length === 0) return null;
  if (origin !== undefined && data !== undefined && origin !== data.createdAt) {
    return (
      <div className="draft-bar" role="status">
        <p>Your draft belongs to another repository, which formerly had this name.</p>
        <DraftMoved sight={sight} createdAt={origin} />
        {!isDraft && <DraftLink sight={sight} />}
      </div>
    );
  }
  if (isDraft) return null;
  return (
    <div className="draft-bar" role="status">
      <p>
        {amountOf(changes)} not committed yet{isStranded && ', and you cannot commit now'}.
      </p>
      <DraftLink sight={sight} />
    </div>
  );
}

const DraftLink = ({ sight }: { sight: Sight }) => <Link {...toDraft(sight)}>Review</Link>;

interface Said {
  readonly label: string;
  readonly more?: string;
  readonly title: string;
}

const SAID: Readonly<Record<LiveState, Said>> = {
  connecting: { label: 'Connecting', title: 'This page does not update yet.' },
  waiting: {
    label: 'Not live',
    more: 'too many windows',
    title: 'Too many windows of this browser are live. Close one of them to make this one live.',
  },
  live: {
    label: 'Live',
    title: 'This page updates automatically. Changes are briefly marked on the left.',
  },
  offline: {
    label: 'Offline',
    more: 'reconnecting',
    title: 'The connection was lost. The page reconnects automatically, and may be out of date until then.',
  },
  closed: { label: 'Not live', more: 'no access', title: 'You no longer have access to this repository.' },
  ended: {
    label: 'Not live',
    more: 'reconnecting',
    title: 'Live updates stopped. The page reconnects automatically, and may be out of date until then.',
  },
};

const SIGNED_OUT: Said = {
  label: 'Not live',
  more: 'signed out',
  title: 'Live updates resume when you sign in, or continue without signing in.',
};

function LiveMark({ isPast }: { isPast: boolean }) {
  const { reload } = useLive();
  const state = useLiveState();
  const { isEnded } = useSession();
  if (isPast) return null;
  const { label, more, title } = state === 'closed' && isEnded ? SIGNED_OUT : SAID[state];
  return (
    <div className="live-state">
      <p className="live-mark" data-state={state} role="status" title={title}>
        {label}
        {more !== undefined && <span className="quiet"> {more}</span>}
      </p>
      {(state === 'waiting' || state === 'ended') && <SmallButton onClick={reload}>Reload</SmallButton>}
    </div>
  );
}

interface ClosedNoteProps {
  readonly sight: Sight;
  readonly createdAt: number;
}

function ClosedNote({ sight, createdAt }: ClosedNoteProps) {
  const { state } = useLive();
  const { isEnded } = useSession();
  if (state !== 'closed' || isEnded) return null;
  return (
    <section className="problem" role="alert">
      <p>
        You no longer have access to {sight.orgName}/{sight.repoName}: <Fate sight={sight} createdAt={createdAt} /> This
        page shows data that was loaded earlier. <Link to="/">View all repositories</Link>.
      </p>
      <PerhapsPrivate />
    </section>
  );
}

function Fate({ sight: { orgName, repoName }, createdAt }: ClosedNoteProps) {
  const { data: person } = useQuery(whoami);
  const isKnown = person !== undefined && person.kind !== 'anonymous';
  // A state from before the loss of access is meaningless.
  const { data: fate } = useQuery({ ...repositoryFate(createdAt), staleTime: 0, enabled: isKnown });
  if (fate?.kind === 'deleted') {
    return (
      <>
        it was deleted (<Moment at={fate.at} />
        ). You can restore it for 30 days in the <Link {...toOrganizationSettings(orgName)}>settings of {orgName}</Link>
        .
      </>
    );
  }
  if (fate?.kind === 'renamed' && (fate.orgName !== orgName || fate.repoName !== repoName)) {
    const { kind: _, ...params } = fate;
    return (
      <>
        it was renamed to{' '}
        <Link {...toRepository(params)}>
          {fate.orgName}/{fate.repoName}
        </Link>
        .
      </>
    );
  }
  return <>it was made private, renamed or deleted, or your role was removed.</>;
}
