import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { toNewRepository, toOrganizationSettings } from '../../app/links.ts';
import { useMay } from '../../app/may.ts';
import { deletedRepositories, organization, repositories } from '../../app/queries.ts';
import { Loaded, useTitle } from '../../ui/page.tsx';
import { Text } from '../../ui/text.tsx';
import { Calls } from '../commit/calls.tsx';
import { RepositoryList } from './repository-list.tsx';

export function Organization() {
  const { orgName } = useParams({ from: '/$orgName' });
  useTitle(orgName);
  const itself = useQuery(organization(orgName));
  return (
    <Loaded query={itself} what="the organization">
      {({ displayName, description }) => (
        <>
          <h1>
            <Text>{displayName}</Text>
          </h1>
          <p>
            <Text>{description}</Text>
          </p>
          <Repositories orgName={orgName} />
          <Calls shown={shownOf(orgName)} />
        </>
      )}
    </Loaded>
  );
}

const shownOf = (orgName: string) => [
  { what: 'The organization', procedure: 'org.get', command: 'org view' },
  {
    what: 'Its repositories',
    procedure: 'repo.list',
    options: { orgName },
    isEverywhere: true,
    words: ['repo', 'list', orgName],
  },
];

function Repositories({ orgName }: { orgName: string }) {
  const found = useQuery(repositories(orgName));
  const mayMake = useMay({ orgName }, 'org:configure') === true;
  return (
    <>
      <div className="heading-row">
        <h2>Repositories</h2>
        {mayMake && <Link {...toNewRepository(orgName)}>New repository</Link>}
      </div>
      <Loaded query={found} what="repositories" isPart>
        {({ items }) =>
          items.length === 0 ? (
            <NoRepository orgName={orgName} mayMake={mayMake} />
          ) : (
            <RepositoryList repositories={items} />
          )
        }
      </Loaded>
    </>
  );
}

function NoRepository({ orgName, mayMake }: { orgName: string; mayMake: boolean }) {
  const { data } = useInfiniteQuery({ ...deletedRepositories(orgName), enabled: mayMake });
  if (!mayMake) return <p className="quiet">There are no repositories that you can see.</p>;
  if (data === undefined || data.pages.every(({ items }) => items.length === 0)) {
    return <p className="quiet">There are no repositories yet.</p>;
  }
  return (
    <p className="quiet">
      There are no repositories. You can restore deleted ones in the{' '}
      <Link {...toOrganizationSettings(orgName)}>settings</Link>.
    </p>
  );
}
