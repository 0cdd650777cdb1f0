import type { ShapeDescription } from '@cairn/sdk';
import type { Sight } from '../../app/sight.ts';
import { ShapeTable } from '../shape/shape-table.tsx';

const SHAPES_SHOWN = 30;

/** The shapes, for who sees them for the first time. */
export function ShapesSection({ sight, shapes }: { sight: Sight; shapes: readonly ShapeDescription[] }) {
  return (
    <section aria-labelledby="shapes">
      <h2 id="shapes">Shapes</h2>
      <p className="hint">
        A shape is a kind of record with its fields. Choose its name to see the fields, or the number to see the
        records.
      </p>
      <ShapeTable sight={sight} shapes={shapes} most={SHAPES_SHOWN} />
    </section>
  );
}
