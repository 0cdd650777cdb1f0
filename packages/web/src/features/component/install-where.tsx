import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { repositories, whoami } from '../../app/queries.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { SignInFirst } from '../../ui/sign-in-first.tsx';
import type { ComponentName } from './component.ts';

/** The repositories that it could be installed in; what it would be given there is said on the next page. */
export function InstallWhere({ name }: { name: ComponentName }) {
  const { data: person } = useQuery(whoami);
  const found = useQuery(repositories());
  if (person?.kind === 'anonymous') return <SignInFirst what="install it" />;
  return (
    <Loaded query={found} what="repositories" isPart>
      {({ items }) =>
        items.length === 0 ? (
          <p className="quiet">There is no repository that you can see.</p>
        ) : (
          <ul>
            {items.map(({ orgName, name: repoName }) => (
              <li key={`${orgName}/${repoName}`}>
                <Link
                  to="/$orgName/$repoName/operate/components/$ownerName/$componentName"
                  params={{ orgName, repoName, ...name }}
                >
                  In {orgName}/{repoName}
                </Link>
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}
