import { Link, useParams } from '@tanstack/react-router';
import { Page } from '../../ui/page.tsx';
import { Calls } from '../commit/calls.tsx';
import { RegistryList } from '../component/registry-list.tsx';

export function OrganizationComponents() {
  const { orgName } = useParams({ from: '/$orgName' });
  return (
    <Page title="Components" within={orgName}>
      <p>
        Components that {orgName} publishes. For all components that you can install, see the{' '}
        <Link to="/-/registry">registry</Link>.
      </p>
      <RegistryList orgName={orgName} />
      <Calls
        shown={{
          what: 'Its components',
          procedure: 'component.registry',
          options: { orgName },
          isEverywhere: true,
          words: ['component', 'registry', '--org', orgName],
        }}
      />
    </Page>
  );
}
