import type { RepositoryDescription } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import type { Sight } from '../../app/sight.ts';
import { ShowMore, usePortion } from '../../ui/portion.tsx';
import { shapeCounts } from './record-count.ts';
import { hasOthers, othersIn } from './retracted-shape.ts';
import { ShapeRow } from './shape-row.tsx';

interface ShapeTableProps {
  readonly sight: Sight;
  readonly described: Pick<RepositoryDescription, 'shapes' | 'counts'>;
  readonly hasVersion?: boolean;
  /** How many are shown before more are asked for. */
  readonly most?: number;
}

/** The shapes, with what they are for and how many records each has; at the end those that are retracted and have some still. */
export function ShapeTable({ sight, described, hasVersion = false, most }: ShapeTableProps) {
  const { shapes } = described;
  const counted = useQuery({ ...shapeCounts(sight), enabled: hasOthers(described) });
  const retracted = hasOthers(described) ? othersIn(counted.data ?? [], shapes) : [];
  const { shown, left, more } = usePortion(shapes, most);
  if (shapes.length === 0 && retracted.length === 0) {
    return <p className="quiet">There is no shape {sight.at === undefined ? 'yet' : 'at this sequence'}.</p>;
  }
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
      <section className="scrolled" aria-label="The shapes" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Shape</th>
              <th scope="col">Records</th>
              {hasVersion && <th scope="col">Version</th>}
              <th scope="col">What it is</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((shape) => (
              <ShapeRow key={shape.name} sight={sight} shape={shape} hasVersion={hasVersion} />
            ))}
            {retracted.map((shape) => (
              <ShapeRow key={shape.name} sight={sight} shape={shape} hasVersion={hasVersion} isRetracted />
            ))}
          </tbody>
        </table>
      </section>
      <ShowMore left={left} more={more} what="shapes" />
    </>
  );
}
