import type { Component as Registered } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { toComponentIn } from '../../app/links.ts';
import { repositories, whoami } from '../../app/queries.ts';
import { Author, Moment } from '../../ui/byline.tsx';
import { Facts } from '../../ui/list.tsx';
import { Loaded, SignInFirst, useTitle } from '../../ui/page.tsx';
import { LongText, Text } from '../../ui/text.tsx';
import { Calls } from '../commit/calls.tsx';
import { Value } from '../record/value.tsx';
import { type ComponentName, component, refOf } from './component.ts';
import { ManifestWords, NoSetup } from './manifest-words.tsx';

export function Component() {
  const name = useParams({ from: '/-/registry/$ownerName/$componentName' });
  useTitle(refOf(name), 'Registry');
  const found = useQuery(component(name));
  return (
    <Loaded query={found} what="the component">
      {(one) => (
        <>
          <h1>{refOf(name)}</h1>
          {one.description !== undefined && <LongText>{one.description}</LongText>}
          <ComponentFacts component={one} />
          <h2>Permissions and contents</h2>
          <ManifestWords manifest={one.manifest} />
          {one.setupOrigin === undefined && <NoSetup manifest={one.manifest} />}
          <h2>Install</h2>
          <InstallWhere name={name} />
          <h2>Versions</h2>
          <ul>
            {one.versions.map(({ version, publishedAt, publishedBy }) => (
              <li key={version}>
                {version}, published <Moment at={publishedAt} /> by <Author createdBy={publishedBy} />
              </li>
            ))}
          </ul>
          <details>
            <summary>Manifest</summary>
            <Value data={one.manifest} />
          </details>
          <Calls
            shown={{
              what: 'The component',
              procedure: 'component.view',
              given: [name.ownerName, name.componentName],
              names: ['orgName', 'name'],
              words: ['component', 'view', refOf(name)],
              isEverywhere: true,
            }}
          />
        </>
      )}
    </Loaded>
  );
}

const ComponentFacts = ({ component }: { component: Registered }) => (
  <Facts
    facts={{
      'Latest version': (
        <>
          {component.latestVersion}, <Moment at={component.updatedAt} />
        </>
      ),
      'Visible to': component.visibility === 'public' ? 'everyone' : 'members of its organization',
      'Setup endpoint': <Text>{component.setupOrigin ?? 'none'}</Text>,
      ...Object.fromEntries(
        component.warnings.map(({ path, message }) => [`Warning at ${path}`, <Text key={path}>{message}</Text>]),
      ),
      ID: <Text>{component.id}</Text>,
    }}
  />
);

function InstallWhere({ name }: { name: ComponentName }) {
  const { data: person } = useQuery(whoami);
  const found = useQuery(repositories());
  if (person?.kind === 'anonymous') return <SignInFirst what="install it" />;
  return (
    <Loaded query={found} what="repositories" isPart>
      {({ items }) =>
        items.length === 0 ? (
          <p className="quiet">You have access to no repositories.</p>
        ) : (
          <ul>
            {items.map(({ orgName, name: repoName }) => (
              <li key={`${orgName}/${repoName}`}>
                <Link {...toComponentIn({ orgName, repoName }, name)}>
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
