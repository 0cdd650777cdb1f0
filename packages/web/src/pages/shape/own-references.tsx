import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Sight } from '../../app/sight.ts';
import { description } from '../../data/queries.ts';
import { saidAbout } from '../../data/said-about.ts';
import { aboutReferences, shapeReferences } from '../../data/shape-reference.ts';
import { ReferenceList } from './reference-list.tsx';
import { ShapeDiagram } from './shape-diagram.tsx';

/** What a shape refers to, and what refers to it. */
export function OwnReferences({ sight, name }: { sight: Sight; name: string }) {
  const { data } = useQuery(description(sight));
  const { data: said } = useQuery(saidAbout(sight));
  const { data: saidByIt } = useQuery(saidAbout(sight, name));
  const references = useMemo(() => {
    // Its own assertions are looked for by themselves: among all of them they may be too old.
    const others = (said?.pairs ?? []).filter(({ from }) => from !== name);
    const all = [...shapeReferences(data?.shapes ?? []), ...aboutReferences([...(saidByIt?.pairs ?? []), ...others])];
    return all.filter(({ from, to }) => from === name || to === name);
  }, [data, said, saidByIt, name]);
  if (references.length === 0) return null;
  return (
    <section aria-labelledby="references">
      <h2 id="references">References</h2>
      <ShapeDiagram sight={sight} references={references} />
      <ReferenceList sight={sight} references={references} />
    </section>
  );
}
