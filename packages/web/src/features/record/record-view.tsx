import { pinWref, unpinWref } from '@cairn/model/wref';
import type { RecordItem } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Tabs } from 'radix-ui';
import { useMemo } from 'react';
import type { ReadCall } from '../../app/calls.ts';
import { toEdit, toGraph, toNewRecord, toRecord, toShape } from '../../app/links.ts';
import { useLive } from '../../app/live.tsx';
import { atOf, type Sight } from '../../app/sight.ts';
import { CopyButton } from '../../ui/button.tsx';
import { Author, Moment } from '../../ui/byline.tsx';
import { Fact, Facts } from '../../ui/list.tsx';
import { LongText, Section, Text } from '../../ui/text.tsx';
import { WriteLinks } from '../change/writable.tsx';
import { Calls } from '../commit/calls.tsx';
import { inFieldOrder } from '../shape/declaration.ts';
import { shapeNamed } from '../shape/shape.ts';
import { ShapeActions } from '../shape/shape-actions.tsx';
import { noteFinder } from './field-note.ts';
import { fieldsIn, retractedTargets } from './record.ts';
import { RecordHistory } from './record-history.tsx';
import { CommitLink, CommitMessage, NameNote, PerhapsHidden, RecordLink, StepLinks } from './record-link.tsx';
import { RecordReferences } from './record-references.tsx';
import { RecordSaid } from './record-said.tsx';
import { Value } from './value.tsx';

interface RecordViewProps {
  readonly sight: Sight;
  readonly shown: RecordItem;
  readonly newest: Pick<RecordItem, 'version' | 'active' | 'reason'>;
  readonly askedAs: string | undefined;
}

export function RecordView({ sight, shown, newest, askedAs }: RecordViewProps) {
  const isNewest = shown.version === newest.version;
  // Without a chosen version, assertions about any version are shown.
  const targets = useQuery(retractedTargets(sight, shown));
  const retracted = useMemo(() => new Set(targets.data), [targets.data]);
  const version = isNewest ? undefined : shown.version;
  const wref = pinWref(shown.name, version);
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

function callsFor(sight: Sight, name: string, wref: string): ReadCall[] {
  const { orgName, repoName } = sight;
  const at = atOf(sight);
  const names = ['wref'];
  return [
    { what: 'The record', procedure: 'thing.get', given: [wref], names, options: { includeRetracted: true, ...at } },
    {
      what: 'Its assertions',
      procedure: 'thing.about',
      given: [wref],
      names,
      options: { order: '-updated', ...at },
      rest: `/api/repos/${orgName}/${repoName}/about/${encodeURIComponent(wref)}`,
    },
    { what: 'References in both directions', procedure: 'thing.refs', given: [wref], names, options: at },
    { what: 'Its names', procedure: 'thing.names', given: [name], names, options: at },
    { what: 'Its history', procedure: 'thing.history', given: [name], names, options: at },
  ];
}

const RecordIdentity = ({ record: { durableId, dataHash, recordCreatedAt } }: { record: RecordItem }) => (
  <Section id="record-identity" title="Identity">
    <dl className="record-facts">
      <Fact name="Created">
        <Moment at={recordCreatedAt} />
      </Fact>
      <Fact
        name="Durable ID"
        hint="Identifies this record permanently, even after a rename. Use it anywhere instead of a name."
      >
        <code>{durableId}</code> <CopyButton text={durableId} what="the durable ID" />
      </Fact>
      {dataHash !== undefined && (
        <Fact name="Data hash" hint="The SHA-256 hash of the data in this version. Equal hashes mean equal data.">
          <code>{dataHash}</code> <CopyButton text={dataHash} what="the data hash" />
        </Fact>
      )}
    </dl>
  </Section>
);

function RecordActions({ sight, record, isNewest }: { sight: Sight; record: RecordItem; isNewest: boolean }) {
  const { name, kind, active, version } = record;
  if (!isNewest) {
    if (kind === 'shape') return null;
    return (
      <WriteLinks sight={sight}>
        <Link {...toEdit(sight, name, { version })}>Revise from this version</Link>
      </WriteLinks>
    );
  }
  const say = active && <Link {...toNewRecord(sight, { kind: 'assertion', about: name })}>Add an assertion</Link>;
  if (kind === 'shape') {
    return (
      <ShapeActions sight={sight} shape={record}>
        {say}
      </ShapeActions>
    );
  }
  return (
    <WriteLinks sight={sight}>
      <Link {...toEdit(sight, name)}>{active ? 'Revise' : 'Restore'}</Link>
      {active && <StepLinks sight={sight} name={name} />}
      {say}
    </WriteLinks>
  );
}

interface RecordNotesProps {
  readonly sight: Sight;
  readonly record: RecordItem;
  readonly newest: Pick<RecordItem, 'version' | 'active' | 'reason'>;
}

const RecordNotes = ({ sight, record, newest }: RecordNotesProps) => (
  <>
    {record.version !== newest.version && (
      <p className="record-note">
        This is version {record.version}, not the newest. {!newest.active && <Retraction newest={newest} />}
        <Link {...toRecord(sight, record.name)}>
          View version {newest.version}, the newest{sight.at !== undefined && ' at this sequence'}
        </Link>
      </p>
    )}
    {!record.active && (
      <p className="record-note">
        This record is retracted. Lists do not show it; this page shows its last data.{' '}
        {record.reason !== undefined && (
          <>
            Reason: <Text>{record.reason}</Text>
          </>
        )}
      </p>
    )}
    {record.purged && (
      <p className="record-note">The data of this record was purged permanently. Only its hash remains.</p>
    )}
  </>
);

const Retraction = ({ newest: { version, reason } }: Pick<RecordNotesProps, 'newest'>) => (
  <strong>
    Version {version} retracted it
    {reason !== undefined && (
      <>
        : <Text>{reason}</Text>
      </>
    )}
    .{' '}
  </strong>
);

interface RecordDataProps {
  readonly sight: Sight;
  readonly record: RecordItem;
  readonly retracted: ReadonlySet<string>;
}

function RecordData({ sight, record, retracted }: RecordDataProps) {
  const { as } = useSearch({ from: '/$orgName/$repoName/record/$' });
  const navigate = useNavigate({ from: '/$orgName/$repoName/record/$' });
  if (record.purged) return null;
  const choose = (chosen: string) =>
    void navigate({
      to: '.',
      search: ({ as: _, ...others }) => (chosen === 'json' ? { ...others, as: 'json' } : others),
      replace: true,
      resetScroll: false,
    });
  return (
    <Section id="record-data" title={record.kind === 'collection' ? 'Members' : 'Data'}>
      <Tabs.Root value={as ?? 'fields'} onValueChange={choose}>
        <Tabs.List aria-label="Format">
          <Tabs.Trigger value="fields">Fields</Tabs.Trigger>
          <Tabs.Trigger value="json">JSON</Tabs.Trigger>
        </Tabs.List>
        <Tabs.Content value="fields">
          <Fields sight={sight} record={record} retracted={retracted} />
        </Tabs.Content>
        <Tabs.Content value="json">
          <Json data={record.data} />
        </Tabs.Content>
      </Tabs.Root>
    </Section>
  );
}

function Fields({ sight, record: { shapeName = '', data, refs }, retracted }: RecordDataProps) {
  const shape = useQuery({ ...shapeNamed(sight, shapeName), enabled: shapeName !== '' });
  const noteOf = useMemo(() => noteFinder(shape.data?.data), [shape.data]);
  const ordered = useMemo(
    () => (shape.data === undefined ? data : inFieldOrder(data, fieldsIn(shape.data))),
    [data, shape.data],
  );
  return <Value data={ordered} refs={refs} retracted={retracted} noteOf={noteOf} />;
}

function Json({ data }: { data: unknown }) {
  const text = useMemo(() => JSON.stringify(data, null, 2), [data]);
  return (
    <div className="json">
      <CopyButton text={text} what="the data as JSON" />
      <LongText>{text}</LongText>
    </div>
  );
}

interface RecordHeadingProps {
  readonly isNewest: boolean;
  readonly sight: Sight;
  readonly record: RecordItem;
  readonly retracted: ReadonlySet<string>;
}

function RecordHeading({ sight, record, retracted, isNewest }: RecordHeadingProps) {
  const { changed } = useLive();
  return (
    <header className={changed.has(record.name) ? 'record-heading changed' : 'record-heading'}>
      <h1>
        <Text>{record.name}</Text>
      </h1>
      <p className="record-labels">
        <span className="label">
          {record.collection === undefined ? record.kind : `${record.kind} (${record.collection})`}
        </span>
        <span className="label">version {record.version}</span>
        {isNewest && <span className="label">{record.active ? 'active' : 'retracted'}</span>}
        <Link {...toGraph(sight, { from: record.name })}>View graph</Link>
        {record.kind === 'shape' && <Link {...toShape(sight, record.name)}>View as shape</Link>}
      </p>
      <AboutLine record={record} retracted={retracted} />
      <RecordFacts sight={sight} record={record} />
    </header>
  );
}

function AboutLine({
  record: { kind, aboutWref, aboutDurableId = '' },
  retracted,
}: Omit<RecordHeadingProps, 'sight' | 'isNewest'>) {
  if (kind !== 'assertion' || aboutWref === undefined) return null;
  return (
    <p>
      About <PerhapsHidden wref={aboutWref} />{' '}
      {retracted.has(unpinWref(aboutDurableId)) && <span className="label">retracted</span>}
    </p>
  );
}

function RecordFacts({ sight, record }: { sight: Sight; record: RecordItem }) {
  const { shapeName, createdBy, versionCreatedAt, committerWref } = record;
  return (
    <Facts
      className="record-facts"
      facts={{
        Shape: shapeName && <RecordLink wref={shapeName} />,
        Written: (
          <>
            <Moment at={versionCreatedAt} /> by <Author createdBy={createdBy} />
            {record.imported && <span className="quiet">, according to the import</span>}, in{' '}
            <CommitLink sight={sight} repoSeq={record.repoSeq} />
            <CommitMessage sight={sight} repoSeq={record.repoSeq} />
          </>
        ),
        'On behalf of': committerWref !== undefined && <PerhapsHidden wref={committerWref} />,
      }}
    />
  );
}
