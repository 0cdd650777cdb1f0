import type { RecordItem } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link, Navigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { toRecords } from '../../app/links.ts';
import type { Sight } from '../../app/sight.ts';
import { whenText } from '../../app/sight.ts';
import { Loaded, Missing } from '../../ui/page.tsx';
import { Text } from '../../ui/text.tsx';
import type { Whereabouts } from '../records/whereabouts.ts';
import { whereabouts } from './record.ts';
import { RecordLink } from './record-link.tsx';

interface MissingRecordProps {
  readonly sight: Sight;
  readonly name: string;
  readonly children: (name: string) => ReactNode;
  readonly present?: (name: string) => ReactNode;
}

export function MissingRecord({ sight, name, children, present }: MissingRecordProps) {
  const known = useQuery(whereabouts(sight, name));
  return (
    <Loaded query={known} what="the record">
      {(found) => {
        if (found.kind !== 'renamed') return <NotThere sight={sight} name={name} found={found} />;
        if (sight.at !== undefined) return children(found.name);
        if (found.name === name) return null;
        return present?.(found.name) ?? <PresentRecord sight={sight} name={found.name} askedAs={name} />;
      }}
    </Loaded>
  );
}

const PresentRecord = ({ sight, name, askedAs }: { sight: Sight; name: string; askedAs: string }) => (
  <Navigate
    to="/$orgName/$repoName/record/$"
    params={{ ...sight, _splat: name }}
    search={true}
    state={{ askedAs }}
    replace
    resetScroll={false}
  />
);

interface NotThereProps {
  readonly sight: Sight;
  readonly name: string;
  readonly found: Exclude<Whereabouts, { kind: 'renamed' }>;
}

function NotThere({ sight, name, found }: NotThereProps) {
  if (found.kind === 'later') {
    return (
      <Missing title="Record not found at this sequence">
        <p>
          <Text>{name}</Text> does not exist{whenText(sight)}. <Beginning sight={sight} begins={found.begins} />
        </p>
      </Missing>
    );
  }
  return (
    <Missing title="Record not found">
      <p>
        The record <Text>{name}</Text> does not exist in {sight.orgName}/{sight.repoName}
        {whenText(sight)}, or you do not have access.
      </p>
      <p>
        <SearchLink sight={sight} name={name} />
      </p>
    </Missing>
  );
}

function Beginning({ sight, begins }: { sight: Sight; begins: { at: number; name: string } | undefined }) {
  if (begins === undefined) return 'Go to a later sequence to see it.';
  return (
    <Link to="/$orgName/$repoName/record/$" params={{ ...sight, _splat: begins.name }} search={{ at: begins.at }}>
      View it at sequence {begins.at.toLocaleString('en')}
    </Link>
  );
}

function SearchLink({ sight, name }: { sight: Sight; name: string }) {
  const words = (name.split('/').at(-1) ?? name).replaceAll(/[-_.]+/g, ' ').trim() || name;
  return (
    <Link {...toRecords(sight, { q: words })}>
      Search the records for “<Text>{words}</Text>”
    </Link>
  );
}

export function MissingVersion({ sight, head, version }: { sight: Sight; head: RecordItem; version: number }) {
  return (
    <Missing title={`Version ${version} not found`}>
      <p>
        The newest version of <Text>{head.name}</Text>
        {whenText(sight)} is {head.version}. <RecordLink wref={head.name}>View it</RecordLink>
      </p>
    </Missing>
  );
}
