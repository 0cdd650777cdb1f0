import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { organizations, repositories, whoami } from '../data/queries.ts';
import { Calls } from '../parts/calls.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { RepositoryList } from '../parts/repository-list.tsx';
import { Text } from '../parts/text.tsx';
import { useTitle } from '../parts/title.ts';
import { Beginning } from './beginning.tsx';

const SHOWN = [
  { what: 'The repositories that you see', procedure: 'repo.list' },
  { what: 'The organizations', procedure: 'org.list' },
];

/** What there is to see: without signing in what is public, else one's own too. */
export function Home() {
  useTitle('Repositories');
  const { data: person } = useQuery(whoami);
  const found = useQuery(repositories());
  const orgs = useQuery(organizations);
  return (
    <>
      <h1>Repositories</h1>
      <p>Cairn keeps versioned, structured knowledge: records, what is said about them, and everything as it was.</p>
      {person?.kind === 'anonymous' && (
        <p className="quiet">
          You see what is public. <a href="/auth/sign-in">Sign in</a> to see what is yours.
        </p>
      )}
      <Loaded query={found} what="repositories" isPart>
        {({ items }) => (items.length === 0 ? <Beginning /> : <RepositoryList repositories={items} />)}
      </Loaded>
      <h2>Organizations</h2>
      <Loaded query={orgs} what="organizations" isPart>
        {({ items }) => (
          <ul className="cards">
            {items.map(({ name, displayName, description }) => (
              <li key={name}>
                <Link to="/$orgName" params={{ orgName: name }}>
                  {name}
                </Link>{' '}
                {displayName !== name && (
                  <span className="quiet">
                    <Text>{displayName}</Text>
                  </span>
                )}
                <p className="quiet">
                  <Text>{description}</Text>
                </p>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <Calls shown={SHOWN} />
    </>
  );
}
