import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Shown } from '../../app/calls.ts';
import { Calls } from '../../app/calls.tsx';
import { atOf, type Sight, useSight } from '../../app/sight.ts';
import { plain } from '../../ui/text.tsx';
import { useTitle } from '../../ui/title.ts';
import { latestOptions, type TooMany, wholeGraph, wholeOptions } from './graph.ts';
import { GraphStart } from './graph-start.tsx';
import { GraphView } from './graph-view.tsx';
import { GraphWalk } from './graph-walk.tsx';
import { wholeState } from './walk-state.ts';
import { WHOLE_REACH, type WholeGraph } from './whole-graph.ts';
import '../../ui/css/graph.css';
import '../../ui/css/graph-colour.css';
import '../../ui/css/graph-node.css';

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
  const { data, isPending, fetchStatus } = useQuery(wholeGraph(sight));
  const whole = data !== undefined && 'nodes' in data && data.nodes.length > 0 ? data : undefined;
  return (
    <>
      <div className="graph-head">
        <h1 className="graph-title">Graph</h1>
        <p role="status">{introduction(data)}</p>
      </div>
      {/* What is drawn comes first where there is something. */}
      <GraphStart isFolded={isPending || whole !== undefined} />
      {isPending && (
        <p className="waiting" role="status">
          {fetchStatus === 'paused' ? 'You are offline. This goes on when you are back.' : 'Loading the graph…'}
        </p>
      )}
      {whole && <Whole whole={whole} />}
      {!isPending && <Calls shown={whole ? wholeCalls(sight, whole) : [latestCall(sight)]} />}
    </>
  );
}

function introduction(data: WholeGraph | TooMany | undefined): string {
  if (data !== undefined && 'tooMany' in data) {
    const count = data.count === undefined ? '' : ` (${data.count.toLocaleString('en')})`;
    return `Too many records to draw all at once${count}: begin with one, and walk outward along what refers to what.`;
  }
  return data === undefined || data.nodes.length === 0
    ? 'Begin with a record, and walk outward along what refers to what.'
    : 'All of the repository, by what refers to what. Or begin with one record, and walk outward.';
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
