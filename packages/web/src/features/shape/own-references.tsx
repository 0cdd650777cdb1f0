import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { description } from '../../app/queries.ts';
import type { Sight } from '../../app/sight.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { saidAbout } from '../record/said-about.ts';
import { ReferenceList } from './reference-list.tsx';
import { ShapeDiagram } from './shape-diagram.tsx';
import { aboutReferences, shapeReferences } from './shape-reference.ts';

/** What a shape refers to, and what refers to it. */
export function OwnReferences({ sight, name }: { sight: Sight; name: string }) {
  const described = useQuery(description(sight));
  const sayings = useQuery(saidAbout(sight));
  const ownSayings = useQuery(saidAbout(sight, name));
  const [data, said, saidByIt] = [described.data, sayings.data, ownSayings.data];
  const references = useMemo(() => {
    // Its own assertions are looked for by themselves: among all of them they may be too old.
    const others = (said?.pairs ?? []).filter(({ from }) => from !== name);
    const all = [...shapeReferences(data?.shapes ?? []), ...aboutReferences([...(saidByIt?.pairs ?? []), ...others])];
    return all.filter(({ from, to }) => from === name || to === name);
  }, [data, said, saidByIt, name]);
  // While they are only waited for nothing is said: most of the time there is no section at all.
  const missing = [described, sayings, ownSayings].find(
    (one) => one.data === undefined && one.fetchStatus !== 'fetching',
  );
  if (references.length === 0 && missing === undefined) return null;
  return (
    <section aria-labelledby="references">
      <h2 id="references">References</h2>
      {references.length > 0 && (
        <>
          <ShapeDiagram sight={sight} references={references} />
          <ReferenceList sight={sight} references={references} />
        </>
      )}
      {missing !== undefined && (
        <Loaded<unknown> query={missing} what="references" isPart>
          {() => null}
        </Loaded>
      )}
    </section>
  );
}
