import { useQuery } from '@tanstack/react-query';
import type { Shown } from '../../app/calls.ts';
import { Calls } from '../../app/calls.tsx';
import { atOf, type Sight } from '../../app/sight.ts';
import { saidAbout, saidOptions } from '../record/said-about.ts';

/** How to get what the page of a shape shows: of assertions only what there is. */
export function ShapeCalls({ sight, name }: { sight: Sight; name: string }) {
  // The page asks for them itself, and is not kept waiting for them.
  const { data: own } = useQuery({ ...saidAbout(sight, name), enabled: false });
  const { data: all } = useQuery({ ...saidAbout(sight), enabled: false });
  const isSaid = own !== undefined && own.pairs.length > 0;
  const hasSaid = all?.pairs.some(({ to }) => to === name) === true;
  return (
    <Calls
      shown={[
        {
          what: 'The shape, with the state of its indexes',
          procedure: 'shape.get',
          given: [name],
          names: ['name'],
          command: 'shape view',
          options: { includeRetracted: true, ...atOf(sight) },
        },
        versionsOf(sight, name),
        ...(isSaid ? [assertionsOf(sight, 'Its latest assertions, with what they are about', name)] : []),
        ...(hasSaid
          ? [assertionsOf(sight, 'The latest assertions of all shapes; aboutWref tells which are about its records')]
          : []),
      ]}
    />
  );
}

/** The command lists the versions of a shape as of now; those of any record as of then too. */
function versionsOf(sight: Sight, name: string): Shown {
  const of = { what: 'Its versions', given: [name] };
  if (sight.at === undefined) return { ...of, procedure: 'shape.history', names: ['name'] };
  return { ...of, procedure: 'thing.history', names: ['wref'], options: atOf(sight) };
}

const assertionsOf = (sight: Sight, what: string, shape?: string): Shown => ({
  what,
  procedure: 'thing.head',
  options: saidOptions(sight, shape),
  rest: `/api/repos/${sight.orgName}/${sight.repoName}/head`,
});
