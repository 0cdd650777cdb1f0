import type { Scope } from '@cairn/protocol/scopes';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { rightText } from '../features/organization/role.ts';
import { Loaded, SignInLink } from '../ui/page.tsx';
import { Section } from '../ui/text.tsx';
import { permission, type Resource } from './may.ts';
import { whoami } from './queries.ts';

interface PermittedProps {
  readonly place: Resource;
  readonly scope: Scope;
  readonly children: ReactNode;
}

export function Permitted({ place, scope, children }: PermittedProps) {
  const asked = useQuery(permission(place, scope));
  return (
    <Loaded query={asked} what="your permissions" isPart>
      {({ allowed }) => (allowed ? children : <NotPermitted place={place} scope={scope} />)}
    </Loaded>
  );
}

export function PermittedSections({ place, scope, title, children }: PermittedProps & { title: string }) {
  const asked = useQuery(permission(place, scope));
  if (asked.data?.allowed) return children;
  return (
    <Section title={title}>
      <Loaded query={asked} what="your permissions" isPart>
        {() => <NotPermitted place={place} scope={scope} />}
      </Loaded>
    </Section>
  );
}

export function NotPermitted({ place: { orgName }, scope }: Omit<PermittedProps, 'children'>) {
  const { data: person } = useQuery(whoami);
  const giver = scope === 'org:admin' ? 'owner' : 'admin';
  return (
    <p className="not-permitted">
      This needs permission to {rightText(scope)}.{' '}
      {person?.kind === 'anonymous' ? (
        <>
          <SignInLink /> first.
        </>
      ) : (
        `Your role here does not include it. An ${giver} of ${orgName} can change your role.`
      )}
    </p>
  );
}
