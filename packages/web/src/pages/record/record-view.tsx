import type { RecordItem } from '@cairn/sdk';
import { atOf, type Sight } from '../../app/sight.ts';
import type { Shown } from '../../data/calls.ts';
import { pinned } from '../../data/wref.ts';
import { Calls } from '../../parts/calls.tsx';
import { RecordData } from './record-data.tsx';
import { RecordHeading } from './record-heading.tsx';
import { RecordHistory } from './record-history.tsx';
import { RecordNotes } from './record-notes.tsx';
import { RecordReferences } from './record-references.tsx';
import { RecordSaid } from './record-said.tsx';

interface RecordViewProps {
  readonly sight: Sight;
  readonly shown: RecordItem;
  /** The newest version at the sequence that is looked at. */
  readonly newest: number;
}

export function RecordView({ sight, shown, newest }: RecordViewProps) {
  const isNewest = shown.version === newest;
  // What is said about a record is about any of its versions; who chose one sees what is said of that one.
  const wref = pinned(shown.name, isNewest ? undefined : shown.version);
  return (
    <article className="record">
      <RecordHeading sight={sight} record={shown} />
      <RecordNotes sight={sight} record={shown} newest={newest} />
      <RecordData sight={sight} record={shown} />
      <RecordSaid sight={sight} wref={wref} version={isNewest ? undefined : shown.version} />
      <RecordReferences sight={sight} wref={wref} />
      <RecordHistory sight={sight} record={shown} />
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
    { what: 'Its history', procedure: 'thing.history', given: [name], names, options: at },
  ];
}
