import { unpinWref } from '@cairn/model/wref';
import type { RecordItem } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { toGraph, toShape } from '../../app/links.ts';
import { useLive } from '../../app/live.tsx';
import { commitAt } from '../../app/queries.ts';
import type { Sight } from '../../app/sight.ts';
import { Author, Moment } from '../../ui/byline.tsx';
import { Fact, Text } from '../../ui/text.tsx';
import { CommitLink, PerhapsHidden, RecordLink } from './record-link.tsx';

interface RecordHeadingProps {
  readonly isNewest: boolean;
  readonly sight: Sight;
  readonly record: RecordItem;
  readonly retracted: ReadonlySet<string>;
}

export function RecordHeading({ sight, record, retracted, isNewest }: RecordHeadingProps) {
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
        <Link {...toGraph(sight, { from: record.name })}>See its graph</Link>
        {record.kind === 'shape' && <Link {...toShape(sight, record.name)}>See it as a shape</Link>}
      </p>
      <AboutLine record={record} retracted={retracted} />
      <Facts sight={sight} record={record} />
    </header>
  );
}

function AboutLine({
  record: { kind, aboutWref, aboutDurableId = '' },
  retracted,
}: Omit<RecordHeadingProps, 'sight' | 'isNewest'>) {
  if (kind !== 'assertion' || aboutWref === undefined) return null;
  if (aboutWref === null) return <p>What it is about is hidden from you.</p>;
  return (
    <p>
      It is about <RecordLink wref={aboutWref} />{' '}
      {retracted.has(unpinWref(aboutDurableId)) && <span className="label">retracted</span>}
    </p>
  );
}

function Facts({ sight, record }: { sight: Sight; record: RecordItem }) {
  const { shapeName, createdBy, versionCreatedAt, committerWref } = record;
  return (
    <dl className="record-facts">
      {shapeName !== undefined && (
        <Fact name="Shape">
          <RecordLink wref={shapeName} />
        </Fact>
      )}
      <Fact name="Written">
        <Moment at={versionCreatedAt} /> by <Author createdBy={createdBy} />
        {record.imported && <span className="quiet">, as the import said it</span>}
        <WrittenIn sight={sight} repoSeq={record.repoSeq} />
      </Fact>
      {committerWref !== undefined && (
        <Fact name="On behalf of">
          <PerhapsHidden wref={committerWref} />
        </Fact>
      )}
    </dl>
  );
}

function WrittenIn({ sight, repoSeq }: { sight: Sight; repoSeq: number }) {
  const { data } = useQuery(commitAt(sight, repoSeq));
  const commit = data?.items.find((one) => one.repoSeq === repoSeq);
  return (
    <>
      , in <CommitLink sight={sight} repoSeq={repoSeq} />
      {commit?.message && (
        <>
          : <Text>{commit.message}</Text>
        </>
      )}
    </>
  );
}
