import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { atOf, type Sight, useSight } from '../../app/sight.ts';
import type { Shown } from '../../data/calls.ts';
import { latestOptions, wholeGraph, wholeOptions } from '../../data/graph.ts';
import { WHOLE_REACH, type WholeGraph } from '../../data/whole-graph.ts';
import { Calls } from '../../parts/calls.tsx';
import { plain } from '../../parts/text.tsx';
import { useTitle } from '../../parts/title.ts';
import { GraphStart } from './graph-start.tsx';
import { GraphView } from './graph-view.tsx';
import { GraphWalk } from './graph-walk.tsx';
import { wholeState } from './walk-state.ts';
import '../../look/graph.css';

/** Records and the references between them: all of a small repository, or walked outward from one record. */
export function Graph() {
  const { from } = useSearch({ from: '/$orgName/$repoName/graph' });
  const { orgName, repoName } = useSight();
  const where = `${orgName}/${repoName}`;
  useTitle(...(from === undefined ? ['Graph', where] : ['Graph', plain(from, 100), where]));
  return from === undefined ? <Beginning /> : <GraphWalk key={from} from={from} />;
}

function Beginning() {
  const sight = useSight();
  const { data: whole, isPending, fetchStatus } = useQuery(wholeGraph(sight));
  const hasWhole = whole !== undefined && whole !== null && whole.nodes.length > 0;
  return (
    <>
      <h1 className="graph-title">Graph</h1>
      <p>
        {hasWhole
          ? 'All of the repository, by what refers to what. Or begin with one record, and walk outward.'
          : 'Begin with a record, and walk outward along what refers to what.'}
      </p>
      {/* What is drawn comes first where there is something. */}
      <GraphStart isFolded={isPending || hasWhole} />
      {isPending && (
        <p className="waiting" role="status">
          {fetchStatus === 'paused' ? 'You are offline. This goes on when you are back.' : 'Loading the graph…'}
        </p>
      )}
      {hasWhole && <Whole whole={whole} />}
      {!isPending && <Calls shown={hasWhole ? wholeCalls(sight, whole) : [latestCall(sight)]} />}
    </>
  );
}

function Whole({ whole }: { whole: WholeGraph }) {
  const state = useMemo(() => wholeState(whole), [whole]);
  return <GraphView state={state} />;
}

const headPath = ({ orgName, repoName }: Sight) => `/api/repos/${orgName}/${repoName}/head`;

const latestCall = (sight: Sight): Shown => ({
  what: 'What changed lately',
  procedure: 'thing.head',
  options: latestOptions(sight),
  rest: headPath(sight),
});

const wholeCalls = (sight: Sight, { nodes: [first] }: WholeGraph): Shown[] => [
  { what: 'The records', procedure: 'thing.head', options: wholeOptions(sight), rest: headPath(sight) },
  {
    what: 'The references around one of them',
    procedure: 'thing.graph',
    given: [first?.wref ?? ''],
    names: ['wref'],
    options: { ...WHOLE_REACH, ...atOf(sight) },
  },
];
