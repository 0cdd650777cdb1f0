import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useParams } from '@tanstack/react-router';
import { toOrganization } from '../../app/links.ts';
import { useMay } from '../../app/may.ts';
import { organization } from '../../app/queries.ts';
import { Loaded, Missing, PerhapsPrivate, useCurrentInView } from '../../ui/page.tsx';
import { Text } from '../../ui/text.tsx';
import { FailureMark } from '../operate/details.tsx';

export function OrganizationFrame() {
  const { orgName } = useParams({ from: '/$orgName' });
  const itself = useQuery(organization(orgName));
  return (
    <Loaded query={itself} what="the organization" missing={<NoOrganization orgName={orgName} />}>
      {({ archived }) => (
        <>
          <div className="repository-bar">
            <nav className="path" aria-label="Location">
              <Link {...toOrganization(orgName)}>{orgName}</Link>
            </nav>
            {archived && <span className="label">archived</span>}
          </div>
          <Pages orgName={orgName} />
          <Outlet />
        </>
      )}
    </Loaded>
  );
}

function NoOrganization({ orgName }: { orgName: string }) {
  return (
    <Missing title="Organization not found" within={orgName}>
      <p>
        The organization <Text>{orgName}</Text> does not exist, or you do not have access.
      </p>
      <PerhapsPrivate />
      <p>
        <Link to="/">View all repositories</Link>, or <Link to="/-/new-organization">create an organization</Link>.
      </p>
    </Missing>
  );
}

function Pages({ orgName }: { orgName: string }) {
  const isMember = useMay({ orgName }, 'org:read') === true;
  const mayConfigure = useMay({ orgName }, 'org:configure') === true;
  const pages = [
    { to: '/$orgName', label: 'Repositories', isShown: true },
    { to: '/$orgName/-/members', label: 'Members', isShown: isMember },
    { to: '/$orgName/-/components', label: 'Components', isShown: true },
    { to: '/$orgName/-/operate', label: 'Operate', isShown: mayConfigure },
    { to: '/$orgName/-/audit', label: 'Audit', isShown: mayConfigure },
    { to: '/$orgName/-/settings', label: 'Settings', isShown: mayConfigure },
  ] as const;
  const shown = pages.filter(({ isShown }) => isShown);
  const nav = useCurrentInView(shown.length);
  return (
    <nav className="pages" aria-label="Organization" ref={nav}>
      {shown.map(({ to, label }) => (
        <Link
          key={to}
          to={to}
          params={{ orgName }}
          activeOptions={{ exact: to !== '/$orgName/-/operate', includeSearch: false }}
        >
          {label}
          {label === 'Operate' && <FailureMark home={{ orgName, repoName: null }} />}
        </Link>
      ))}
    </nav>
  );
}
