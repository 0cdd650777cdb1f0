import { useSearch } from '@tanstack/react-router';
import { atOf, type Sight, useSight } from '../../app/sight.ts';
import { LATEST } from '../../data/graph.ts';
import { Calls } from '../../parts/calls.tsx';
import { plain } from '../../parts/text.tsx';
import { useTitle } from '../../parts/title.ts';
import { GraphStart } from './graph-start.tsx';
import { GraphWalk } from './graph-walk.tsx';
import '../../look/graph.css';

/** Records and the references between them, walked outward from one. */
export function Graph() {
  const { from } = useSearch({ from: '/$orgName/$repoName/graph' });
  const sight = useSight();
  const { orgName, repoName } = sight;
  const where = `${orgName}/${repoName}`;
  useTitle(...(from === undefined ? ['Graph', where] : ['Graph', plain(from, 100), where]));
  if (from !== undefined) return <GraphWalk key={from} from={from} />;
  return (
    <>
      <h1>Graph</h1>
      <p>Begin with a record, and walk outward along what refers to what.</p>
      <GraphStart />
      <Calls shown={[latestCall(sight)]} />
    </>
  );
}

const latestCall = (sight: Sight) => ({
  what: 'What changed lately',
  procedure: 'thing.head',
  options: { order: '-updated', limit: LATEST, ...atOf(sight) },
  rest: `/api/repos/${sight.orgName}/${sight.repoName}/head`,
});
