import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { toComponent } from '../../app/links.ts';
import { List } from '../../ui/list.tsx';
import { PagedList, useSettled } from '../../ui/page.tsx';
import { Text } from '../../ui/text.tsx';
import { type ComponentName, refOf, registry } from './component.ts';

interface RegistryListProps {
  readonly orgName?: string;
  readonly words?: string;
  readonly linkTo?: (name: ComponentName) => ReactNode;
}

const inRegistry = (name: ComponentName) => <Link {...toComponent(name)}>{refOf(name)}</Link>;

export function RegistryList({ orgName, words = '', linkTo = inRegistry }: RegistryListProps) {
  const list = useInfiniteQuery(registry(orgName, useSettled(words.trim())));
  const none = words === '' ? <NoComponents /> : <p className="quiet">No matching components.</p>;
  return (
    <PagedList query={list} what="components" none={none}>
      {(items) => (
        <List
          className="cards"
          label="Components"
          items={items}
          keyOf={({ orgName: owner, name }) => `${owner}/${name}`}
        >
          {(item) => (
            <>
              {linkTo({ ownerName: item.orgName, componentName: item.name })}{' '}
              <span className="label">{item.version}</span>{' '}
              {item.visibility === 'private' && <span className="label">private</span>}
              <p className="quiet">
                <Text>{item.description ?? ''}</Text>
              </p>
            </>
          )}
        </List>
      )}
    </PagedList>
  );
}

const NoComponents = () => (
  <p className="quiet">
    There are no components yet. To publish a program as a component of your organization, use the CLI. See{' '}
    <a href="/docs/components">Components</a>.
  </p>
);
