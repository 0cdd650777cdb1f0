import { keepPreviousData, type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import { commitAt, repository, repositoryKey } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import { atOf, type Sight } from '../../app/sight.ts';
import { Table } from '../../ui/list.tsx';
import { Loaded } from '../../ui/page.tsx';
import { Section } from '../../ui/text.tsx';
import {
  type Growth,
  growthOf,
  SAMPLES,
  sampleSequences,
  spread,
  type TimeScale,
  timeScaleOf,
  WHOLE_COMMITS,
} from './activity.ts';

const ActivityPlot = lazy(async () => ({ default: (await import('./activity-plot.tsx')).ActivityPlot }));

export function Activity({ sight }: { sight: Sight }) {
  const grown = useQuery(growth(sight));
  return (
    <Section id="activity" title="Activity">
      <p className="hint">Every change is a commit. The number of a commit is its sequence.</p>
      <Loaded query={grown} what="history" isPart>
        {(points) =>
          points.length < 2 ? <p className="quiet">There is only one commit so far.</p> : <Plotted points={points} />
        }
      </Loaded>
    </Section>
  );
}

function Plotted({ points }: { points: readonly Growth[] }) {
  const navigate = useNavigate();
  const scale = useMemo(() => timeScaleOf(points), [points]);
  const [pointed, setPointed] = useState<Growth>();
  const choose = useCallback(
    ({ repoSeq }: Growth) =>
      void navigate({ to: '.', search: (before) => ({ ...before, at: repoSeq }), resetScroll: false }),
    [navigate],
  );
  return (
    <>
      <Suspense fallback={<div className="plot" />}>
        <ActivityPlot
          points={points}
          scale={scale}
          label={summaryOf(points, scale)}
          onPoint={setPointed}
          onChoose={choose}
        />
      </Suspense>
      {/* The caption keeps its room, so that nothing below moves. */}
      <p className={pointed === undefined ? 'quiet plot-note' : 'quiet plot-note pointed'}>
        <span className="caption">{overTime(scale)} Select a point or move the slider above to see that state.</span>
        {pointed !== undefined && (
          <span>
            Commit {pointed.repoSeq.toLocaleString('en')}: {scale.exactText(pointed.at)}
          </span>
        )}
      </p>
      <GrowthTable points={points} scale={scale} />
    </>
  );
}

const ROWS = 12;

const GrowthTable = ({ points, scale }: { points: readonly Growth[]; scale: TimeScale }) => (
  <details className="growth">
    <summary>Show as table</summary>
    <Table heads={['Until', 'Commits']}>
      {spread(points, ROWS).map((point) => (
        <tr key={point.repoSeq}>
          <td>{scale.exactText(point.at)}</td>
          <td>
            <Link
              to="."
              search={(before) => ({ ...before, at: point.repoSeq })}
              aria-label={`View the repository at sequence ${point.repoSeq}`}
            >
              {point.repoSeq.toLocaleString('en')}
            </Link>
          </td>
        </tr>
      ))}
    </Table>
  </details>
);

const overTime = ({ since, momentText }: TimeScale): string =>
  since === undefined
    ? 'Commits over time.'
    : `Commits over time, in seconds after the first one, on ${momentText(since)}.`;

function summaryOf(points: readonly Growth[], { momentText }: TimeScale): string {
  const [first, last] = [points.at(0), points.at(-1)];
  if (first === undefined || last === undefined) return 'No commits';
  return `Commits over time: ${first.repoSeq.toLocaleString('en')} on ${momentText(first.at)}, ${last.repoSeq.toLocaleString('en')} on ${momentText(last.at)}`;
}

export const growth = (sight: Sight) =>
  queryOptions({
    queryKey: [...repositoryKey(sight), 'growth', sight.at ?? 'now'],
    queryFn: ({ signal, client: queries }) => readGrowth({ sight, signal, queries }),
    placeholderData: keepPreviousData,
  });

interface GrowthRequest {
  readonly sight: Sight;
  readonly signal: AbortSignal;
  readonly queries: QueryClient;
}

async function readGrowth({ sight, signal, queries }: GrowthRequest): Promise<Growth[]> {
  const log = (limit: number) =>
    client.commit.log(sight.orgName, sight.repoName, { signal, limit, ...atOf(sight) }).page();
  const [latest] = (await log(1)).items;
  if (latest === undefined) return [];
  const { importedRepoSeq = 1 } = await queries.ensureQueryData(repository(sight));
  const last = latest.repoSeq;
  if (last - importedRepoSeq < WHOLE_COMMITS) return growthOf((await log(WHOLE_COMMITS)).items);
  const sequences = sampleSequences({ first: importedRepoSeq, last, most: SAMPLES }).slice(0, -1);
  const found = await Promise.all(sequences.map((at) => queries.ensureQueryData(commitAt(sight, at))));
  return growthOf([...found.flatMap(({ items }) => items), latest]);
}
