import type { ShapeDescription } from '@cairn/sdk';
import type { Sight } from '../../app/sight.ts';
import { ShowMore, usePortion } from '../../parts/portion.tsx';
import { ShapeRow } from '../shape/shape-row.tsx';

/** The shapes, with what they are for and how many records each has. */
export function ShapeTable({ sight, shapes }: { sight: Sight; shapes: readonly ShapeDescription[] }) {
  const { shown, left, more } = usePortion(shapes, 30);
  return (
    <section aria-labelledby="shapes">
      <h2 id="shapes">Shapes</h2>
      <p className="hint">
        A shape is a kind of record with its fields. Choose its name to see the fields, or the number to see the
        records.
      </p>
      {shapes.length === 0 ? (
        <p className="quiet">There is no shape {sight.at === undefined ? 'yet' : 'at this sequence'}.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
        <section className="scrolled" aria-label="The shapes" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">Shape</th>
                <th scope="col">Records</th>
                <th scope="col">What it is</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((shape) => (
                <ShapeRow key={shape.name} sight={sight} shape={shape} />
              ))}
            </tbody>
          </table>
        </section>
      )}
      <ShowMore left={left} more={more} what="shapes" />
    </section>
  );
}
