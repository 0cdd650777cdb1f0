import { pinWref } from '@cairn/model/wref';
import type { RecordItem } from '@cairn/sdk';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Sight } from '../../app/sight.ts';
import { Author, Moment } from '../../ui/byline.tsx';
import { Disclosure } from '../../ui/list.tsx';
import { Loaded, MorePages } from '../../ui/page.tsx';
import { Section, Text } from '../../ui/text.tsx';
import { changeIn } from '../commit/commit.ts';
import { Differences } from '../commit/difference.tsx';
import { names, versions } from './record.ts';
import { CommitLink, CommitMessage, RecordLink } from './record-link.tsx';
import { isRename, type Rename, renamesOf, type TimelineEntry, timelineOf, withRenames } from './version-change.ts';

export function RecordHistory({ sight, record }: { sight: Sight; record: RecordItem }) {
  const query = useInfiniteQuery(versions(sight, record.name));
  const named = useQuery(names(sight, record.name));
  const renames = useMemo(() => renamesOf(named.data?.items ?? []), [named.data]);
  return (
    <Section id="record-history" title="History">
      <Loaded query={query} what="versions" isPart>
        {({ pages }) => (
          <ol className="timeline">
            {withRenames(timelineOf(pages.flatMap(({ items }) => items)), {
              renames,
              isWhole: !query.hasNextPage,
            }).map((told) =>
              isRename(told) ? (
                <li key={`renamed ${told.repoSeq}`} className="renamed">
                  <Renamed sight={sight} rename={told} />
                </li>
              ) : (
                <li key={told.version.version} aria-current={told.version.version === record.version || undefined}>
                  <Version sight={sight} entry={told} isShown={told.version.version === record.version} />
                </li>
              ),
            )}
          </ol>
        )}
      </Loaded>
      {named.isError && <p className="quiet">Earlier names could not be loaded: {named.error.message}</p>}
      {named.data?.nextCursor !== undefined && <p className="quiet">Only the first renames are shown.</p>}
      <MorePages query={query} what="versions" />
    </Section>
  );
}

function Renamed({ sight, rename }: { sight: Sight; rename: Rename }) {
  const { from, name, repoSeq, createdAt, createdBy } = rename;
  return (
    <p>
      Renamed from <Text>{from}</Text> to <Text>{name}</Text> in <CommitLink sight={sight} repoSeq={repoSeq} />{' '}
      <Moment at={createdAt} />{' '}
      <span className="quiet">
        by <Author createdBy={createdBy} />
      </span>
    </p>
  );
}

interface VersionProps {
  readonly sight: Sight;
  readonly entry: TimelineEntry;
  readonly isShown: boolean;
}

function Version(props: VersionProps) {
  const { sight, entry, isShown } = props;
  const { version, change } = entry;
  const summary = (
    <>
      Version {version.version} <span className="label">{change}</span> <Moment at={version.versionCreatedAt} />{' '}
      <span className="quiet">
        by <Author createdBy={version.createdBy} />
        <CommitMessage sight={sight} repoSeq={version.repoSeq} />
      </span>
      {isShown && <strong> (shown above)</strong>}
    </>
  );
  return <Disclosure summary={summary}>{() => <VersionChange {...props} />}</Disclosure>;
}

function VersionChange({ sight, entry, isShown }: VersionProps) {
  const { version, change, isPassedOver } = entry;
  return (
    <>
      <p>
        <CommitLink sight={sight} repoSeq={version.repoSeq} />
      </p>
      {change === 'retracted' && version.reason !== undefined && (
        <p>
          Reason: <Text>{version.reason}</Text>
        </p>
      )}
      {!isShown && (
        <p>
          <RecordLink wref={pinWref(version.name, version.version)}>{`View version ${version.version}`}</RecordLink>
        </p>
      )}
      {isPassedOver ? (
        <p className="quiet">
          The same commit changed the record again. The differences are listed with the version above.
        </p>
      ) : (
        <Changed sight={sight} version={version} />
      )}
    </>
  );
}

function Changed({ sight, version: { durableId, repoSeq } }: { sight: Sight; version: RecordItem }) {
  const query = useQuery(changeIn(sight, repoSeq, durableId));
  if (query.isError) return <p className="quiet">The changes could not be loaded: {query.error.message}</p>;
  return (
    <Loaded query={query} what="changes" isPart>
      {({ differences }) => <Differences differences={differences} />}
    </Loaded>
  );
}
