import type { RecordItem } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Shown } from '../../app/calls.ts';
import { Calls } from '../../app/calls.tsx';
import { atOf, type Sight } from '../../app/sight.ts';
import { NameNote } from './name-note.tsx';
import { retractedTargets } from './record.ts';
import { RecordActions } from './record-actions.tsx';
import { RecordData } from './record-data.tsx';
import { RecordHeading } from './record-heading.tsx';
import { RecordHistory } from './record-history.tsx';
import { RecordIdentity } from './record-identity.tsx';
import { RecordNotes } from './record-notes.tsx';
import { RecordReferences } from './record-references.tsx';
import { RecordSaid } from './record-said.tsx';
import { pinned } from './wref.ts';

interface RecordViewProps {
  readonly sight: Sight;
  readonly shown: RecordItem;
  /** The newest version at the sequence that is looked at. */
  readonly newest: Pick<RecordItem, 'version' | 'active' | 'reason'>;
  /** The name in the address, where that is another. */
  readonly askedAs: string | undefined;
}

export function RecordView({ sight, shown, newest, askedAs }: RecordViewProps) {
  const isNewest = shown.version === newest.version;
  // What is said about a record is about any of its versions; who chose one sees what is said of that one.
  const targets = useQuery(retractedTargets(sight, shown));
  const retracted = useMemo(() => new Set(targets.data), [targets.data]);
  const version = isNewest ? undefined : shown.version;
  const wref = pinned(shown.name, version);
  return (
    <article className="record">
      <RecordHeading sight={sight} record={shown} retracted={retracted} isNewest={isNewest} />
      <RecordActions sight={sight} record={shown} isNewest={isNewest} />
      <NameNote sight={sight} durableId={shown.durableId} name={shown.name} askedAs={askedAs} />
      <RecordNotes sight={sight} record={shown} newest={newest} />
      <RecordData sight={sight} record={shown} retracted={retracted} />
      <RecordSaid sight={sight} wref={wref} version={version} />
      <RecordReferences sight={sight} name={shown.name} wref={wref} version={version} retracted={retracted} />
      <RecordHistory sight={sight} record={shown} />
      <RecordIdentity record={shown} />
      <Calls shown={callsFor(sight, shown.name, wref)} />
    </article>
  );
}

function callsFor(sight: Sight, name: string, wref: string): Shown[] {
  const { orgName, repoName } = sight;
  const at = atOf(sight);
  const names = ['wref'];
  return [
    { what: 'The record', procedure: 'thing.get', given: [wref], names, options: { includeRetracted: true, ...at } },
    {
      what: 'What is said about it',
      procedure: 'thing.about',
      given: [wref],
      names,
      options: { order: '-updated', ...at },
      rest: `/api/repos/${orgName}/${repoName}/about/${encodeURIComponent(wref)}`,
    },
    { what: 'References both ways', procedure: 'thing.refs', given: [wref], names, options: at },
    { what: 'What it was called', procedure: 'thing.names', given: [name], names, options: at },
    { what: 'Its history', procedure: 'thing.history', given: [name], names, options: at },
  ];
}
