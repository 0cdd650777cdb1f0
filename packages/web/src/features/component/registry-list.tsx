import type { RegistryItem } from '@cairn/sdk';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { PagedList, useSettled } from '../../ui/page.tsx';
import { Text } from '../../ui/text.tsx';
import { registry } from './component.ts';

interface RegistryListProps {
  readonly orgName?: string;
  readonly words?: string;
  readonly linkTo: (item: RegistryItem) => ReactNode;
}

export function RegistryList({ orgName, words = '', linkTo }: RegistryListProps) {
  const list = useInfiniteQuery(registry(orgName, useSettled(words.trim())));
  const none = words === '' ? <NoComponents /> : <p className="quiet">No matching components.</p>;
  return (
    <PagedList query={list} what="components" none={none}>
      {(items) => (
        <ul className="cards" aria-label="Components">
          {items.map((item) => (
            <li key={`${item.orgName}/${item.name}`}>
              {linkTo(item)} <span className="label">{item.version}</span>{' '}
              {item.visibility === 'private' && <span className="label">private</span>}
              <p className="quiet">
                <Text>{item.description ?? ''}</Text>
              </p>
            </li>
          ))}
        </ul>
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
