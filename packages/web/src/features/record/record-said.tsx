import { splitWref } from '@cairn/model/wref';
import type { ListedRecord, RecordPage } from '@cairn/sdk';
import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { toNewRecord } from '../../app/links.ts';
import { useLive } from '../../app/live.tsx';
import type { Sight } from '../../app/sight.ts';
import { Author, Moment } from '../../ui/byline.tsx';
import { Disclosure } from '../../ui/list.tsx';
import { PagedList } from '../../ui/page.tsx';
import { Section, Text } from '../../ui/text.tsx';
import { WriteLinks } from '../change/writable.tsx';
import { said, saidCount } from './record.ts';
import { RecordLink } from './record-link.tsx';
import { Value } from './value.tsx';

interface RecordSaidProps {
  readonly sight: Sight;
  readonly wref: string;
  readonly version: number | undefined;
}

export function RecordSaid({ sight, wref, version }: RecordSaidProps) {
  const query = useInfiniteQuery(said(sight, wref));
  return (
    <Section id="record-said" title={version === undefined ? 'Assertions' : `Assertions about version ${version}`}>
      <SaidAbout sight={sight} query={query} />
    </Section>
  );
}

const SaidAbout = ({ sight, query }: { sight: Sight; query: UseInfiniteQueryResult<InfiniteData<RecordPage>> }) => (
  <PagedList query={query} what="assertions">
    {(assertions) => <Assertions sight={sight} assertions={assertions} />}
  </PagedList>
);

function Replies({ sight, assertion }: { sight: Sight; assertion: ListedRecord }) {
  const { wref, name } = assertion;
  const { data: count } = useQuery(saidCount(sight, wref));
  const summary = (
    <>
      Assertions about{' '}
      <span className="name">
        <Text>{name}</Text>
      </span>
      {count !== undefined && ` (${count === 0 ? 'none yet' : count.toLocaleString('en')})`}
    </>
  );
  return (
    <Disclosure className="replies" summary={summary}>
      {() => <OpenReplies sight={sight} assertion={assertion} />}
    </Disclosure>
  );
}

function OpenReplies({ sight, assertion: { wref, name } }: { sight: Sight; assertion: ListedRecord }) {
  const { _splat: from = '' } = useParams({ from: '/$orgName/$repoName/record/$' });
  return (
    <>
      <SaidAbout sight={sight} query={useInfiniteQuery(said(sight, wref))} />
      <WriteLinks sight={sight}>
        <Link {...toNewRecord(sight, { kind: 'assertion', about: name, from })}>Reply</Link>
      </WriteLinks>
    </>
  );
}

function Assertions({ sight, assertions }: { sight: Sight; assertions: readonly ListedRecord[] }) {
  const { changed } = useLive();
  if (assertions.length === 0) return <p className="quiet">No assertions yet.</p>;
  return (
    <ul className="assertions">
      {assertions.map((assertion) => (
        <li key={assertion.durableId} className={changed.has(assertion.name) ? 'changed' : undefined}>
          <p>
            <RecordLink wref={assertion.wref} />{' '}
            <span className="quiet">
              written by <Author createdBy={assertion.createdBy} />, <Moment at={assertion.versionCreatedAt} />
              {aboutVersion(assertion.aboutWref)}
            </span>
          </p>
          <Value data={assertion.data} refs={assertion.refs} />
          <Replies sight={sight} assertion={assertion} />
        </li>
      ))}
    </ul>
  );
}

function aboutVersion(aboutWref: string | null | undefined): string {
  if (typeof aboutWref !== 'string') return '';
  const { version } = splitWref(aboutWref);
  return version === undefined ? '' : `, about version ${version}`;
}
