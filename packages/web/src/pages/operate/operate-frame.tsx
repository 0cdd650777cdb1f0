import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { useMay } from '../../app/may.ts';
import { type Sight, useSight } from '../../app/sight.ts';
import { useCurrentInView } from '../../parts/current-in-view.ts';
import { NotPermitted } from '../../parts/permitted.tsx';
import { useTitle } from '../../parts/title.ts';
import '../../look/page.css';
import '../../look/operate.css';

const PAGES = [
  { to: '/$orgName/$repoName/operate/subscriptions', label: 'Subscriptions' },
  { to: '/$orgName/$repoName/operate/runs', label: 'Runs' },
  { to: '/$orgName/$repoName/operate/notifications', label: 'Notifications' },
  { to: '/$orgName/$repoName/operate/credentials', label: 'Credential sets' },
] as const;

/** Who may write installs them; who may read sees what is installed. */
const COMPONENTS = { to: '/$orgName/$repoName/operate/components', label: 'Components' } as const;

/** What happens around a repository: who is told of its commits, and how that went. It is of now, and for who may configure. */
export function OperateFrame() {
  const sight = useSight();
  const { orgName, repoName } = sight;
  const may = useMay(sight, 'repo:configure');
  const isComponents = useLocation({
    select: ({ pathname }) => pathname.startsWith(`/${orgName}/${repoName}/operate/components`),
  });
  if (sight.at !== undefined) return <OnlyNow sight={sight} />;
  if (may === undefined) {
    return (
      <p className="waiting" role="status">
        Finding out what you may do here…
      </p>
    );
  }
  return (
    <>
      <Pages sight={sight} pages={may ? [...PAGES, COMPONENTS] : [COMPONENTS]} />
      {may || isComponents ? <Outlet /> : <MayNot sight={sight} />}
    </>
  );
}

interface PagesProps {
  readonly sight: Sight;
  readonly pages: readonly ((typeof PAGES)[number] | typeof COMPONENTS)[];
}

function Pages({ sight: { orgName, repoName }, pages }: PagesProps) {
  const nav = useCurrentInView(pages.length);
  return (
    <nav className="pages operate-pages" aria-label="Operate" ref={nav}>
      {pages.map(({ to, label }) => (
        <Link key={to} to={to} params={{ orgName, repoName }} activeOptions={{ includeSearch: false }}>
          {label}
        </Link>
      ))}
    </nav>
  );
}

function MayNot({ sight: { orgName, repoName } }: { sight: Sight }) {
  useTitle('Operate', `${orgName}/${repoName}`);
  return (
    <>
      <h1>Operate</h1>
      <p>Here are the subscriptions of the repository, how their deliveries went, and what they are signed with.</p>
      <NotPermitted place={{ orgName, repoName }} scope="repo:configure" />
    </>
  );
}

function OnlyNow({ sight: { orgName, repoName } }: { sight: Sight }) {
  useTitle('Operate', `${orgName}/${repoName}`);
  return (
    <>
      <h1>Operate</h1>
      <p>
        Subscriptions and their runs are as they are now: the past cannot be changed, and is told to nobody.{' '}
        <Link to="/$orgName/$repoName/operate/subscriptions" params={{ orgName, repoName }} search={{}}>
          Go to now
        </Link>
        .
      </p>
    </>
  );
}
