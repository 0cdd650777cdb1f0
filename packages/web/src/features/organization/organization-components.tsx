import { Link, useParams } from '@tanstack/react-router';
import { useTitle } from '../../ui/page.tsx';
import { Calls } from '../commit/calls.tsx';
import { RegistryList } from '../component/registry-list.tsx';

export function OrganizationComponents() {
  const { orgName } = useParams({ from: '/$orgName' });
  useTitle('Components', orgName);
  return (
    <>
      <h1>Components</h1>
      <p>
        Components that {orgName} publishes. For all components that you can install, see the{' '}
        <Link to="/-/registry">registry</Link>.
      </p>
      <RegistryList
        orgName={orgName}
        linkTo={({ name }) => (
          <Link to="/-/registry/$ownerName/$componentName" params={{ ownerName: orgName, componentName: name }}>
            {orgName}/{name}
          </Link>
        )}
      />
      <Calls
        shown={{
          what: 'Its components',
          procedure: 'component.registry',
          options: { orgName },
          isEverywhere: true,
          words: ['component', 'registry', '--org', orgName],
        }}
      />
    </>
  );
}
