import type { RepositoryDescription } from '@cairn/sdk';
import type { Sight } from '../../app/sight.ts';
import { ShapeTable } from '../shape/shape-table.tsx';

const SHAPES_SHOWN = 30;

/** The shapes, for who sees them for the first time. */
export function ShapesSection({ sight, described }: { sight: Sight; described: RepositoryDescription }) {
  return (
    <section aria-labelledby="shapes">
      <h2 id="shapes">Shapes</h2>
      <p className="hint">
        A shape is a kind of record with its fields. Choose its name to see the fields, or the number to see the
        records.
      </p>
      <ShapeTable sight={sight} described={described} most={SHAPES_SHOWN} />
    </section>
  );
}
