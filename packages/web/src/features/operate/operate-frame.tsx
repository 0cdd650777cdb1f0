import { Link, Outlet, useLocation, useParams } from '@tanstack/react-router';
import { useMay } from '../../app/may.ts';
import { NotPermitted } from '../../app/permitted.tsx';
import type { Sight } from '../../app/sight.ts';
import { addressOf, type Home, homeName, useHome, useSight } from '../../app/sight.ts';
import { Page, PresentOnly, useCurrentInView, Waiting } from '../../ui/page.tsx';
import { FailureMark } from './details.tsx';

const PAGES = [
  { to: '/$orgName/$repoName/operate/subscriptions', label: 'Subscriptions' },
  { to: '/$orgName/$repoName/operate/runs', label: 'Runs' },
  { to: '/$orgName/$repoName/operate/notifications', label: 'Notifications' },
  { to: '/$orgName/$repoName/operate/credentials', label: 'Credential sets' },
] as const;

const COMPONENTS = { to: '/$orgName/$repoName/operate/components', label: 'Components' } as const;

export function OperateFrame() {
  const sight = useSight();
  const { orgName, repoName } = sight;
  const may = useMay(sight, 'repo:configure');
  const isComponents = useLocation({
    select: ({ pathname }) => pathname.startsWith(`/${orgName}/${repoName}/operate/components`),
  });
  if (sight.at !== undefined) return <Past sight={sight} />;
  if (may === undefined) return <Waiting>Loading your permissions…</Waiting>;
  return (
    <>
      <Pages home={sight} pages={may ? [...PAGES, COMPONENTS] : [COMPONENTS]} />
      {may || isComponents ? <Outlet /> : <MayNot scope="repo:configure" />}
    </>
  );
}

export function OrganizationOperateFrame() {
  const { orgName } = useParams({ from: '/$orgName' });
  const may = useMay({ orgName }, 'org:configure');
  if (may === undefined) return <Waiting>Loading your permissions…</Waiting>;
  return may ? (
    <>
      <Pages home={{ orgName, repoName: null }} pages={PAGES} />
      <Outlet />
    </>
  ) : (
    <MayNot scope="org:configure" />
  );
}

function Pages({ home, pages }: { home: Home; pages: readonly ((typeof PAGES)[number] | typeof COMPONENTS)[] }) {
  const nav = useCurrentInView(pages.length);
  return (
    <nav className="pages operate-pages" aria-label="Operate" ref={nav}>
      {pages.map(({ to, label }) => (
        <Link key={to} to={to} params={addressOf(home)} activeOptions={{ includeSearch: false }}>
          {label}
          {label === 'Notifications' && <FailureMark home={home} />}
        </Link>
      ))}
    </nav>
  );
}

function MayNot({ scope }: { scope: 'repo:configure' | 'org:configure' }) {
  const home = useHome();
  const { orgName, repoName } = home;
  return (
    <Page title="Operate" within={homeName(home)}>
      <p>
        This page manages the subscriptions of the {repoName === null ? 'organization' : 'repository'}, their deliveries
        and their credentials.
      </p>
      <NotPermitted place={{ orgName, repoName: repoName ?? undefined }} scope={scope} />
    </Page>
  );
}

const Past = ({ sight }: { sight: Sight }) => (
  <Page title="Operate" within={homeName(sight)}>
    <PresentOnly>{null}</PresentOnly>
  </Page>
);
