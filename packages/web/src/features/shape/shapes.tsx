import type { ShapeDescription } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { description } from '../../app/queries.ts';
import { atOf, type Sight, useSight } from '../../app/sight.ts';
import { Loaded, useTitle, Waiting } from '../../ui/page.tsx';
import { Section } from '../../ui/text.tsx';
import { AddShapeLink, WriteLinks } from '../change/writable.tsx';
import { Calls } from '../commit/calls.tsx';
import { SAID_MOST, saidAbout, saidOptions } from '../record/said-about.ts';
import { aboutReferences, shapeReferences } from './fields.ts';
import { ShapeDiagram } from './shape-diagram.tsx';
import { ReferenceList } from './shape-link.tsx';
import { ShapeTable } from './shape-table.tsx';

export function Shapes() {
  const sight = useSight();
  useTitle('Shapes', `${sight.orgName}/${sight.repoName}`);
  const described = useQuery(description(sight));
  return (
    <>
      <Loaded query={described} what="shapes" isPart>
        {(found) => (
          <>
            <h1>Shapes</h1>
            <WriteLinks sight={sight}>
              <AddShapeLink sight={sight} />
            </WriteLinks>
            <p className="hint">
              A shape defines the fields of its records. Shapes have versions, and each record keeps the version that it
              was last written with.
            </p>
            <ShapeTable sight={sight} described={found} hasVersion />
            {found.shapes.length > 0 && <References sight={sight} shapes={found.shapes} />}
          </>
        )}
      </Loaded>
      <Calls
        shown={[
          { what: 'The shapes with their fields and counts', procedure: 'repo.describe', options: atOf(sight) },
          { what: 'The shapes, page by page', procedure: 'shape.list', options: atOf(sight) },
          {
            what: 'The latest assertions and their subjects',
            procedure: 'thing.head',
            options: saidOptions(sight),
            rest: `/api/repos/${sight.orgName}/${sight.repoName}/head`,
          },
        ]}
      />
    </>
  );
}

function References({ sight, shapes }: { sight: Sight; shapes: readonly ShapeDescription[] }) {
  const saying = useQuery(saidAbout(sight));
  const said = saying.data;
  const references = useMemo(() => [...shapeReferences(shapes), ...aboutReferences(said?.pairs ?? [])], [shapes, said]);
  return (
    <Section id="references" title="References between shapes">
      {saying.isPending && <Waiting>Loading references…</Waiting>}
      {references.length === 0 && !saying.isPending && <p className="quiet">No shape has reference fields.</p>}
      {references.length > 0 && (
        <>
          <ShapeDiagram sight={sight} references={references} />
          <ReferenceList sight={sight} references={references} />
          {said?.isAll === false && (
            <p className="hint">References from assertions are based on the latest {SAID_MOST} assertions.</p>
          )}
        </>
      )}
    </Section>
  );
}
