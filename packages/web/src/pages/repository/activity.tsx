import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useState } from 'react';
import type { Sight } from '../../app/sight.ts';
import { type Growth, spread } from '../../data/activity.ts';
import { growth } from '../../data/overview.ts';
import { Loaded } from '../../parts/loaded.tsx';

const ActivityPlot = lazy(async () => ({ default: (await import('./activity-plot.tsx')).ActivityPlot }));

/** How the repository grew. Each point leads to the whole repository as it was then. */
export function Activity({ sight }: { sight: Sight }) {
  const grown = useQuery(growth(sight));
  return (
    <section aria-labelledby="activity">
      <h2 id="activity">Activity</h2>
      <p className="hint">
        Every change is a commit. Commits are counted, and the number is called the sequence: move the slider above to
        see everything as it was at another one.
      </p>
      <Loaded query={grown} what="the history" isPart>
        {(points) =>
          points.length < 2 ? <p className="quiet">There is one commit so far.</p> : <Plotted points={points} />
        }
      </Loaded>
    </section>
  );
}

function Plotted({ points }: { points: readonly Growth[] }) {
  const navigate = useNavigate();
  const [pointed, setPointed] = useState<Growth>();
  const choose = useCallback(
    ({ repoSeq }: Growth) =>
      void navigate({ to: '.', search: (before) => ({ ...before, at: repoSeq }), resetScroll: false }),
    [navigate],
  );
  return (
    <>
      <Suspense fallback={<div className="plot" />}>
        <ActivityPlot points={points} label={summaryOf(points)} onPoint={setPointed} onChoose={choose} />
      </Suspense>
      <p className="quiet plot-note">
        {pointed === undefined
          ? 'Commits over time. Choose a point to see the repository as it was then.'
          : saidOf(pointed)}
      </p>
      <GrowthTable points={points} />
    </>
  );
}

const ROWS = 12;

/** The same for who does not see the plot, or has no mouse. */
function GrowthTable({ points }: { points: readonly Growth[] }) {
  return (
    <details className="growth">
      <summary>The same as a table</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">Until</th>
            <th scope="col">Commits</th>
          </tr>
        </thead>
        <tbody>
          {spread(points, ROWS).map((point) => (
            <tr key={point.repoSeq}>
              <td>{timeText(point)}</td>
              <td>
                <Link
                  to="."
                  search={(before) => ({ ...before, at: point.repoSeq })}
                  aria-label={`See the repository at sequence ${point.repoSeq}`}
                >
                  {point.repoSeq.toLocaleString('en')}
                </Link>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const timeText = ({ at }: Growth): string => TIME.format(at);
const saidOf = (point: Growth): string => `${timeText(point)}: commit ${point.repoSeq.toLocaleString('en')}`;

function summaryOf(points: readonly Growth[]): string {
  const [first, last] = [points.at(0), points.at(-1)];
  if (first === undefined || last === undefined) return 'No commits';
  return `Commits over time: ${first.repoSeq.toLocaleString('en')} on ${timeText(first)}, ${last.repoSeq.toLocaleString('en')} on ${timeText(last)}`;
}
