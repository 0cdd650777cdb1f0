import type { ShapeDescription } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { atOf, type Sight, useSight } from '../../app/sight.ts';
import { description } from '../../data/queries.ts';
import { shapeReferences } from '../../data/shape-reference.ts';
import { Calls } from '../../parts/calls.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { ShowMore, usePortion } from '../../parts/portion.tsx';
import { useTitle } from '../../parts/title.ts';
import { AddShapeLink, WriteLinks } from '../../parts/write-links.tsx';
import { ReferenceList } from './reference-list.tsx';
import { ShapeDiagram } from './shape-diagram.tsx';
import { ShapeRow } from './shape-row.tsx';
import '../../look/page.css';
import '../../look/shape.css';

/** All shapes, and which refers to which. */
export function Shapes() {
  const sight = useSight();
  useTitle('Shapes', `${sight.orgName}/${sight.repoName}`);
  const described = useQuery(description(sight));
  return (
    <>
      <Loaded query={described} what="shapes" isPart>
        {({ shapes }) => (
          <>
            <h1>Shapes</h1>
            <WriteLinks sight={sight}>
              <AddShapeLink sight={sight} />
            </WriteLinks>
            <p className="hint">
              A shape says which fields the records of one sort have. It has versions, and each record keeps the version
              that it was written with until it is written again.
            </p>
            {shapes.length === 0 && (
              <p className="quiet">There is no shape {sight.at === undefined ? 'yet' : 'at this sequence'}.</p>
            )}
            {shapes.length > 0 && <ListedShapes sight={sight} shapes={shapes} />}
          </>
        )}
      </Loaded>
      <Calls
        shown={[
          { what: 'The shapes with their fields and counts', procedure: 'repo.describe', options: atOf(sight) },
          { what: 'The shapes, page by page', procedure: 'shape.list', options: atOf(sight) },
        ]}
      />
    </>
  );
}

function ListedShapes({ sight, shapes }: { sight: Sight; shapes: readonly ShapeDescription[] }) {
  const references = useMemo(() => shapeReferences(shapes), [shapes]);
  const { shown, left, more } = usePortion(shapes);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
      <section className="scrolled" aria-label="The shapes" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Shape</th>
              <th scope="col">Records</th>
              <th scope="col">Version</th>
              <th scope="col">What it is</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((shape) => (
              <ShapeRow key={shape.name} sight={sight} shape={shape} hasVersion />
            ))}
          </tbody>
        </table>
      </section>
      <ShowMore left={left} more={more} what="shapes" />
      <section aria-labelledby="references">
        <h2 id="references">Which refers to which</h2>
        {references.length === 0 ? (
          <p className="quiet">No shape has a field that refers to records.</p>
        ) : (
          <>
            <ShapeDiagram sight={sight} references={references} />
            <ReferenceList sight={sight} references={references} />
          </>
        )}
      </section>
    </>
  );
}
