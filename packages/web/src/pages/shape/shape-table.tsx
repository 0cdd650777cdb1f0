import type { ShapeDescription } from '@cairn/sdk';
import type { Sight } from '../../app/sight.ts';
import { ShowMore, usePortion } from '../../parts/portion.tsx';
import { ShapeRow } from './shape-row.tsx';

interface ShapeTableProps {
  readonly sight: Sight;
  readonly shapes: readonly ShapeDescription[];
  readonly hasVersion?: boolean;
  /** How many are shown before more are asked for. */
  readonly most?: number;
}

/** The shapes, with what they are for and how many records each has. */
export function ShapeTable({ sight, shapes, hasVersion = false, most }: ShapeTableProps) {
  const { shown, left, more } = usePortion(shapes, most);
  if (shapes.length === 0) {
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
          </tbody>
        </table>
      </section>
      <ShowMore left={left} more={more} what="shapes" />
    </>
  );
}
