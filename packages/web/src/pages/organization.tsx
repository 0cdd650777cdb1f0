import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { organization, repositories } from '../data/queries.ts';
import { Calls } from '../parts/calls.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { RepositoryList } from '../parts/repository-list.tsx';
import { Text } from '../parts/text.tsx';
import { useTitle } from '../parts/title.ts';

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
          <p className="quiet">{orgName}</p>
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
  return (
    <>
      <h2>Repositories</h2>
      <Loaded query={found} what="repositories" isPart>
        {({ items }) =>
          items.length === 0 ? (
            <p className="quiet">It has no repository that you can see.</p>
          ) : (
            <RepositoryList repositories={items} />
          )
        }
      </Loaded>
    </>
  );
}
